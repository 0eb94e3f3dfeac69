import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';
import { administratorAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { runAdminCommand } from '../support/admin-command.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';

describe('Repairs with the admin commands', () => {
  const lines: string[] = [];
  let dataDirectory: string;
  let upstream: OpenAIUpstream;
  let gateway: LocalGateway;
  let client: ReturnType<typeof createDocumentClient>;

  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'gateway-repairs-'));
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
      onLogLine: (line) => void lines.push(line),
    });
    client = createDocumentClient(
      new DynamoDBClient({
        endpoint: gateway.connection.dynamodb_endpoint,
        region: gateway.connection.region,
        credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
      }),
    );
  });
  afterAll(async () => {
    client?.destroy();
    await gateway?.stop();
    await upstream?.stop();
    await rm(dataDirectory, { recursive: true });
  });

  const admin = (commandLine: string[], input = '') =>
    runAdminCommand([...commandLine, '--json'], {
      environment: { GATEWAY_DATA_DIRECTORY: dataDirectory },
      input,
    });
  const entryKey = (id: string) => ({
    TableName: gateway.connection.outputs.LogEntriesTableName,
    Key: { organization_shard: `${gateway.organizationId}#${shardOfLogId(id)}`, id },
  });
  const sendChatRequest = async () => {
    const response = await fetch(`${gateway.chatUrl}/ai/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] }),
    });
    await response.arrayBuffer();
    const id = response.headers.get('x-gateway-request-id') ?? expect.fail();
    const find = async () =>
      (await client.send(new GetCommand({ ...entryKey(id), ConsistentRead: true }))).Item;
    await expect.poll(find).toBeDefined();
    return { id, find };
  };
  const total = async () => {
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const response = await fetch(`${gateway.baseUrl}/api/costs`, { headers });
    return ((await response.json()) as { total_requests: number }).total_requests;
  };

  it('logs recover writes a lost entry from the log lines of the local run', async () => {
    const { id, find } = await sendChatRequest();
    const { written_at: _, ...item } = (await find()) ?? expect.fail();
    await client.send(new DeleteCommand(entryKey(id)));
    const linesOf = (event: string) =>
      lines.filter((line) => line.includes(id) && line.includes(`"${event}"`));
    // The local run prints a line shortly after the function has written it to its log file.
    await expect.poll(() => linesOf('request_completed')).toHaveLength(1);

    const { exitCode, stdout, stderr } = await admin(['logs', 'recover', '--file', '-'], lines.join('\n'));

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ restored: 1, interrupted: 0, unreadable: 0 });
    expect(await find()).toMatchObject(item);

    await client.send(new DeleteCommand(entryKey(id)));
    const [forwarded = ''] = linesOf('request_forwarded');
    const withoutEnded = await admin(['logs', 'recover', '--file', '-'], forwarded);
    const ended = await admin(['logs', 'recover', '--file', '-', '--ended'], forwarded);

    expect(JSON.parse(withoutEnded.stdout)).toMatchObject({ restored: 0, running: 1 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ restored: 1, interrupted: 1, unreadable: 0 });
    expect(await find()).toMatchObject({
      id,
      outcome: 'interrupted',
      status: 502,
      usage_source: 'estimated',
    });
  });

  it('rollups replay lists an unreadable record, and later entries are still counted', async () => {
    // From the previous test: the deleted entry and the two recovered ones.
    await expect.poll(total).toBe(3);
    const TableName = gateway.connection.outputs.LogEntriesTableName;
    await client.send(
      new PutCommand({ TableName, Item: { organization_shard: `${gateway.organizationId}#0`, id: 'x' } }),
    );
    await sendChatRequest();
    await expect.poll(total).toBe(4);
    await expect
      .poll(async () => JSON.parse((await admin(['rollups', 'replay'])).stdout).left)
      .toEqual([
        {
          message_id: expect.any(String),
          shard_id: expect.stringMatching(/^shardId-/),
          sequence_number: expect.stringMatching(/^\d+$/),
          reason: 'it cannot be read (Error)',
        },
      ]);

    const discarded = await admin(['rollups', 'replay', '--discard']);
    const afterwards = await admin(['rollups', 'replay']);

    expect(JSON.parse(discarded.stdout)).toMatchObject({ discarded: 1, left: [] });
    expect(afterwards.exitCode).toBe(0);
    const unreadable = lines.filter((line) => line.includes('"event":"unreadable_record"'));
    expect(unreadable).toHaveLength(1);
  });
});
