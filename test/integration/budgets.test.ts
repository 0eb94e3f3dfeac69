/** Budgets on the local stack: the command line sets them, real streams put them into effect and settle them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMessageQueue } from '#lambdas/platform/aws/message-queue.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createAdministratorClient } from '#local/aws/administrator-client.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { eventually } from '#test/support/eventually.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { createAlarmMonitor } from '#test/support/monitoring/alarm-monitor.ts';
import { exampleUsage } from '#test/support/providers/openai/events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '#test/support/providers/openai/upstream.ts';

interface BudgetJson {
  api_key_id: string | null;
  period: string;
  amount_usd: number;
  state: string;
  spent_usd: number;
  reserved_usd: number;
  events: number[];
}

const model = 'openai/exactly-priced';
const maxTokens = exampleUsage.completion_tokens;
/** Each request costs exactly as much as it reserves: only its output has a price. */
const requestUsd = maxTokens / 1000;
/** Each poll lists the budgets on the command line, and a budget takes effect after 20 s only. */
const polling = { intervalMs: 500 };

let dataDirectory: string;
let upstream: OpenAIUpstream;
let gateway: LocalGateway;
let keys: { id: string; key: string }[];
const logLines: string[] = [];
const monitor = createAlarmMonitor();

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'gateway-budgets-'));
  upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
  gateway = await startLocalGateway({
    port: 0,
    ephemeral: true,
    assemblyDirectory: await gatewayAssembly(),
    dataDirectory,
    environment: {
      PATH: process.env.PATH,
      OPENAI_API_KEY: 'sk-upstream',
      OPENAI_BASE_URL: upstream.baseUrl,
    },
    onLogLine: (line) => logLines.push(line),
    onServiceEvent: monitor.onServiceEvent,
  });
  const organization = ['--organization', gateway.organizationId];
  keys = [];
  for (const name of ['a', 'b', 'c']) {
    keys.push((await admin(['key', 'create', ...organization, '--name', name])) as (typeof keys)[number]);
  }
  await admin(['price', 'set', model, '--input', '0', '--output', '1000', '--from', '2026-01-01T00:00:00Z']);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  await rm(dataDirectory, { recursive: true });
});

async function admin(commandLine: string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await runAdminCommand([...commandLine, '--json'], {
    environment: { GATEWAY_DATA_DIRECTORY: dataDirectory },
  });
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
}

const budgets = async (organizationId = gateway.organizationId) =>
  (await admin(['budget', 'list', '--organization', organizationId])) as [BudgetJson, ...BudgetJson[]];

function send(apiKey: string) {
  const client = new OpenAI({ baseURL: `${gateway.baseUrl}/ai`, apiKey });
  return client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Say hello' }],
    max_completion_tokens: maxTokens,
  });
}

/**
 * Each concurrent request has a process of its own. With more of them, writes to counters time out on a busy machine. A
 * reservation whose write has timed out lasts until it expires, and leaves less for requests.
 */
const maxConcurrentRequests = 15;

/** Uses all keys in turn by default. Resolves to the number of completions and the errors. */
async function sendConcurrently(count: number, key?: string) {
  const errors: { status: number; code: string; headers: Headers }[] = [];
  const used = Array.from({ length: count }, (_, index) => key ?? keys[index % keys.length]?.key ?? '');
  await forEachConcurrently(used, maxConcurrentRequests, async (apiKey) => {
    await send(apiKey).catch((error) => errors.push(error));
  });
  return { completed: count - errors.length, errors };
}

async function refusedEntries(): Promise<number> {
  const response = await fetch(`${gateway.baseUrl}/api/logs?error_code=insufficient_quota&limit=1000`, {
    headers: { authorization: `Bearer ${gateway.apiKey}` },
  });
  const { data } = (await response.json()) as { data: unknown[] };
  return data.length;
}

