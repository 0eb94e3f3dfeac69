/** The cost of every example on the local stack: in its log entry, in the cost report and after a reprice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { readConnectionFile } from '#local/connection-file.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { eventually } from '#test/support/eventually.ts';
import { type ParsedBreakdown, parseAmounts } from '#test/support/exact-amounts.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { bedrockFrame, bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';
import { startUpstream, type Upstream } from '#test/support/providers/upstream.ts';
import {
  jsonResponse,
  type RecordedRequest,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import { anthropicExamples } from './anthropic.ts';
import { bedrockExamples } from './bedrock.ts';
import { atTime, type BillingExample, calculate } from './example.ts';
import { googleExamples } from './google.ts';
import { openAiExamples } from './openai.ts';
import { otherExamples } from './other-providers.ts';

const examples = [
  ...openAiExamples,
  ...anthropicExamples,
  ...googleExamples,
  ...bedrockExamples,
  ...otherExamples,
];

interface Case {
  /** Also the prompt, by which the fake provider finds the response, and the id of the end user. */
  name: string;
  example: BillingExample;
  stream: boolean;
}

const cases = examples.flatMap((example, index): Case[] =>
  [false, true].map((stream) => ({
    name: `example-${index}-${stream ? 'stream' : 'plain'}`,
    example,
    stream,
  })),
);

function providerOf({ model }: BillingExample): string {
  return model.slice(0, model.indexOf('/'));
}

