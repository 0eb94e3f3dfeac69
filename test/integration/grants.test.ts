/**
 * What the functions do in AWS, and what their roles allow: the same, from either side.
 *
 * Every function does all of its work once, on the deployed template. What a role lacked would be refused, and the local
 * run knows what a role allows that nobody needed.
 */
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type FaultProxy, startFaultProxy } from '../faults/harness/fault-proxy.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../support/embedded-dynamodb.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/openai-upstream.ts';

const question = {
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Say hello' }],
} satisfies OpenAI.ChatCompletionCreateParams;

/** What nobody does here, and why it is granted all the same. */
const exemptions = {
  // https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
  'CostRollupFunction: dynamodb:ListStreams on *':
    'Lambda wants it to make the mapping, and no resource is narrower. The local run finds the stream by itself.',
};

/** Functions do not write their logs themselves: Lambda does, with their roles. */
const ownLogs = (functionName: string) =>
  ['CreateLogStream', 'PutLogEvents'].map(
    (action) => `${functionName}: logs:${action} on logs log-group:${functionName}LogGroup:*`,
  );

describe('the grants of the functions', () => {
  const logLines: string[] = [];
  let failuresToCome = 0;
  let upstream: OpenAIUpstream;
  let engine: EmbeddedDynamoDB;
  let proxy: FaultProxy;
  let gateway: LocalGateway;
  let database: DynamoDBClient;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream', unknownModels: [] });
    engine = await startEmbeddedDynamoDB();
    // A number below the share of a fault is a call that meets it.
    proxy = await startFaultProxy(
      () => engine.endpoint,
      () => (failuresToCome-- > 0 ? 0 : 1),
    );
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly(),
      environment: {
        ...process.env,
        OPENAI_API_KEY: 'sk-upstream',
        OPENAI_BASE_URL: upstream.baseUrl,
        AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      },
      onLogLine: (line) => logLines.push(line),
    });
    database = new DynamoDBClient({
      endpoint: gateway.facts.dynamodb_endpoint,
      region: gateway.facts.region,
      credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
    });
  });
  afterAll(async () => {
    database.destroy();
    await gateway.stop();
    await proxy.stop();
    await engine.stop();
    await upstream.stop();
  });

  const ask = (origin: string) =>
    new OpenAI({ baseURL: `${origin}/ai`, apiKey: gateway.apiKey, maxRetries: 0 }).chat.completions.create(
      question,
    );

  const statusOf = async (path: string) => {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    return (await fetch(`${gateway.baseUrl}${path}`, { headers })).status;
  };

  /** Such as `ChatFunction: dynamodb:PutItem on dynamodb table/LogEntries`: without what is the same everywhere. */
  const unused = () =>
    gateway
      .unusedGrants()
      .map(({ functionName, action, resource }) =>
        `${functionName}: ${action} on ${resource}`
          .replaceAll(/AiGateway-(\w+?)[0-9A-F]{8}\b/g, '$1')
          .replace(/arn:aws:(\w+):us-east-1:000000000000:/, '$1 '),
      );

  const refused = () => logLines.filter((line) => line.includes('is not authorized'));

  it('are what they need, and nothing that they do not need', async () => {
    const functions = [...new Set(unused().map((line) => line.split(':')[0] ?? ''))];
    await ask(gateway.baseUrl);
    await ask(gateway.chatUrl);
    const paths = [
      '/ai/models',
      '/ai/models/openai/gpt-4o-mini',
      '/api/logs',
      ...['model=openai/gpt-4o-mini', 'provider=openai', 'status=200', 'status=502'].map(
        (filter) => `/api/logs?${filter}`,
      ),
      ...['prompt_id', 'session_id', 'user_id'].map((name) => `/api/logs?${name}=x`),
      '/api/logs/01990000-0000-7000-8000-000000000000',
      // Cut in the middle of a minute, so that entries are read too.
      '/api/costs?start=2026-01-01T00:00:30Z',
    ];
    const statuses = await Promise.all(paths.map(statusOf));
    await database.send(
      new PutItemCommand({
        TableName: gateway.facts.outputs.LogEntriesTableName,
        Item: { organization_shard: { S: 'no organization' }, id: { S: 'no entry' } },
      }),
    );
    // All of chat's attempts, so that the entry goes to the queue, and is written from there.
    failuresToCome = 3;
    await proxy.set({ kind: 'throttled', operations: ['PutItem'], share: 0.5 });
    await ask(gateway.baseUrl);

    expect(functions).toHaveLength(7);
    expect(statuses).toEqual(paths.map((path) => (path.includes('01990000') ? 404 : 200)));
    await expect
      .poll(() => ({ unused: unused().sort(), refused: refused() }))
      .toEqual({
        unused: [...Object.keys(exemptions), ...functions.flatMap(ownLogs)].sort(),
        refused: [],
      });
  });
});