it('never exceeds the limits of an organization and its keys with concurrent requests, and uses them up', async () => {
  const organization = ['--organization', gateway.organizationId, '--hard', '--period'];
  // Each counter has two items with equal parts of these limits: a last request needs a half of its amount from each.
  const limits = { organization: 51, key: 21 };
  await admin(['org', 'scale', '--organization', gateway.organizationId, '--log-shards', '16']);
  // Spent before the budget is set, which therefore includes it.
  await send(keys[0]?.key ?? '');
  await admin([
    'budget',
    'set',
    ...organization,
    'month',
    '--amount',
    String(limits.organization * requestUsd),
  ]);
  for (const { id } of keys) {
    await admin([
      'budget',
      'set',
      ...organization,
      'day',
      '--key',
      id,
      '--amount',
      String(limits.key * requestUsd),
    ]);
  }
  await eventually(
    async () => expect(new Set((await budgets()).map(({ state }) => state))).toEqual(new Set(['active'])),
    polling,
  );

  const sentBefore = upstream.requests.length;
  const first = await sendConcurrently(75);
  let completed = first.completed;
  let refused = first.errors.length;
  expect(new Set(first.errors.map(({ status }) => status))).toEqual(new Set([429]));
  // Some were refused because of reservations that were then released. One at a time, none is.
  const rounds = [
    () => sendConcurrently(30),
    ...keys.map(
      ({ key }) =>
        () =>
          sendConcurrently(1, key),
    ),
  ];
  const allCounted = async () => {
    const all = await budgets();
    expect(all[0]?.spent_usd).toBeCloseTo((completed + 1) * requestUsd, 9);
    return all;
  };
  for (let round = 0; round < rounds.length; ) {
    await eventually(allCounted, polling);
    const result = await rounds[round]?.();
    completed += result?.completed ?? 0;
    refused += result?.errors.length ?? 0;
    if (result?.completed === 0) round += 1;
  }

  const [organizationBudget, ...keyBudgets] = await eventually(allCounted, polling);
  const inRequests = (usd: number) => Math.round(usd / requestUsd);
  const available = ({ amount_usd, spent_usd, reserved_usd }: BudgetJson) =>
    inRequests(amount_usd - spent_usd - reserved_usd);
  const availableToKeys = keyBudgets.map(available);
  expect(upstream.requests.length - sentBefore).toBe(completed);
  expect(Math.min(available(organizationBudget), ...availableToKeys)).toBeGreaterThanOrEqual(0);
  // The budget of the organization is used up or, where writes have timed out, those of all keys.
  expect(Math.min(available(organizationBudget), Math.max(...availableToKeys))).toBe(0);
  const thresholds = [50, 80, 100];
  const spentPercent = ((completed + 1) * 100) / limits.organization;
  const sent = organizationBudget.events;
  expect(sent).toEqual(thresholds.slice(0, sent.length));
  expect(sent).toEqual(expect.arrayContaining(thresholds.filter((threshold) => threshold <= spentPercent)));
  expect(keyBudgets.reduce((sum, { spent_usd }) => sum + spent_usd, 0)).toBeCloseTo(
    (completed + 1) * requestUsd,
    9,
  );

  const refusal = first.errors[0];
  expect(refusal).toBeInstanceOf(OpenAI.RateLimitError);
  expect(refusal).toMatchObject({ status: 429, code: 'insufficient_quota' });
  expect(refusal?.headers.get('x-should-retry')).toBe('false');
  expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThan(0);
  // The client obeys the header: it has sent each refused request once.
  await eventually(async () => expect(await refusedEntries()).toBe(refused));
  const events = gateway.latestEvents().map(({ detail }) => detail);
  expect(new Set(events.map(({ stack }) => stack))).toEqual(new Set(['AiGateway']));
  expect(events.filter(({ api_key_id }) => api_key_id === null).map(({ threshold }) => threshold)).toEqual(
    sent,
  );
});

async function createOrganizationWithBudget(name: string): Promise<string> {
  const { id } = (await admin(['org', 'create', '--name', name])) as { id: string };
  await admin(['budget', 'set', '--organization', id, '--period', 'month', '--amount', '100']);
  return id;
}

/** Changes the record of an organization's budgets behind the gateway's back. */
async function updateBudgetRecord(organizationId: string, UpdateExpression: string, values?: object) {
  const { dynamodb_endpoint: endpoint, region, outputs } = gateway.connection;
  const client = createDocumentClient(createAdministratorClient({ endpoint, region }));
  await client.send(
    new UpdateCommand({
      TableName: outputs.DirectoryTableName,
      Key: { pk: `budgets#${organizationId}`, sk: 'organization' },
      UpdateExpression,
      ExpressionAttributeNames: { '#day': 'day' },
      ...(values && { ExpressionAttributeValues: { ...values } }),
    }),
  );
  client.destroy();
}

async function alarmState(alarm: string) {
  const alarms = await monitor.evaluate(gateway);
  return alarms.find(({ id }) => id === alarm)?.state;
}

it('puts other budgets into effect beside a change that always fails, reports that one, and retries it on demand', async () => {
  const { sqs_endpoint: endpoint, region, outputs } = gateway.connection;
  const credentials = { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey };
  const queue = openMessageQueue(
    { endpoint, region, credentials },
    outputs.BudgetChangesDeadLetterQueueUrl ?? '',
  );
  const failures = () => logLines.filter((line) => line.includes('"event":"budget_change_failed"'));
  const [broken, good] = [
    await createOrganizationWithBudget('Broken'),
    await createOrganizationWithBudget('Good'),
  ];
  const stateOf = async (id: string) =>
    (await budgets(id)).map(({ amount_usd, state }) => [amount_usd, state]);
  await eventually(
    async () =>
      expect([await stateOf(broken), await stateOf(good)]).toEqual([[[100, 'active']], [[100, 'active']]]),
    polling,
  );

  // A budget that no version can read.
  await updateBudgetRecord(broken, 'SET #day = :unreadable', { ':unreadable': null });
  await admin(['org', 'scale', '--organization', broken, '--log-shards', '2']);
  await admin(['budget', 'set', '--organization', good, '--period', 'month', '--amount', '200']);

  await eventually(async () => expect(await stateOf(good)).toEqual([[200, 'active']]), polling);
  await eventually(async () => expect(await queue.size()).toBe(1), polling);
  // The first attempt and five retries; later invocations for others attempt it too.
  await eventually(() => expect(failures().length).toBeGreaterThanOrEqual(6));
  await eventually(async () => expect(await alarmState('budget-changes-failed')).toBe('ALARM'), polling);

  const pending = {
    organization_id: broken,
    api_key_id: null,
    pending_since: expect.stringMatching(/^20.*Z$/),
  };
  const retried = {
    restarted: [{ ...pending, pending_seconds: expect.any(Number) }],
    deleted_notifications: 1,
  };
  expect(await admin(['budget', 'retry'])).toEqual(retried);
  await eventually(async () => expect(await queue.size()).toBe(1), polling);

  await updateBudgetRecord(broken, 'REMOVE #day');
  expect(await admin(['budget', 'retry'])).toEqual(retried);
  await eventually(async () => expect(await stateOf(broken)).toEqual([[100, 'active']]), polling);
  await eventually(
    async () => expect(await admin(['budget', 'retry'])).toEqual({ restarted: [], deleted_notifications: 0 }),
    polling,
  );
});