/** Sends the response of the example that the request's prompt names. */
function respond({ body }: RecordedRequest) {
  const [, index = '', form] = /example-(\d+)-(stream|plain)/.exec(body.toString()) ?? [];
  const example = examples[Number(index)];
  if (example === undefined) throw new Error('The prompt names no example');
  const { plain, stream, headers = {} } = example;
  if (form === 'plain') return jsonResponse(plain, { headers });
  if (providerOf(example) === 'bedrock') {
    return streamResponse(stream.map(bedrockFrame), { headers: { 'content-type': bedrockStreamType } });
  }
  return streamResponse(
    stream.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`),
  );
}

type Entry = Record<string, unknown> & {
  id: string;
  created_at: string;
  cost_usd: string;
  pricing: string;
  cost_breakdown: ParsedBreakdown | null;
};

describe('The cost of a request', () => {
  let upstream: Upstream<null>;
  let dataDirectory: string;
  let gateway: LocalGateway;
  const entries = new Map<string, Entry>();

  beforeAll(async () => {
    upstream = await startUpstream({ path: '', respond }, null);
    dataDirectory = await mkdtemp(join(tmpdir(), 'gateway-billing-'));
    const environment: NodeJS.ProcessEnv = { PATH: process.env.PATH };
    for (const provider of new Set(examples.map(providerOf))) {
      environment[`${provider.toUpperCase()}_BASE_URL`] = upstream.baseUrl;
      if (provider !== 'bedrock') environment[`${provider.toUpperCase()}_API_KEY`] = `sk-${provider}`;
    }
    gateway = await startLocalGateway({
      port: 0,
      assemblyDirectory: await gatewayAssembly(),
      dataDirectory,
      environment,
    });
    const ids = new Map<string, string | null>();
    // Each concurrent request starts a process. On a busy machine, its first read of prices times out if many start at once.
    await forEachConcurrently(cases, 3, async (example) => {
      ids.set(example.name, await send(example));
    });
    await forEachConcurrently([...ids], 8, async ([name, id]) => {
      entries.set(name, await readEntry(id));
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
    await rm(dataDirectory, { recursive: true });
  });

  const headers = () => ({ authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' });
  const read = async <Body>(path: string): Promise<Body> =>
    parseAmounts(await (await fetch(`${gateway.baseUrl}${path}`, { headers: headers() })).text());

  /** Resolves to the id of the log entry. */
  async function send({ name, example, stream }: Case): Promise<string | null> {
    const response = await fetch(`${gateway.chatUrl}/ai/chat/completions`, {
      method: 'POST',
      headers: { ...headers(), 'gateway-user-id': name },
      body: JSON.stringify({ model: example.model, messages: [{ role: 'user', content: name }], stream }),
    });
    await response.text();
    expect([name, response.status]).toEqual([name, 200]);
    return response.headers.get('x-gateway-request-id');
  }

  async function readEntry(id: string | null): Promise<Entry> {
    return eventually(async () => {
      const entry = await read<Entry>(`/api/logs/${id}`);
      expect(entry.id).toBe(id);
      return entry;
    });
  }

  const expectedCost = ({ calculation }: BillingExample, at: Date) => calculate(atTime(calculation, at));

  it.each(cases)(
    'of $example.model equals the manual calculation for $example.scenario ($name)',
    ({ name, example }) => {
      const entry = entries.get(name);
      const at = new Date(entry?.created_at ?? '');
      expect(entry).toMatchObject({
        cost_usd: expectedCost(example, at),
        pricing: atTime(example.pricing, at),
        ...example.entry,
      });
    },
  );

  it('is explained by charges that add up to it, unless the provider stated it or it is unknown', () => {
    const total = (amounts: { cost_usd: string }[]) =>
      amounts.map(({ cost_usd }) => cost_usd).reduce(addUsd, '0');
    for (const [name, { pricing, cost_usd, cost_breakdown: parts }] of entries) {
      const isCalculated = pricing !== 'provider' && pricing !== 'unknown';
      expect([name, parts && total(parts)]).toEqual([name, isCalculated ? cost_usd : null]);
      for (const part of parts ?? []) expect([name, total(part.charges)]).toEqual([name, part.cost_usd]);
    }
  });

  it('is the same in the cost report, for each user, each tier and in total', async () => {
    await expectReportToAgree();
    const all = [...entries.values()];
    for (const tier of ['flex', 'priority', 'default']) {
      const inTier = all.filter(({ service_tier }) => service_tier === tier);
      expect(await read(`/api/costs?service_tier=${tier}`)).toMatchObject({
        total_requests: inTier.length,
        total_cost_usd: inTier.map(({ cost_usd }) => cost_usd).reduce(addUsd),
      });
    }
  });

  it('is the same after a reprice of entries whose cost was lost', async () => {
    expect(await reprice('--all')).toMatchObject({ read: cases.length, changed: 0 });
    const lost = [...entries.values()].filter(({ pricing }) => pricing !== 'provider');
    await forEachConcurrently(lost, 8, loseCost);

    expect(await reprice()).toMatchObject({ read: cases.length });

    await forEachConcurrently([...entries], 8, async ([name, entry]) => {
      expect([name, await read(`/api/logs/${entry.id}`)]).toEqual([name, entry]);
    });
    await expectReportToAgree();
  });

  async function expectReportToAgree(): Promise<void> {
    const all = [...entries.values()];
    const assumed = all.filter(({ pricing }) => pricing === 'assumed');
    const total = (some: Entry[]) => some.map(({ cost_usd }) => cost_usd).reduce(addUsd, '0');
    await eventually(async () => {
      const report = await read<{ groups: { user_id: string; cost_usd: string }[] }>(
        '/api/costs?group_by=user_id&limit=1000',
      );
      expect(report).toMatchObject({
        total_requests: cases.length,
        total_cost_usd: total(all),
        unpriced_requests: all.filter(({ pricing }) => pricing === 'unknown').length,
        assumed_requests: assumed.length,
        assumed_cost_usd: total(assumed),
      });
      const costs = new Map(report.groups.map(({ user_id, cost_usd }) => [user_id, cost_usd]));
      for (const [name, { cost_usd }] of entries) expect([name, costs.get(name)]).toEqual([name, cost_usd]);
    });
  }

  async function reprice(...options: string[]): Promise<object> {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { exitCode, stdout, stderr } = await runAdminCommand(
      ['costs', 'reprice', ...options, '--from', from, '--json'],
      { environment: { GATEWAY_DATA_DIRECTORY: dataDirectory } },
    );
    expect([exitCode, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  }

  /** Makes the entry one of unknown cost, as if its price had not been in the table. */
  async function loseCost({ id }: Entry): Promise<void> {
    const { dynamodb_endpoint: endpoint, outputs, organization_id } = readConnectionFile(dataDirectory);
    const credentials = { accessKeyId: 'local-admin', secretAccessKey: 'any' };
    const client = DynamoDBDocumentClient.from(
      new DynamoDBClient({ endpoint, region: 'us-east-1', credentials }),
    );
    await client.send(
      new UpdateCommand({
        TableName: outputs?.LogEntriesTableName,
        Key: { organization_shard: `${organization_id}#0`, id },
        UpdateExpression: 'SET cost_usd = :zero, pricing = :unknown, written_at = written_at + :one',
        ExpressionAttributeValues: { ':zero': 0, ':unknown': 'unknown', ':one': 1 },
      }),
    );
  }
});
