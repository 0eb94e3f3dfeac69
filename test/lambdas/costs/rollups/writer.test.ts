import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  type UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { type RollupRecord, toRowUpdates } from '#lambdas/costs/rollups/row-updates.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import { watermarkValue } from '#lambdas/platform/dynamodb/watermark.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';
import { logEntry } from '#test/support/log-entries.ts';

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 31, 23, 59, 59);

let database: EmbeddedDynamoDB;
let table: CostRollupsTable;
let organization = '';
let nowMs = startMs;
let organizations = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  table = await createRollupsTable(database);
});
beforeEach(() => {
  organization = `org_${++organizations}`;
  nowMs = startMs;
});
afterAll(() => database.stop());

const now = () => new Date(nowMs);

function record(
  sequenceNumber: number,
  fields: Partial<LogEntry> = {},
  before: LogEntry | null = null,
): RollupRecord {
  const entry = logEntry({
    id: createLogId(startMs),
    organization_id: organization,
    input_tokens: sequenceNumber,
    ...fields,
  });
  return { sequenceNumber: String(sequenceNumber), entry, before, writtenAtMs: startMs };
}

const watermarkAt = (sequenceNumber: number) => watermarkValue('shardId-1', String(sequenceNumber), now());

const add = (source: string, records: RollupRecord[], generations = [0]) =>
  createCostRollupWriter(table, now).add(
    source,
    toRowUpdates(records, () => generations),
  );

async function rowOf({
  generation = 0,
  row = 'totals#month#0',
  sk = '2026-01#openai/7:default/gpt-4o',
} = {}) {
  const Key = { pk: `${organization}#${generation}#${row}`, sk };
  const { Item = {} } = await table.client.send(
    new GetCommand({ TableName: table.tableName, Key, ConsistentRead: true }),
  );
  const { pk, sk: sortKey, ...attributes } = Item;
  return attributes;
}

function addedRequests(input: UpdateCommandInput): number {
  const { UpdateExpression = '', ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = input;
  const [name] =
    Object.entries(ExpressionAttributeNames).find(([, attribute]) => attribute === 'requests') ?? [];
  const [, value = ''] = new RegExp(`${name} (:\\w+)`).exec(UpdateExpression) ?? [];
  return Number(ExpressionAttributeValues[value]);
}

describe('createCostRollupWriter', () => {
  it('retries a row that the transaction of a replay has locked', async () => {
    let conflicts = 0;
    const send = async (command: UpdateCommand) => {
      conflicts += 1;
      if (conflicts <= 3) throw new TransactionConflictException({ $metadata: {}, message: 'conflict' });
      return table.client.send(command);
    };
    const client: DynamoDBDocumentClient = Object.create(table.client, { send: { value: send } });
    await createCostRollupWriter({ ...table, client }, now).add(
      'shardId-1',
      toRowUpdates([record(1)], () => [0]),
    );
    expect(conflicts).toBeGreaterThan(3);
    expect(await rowOf()).toMatchObject({ requests: 1, input_tokens: 1 });
  });

  it('writes totals and one watermark to each row', async () => {
    await add('shardId-1-a', [record(9), record(10, { pricing: 'unknown', cost_usd: '0.000000000001' })]);
    const row = {
      requests: 2,
      cost_usd: '0.004720000001',
      input_tokens: 19,
      output_tokens: 600,
      cached: 2048,
      reasoning: 256,
      unpriced_requests: 1,
      latency_ms: 10240,
      overhead_ms: 14,
      l50: 2,
      f36: 2,
      'w#1-a': `01a@${Math.floor(startMs / hourMs).toString(36)}`,
    };
    expect(await rowOf()).toEqual(row);
    expect(await rowOf({ row: 'totals#minute#0', sk: '2026-01-31T23:59#openai/7:default/gpt-4o' })).toEqual(
      row,
    );
    expect(
      await rowOf({
        row: 'api_key#hour#0',
        sk: '2026-01-31T23#20:key_AAAAAAAAAAAAAAAA#openai/7:default/gpt-4o',
      }),
    ).toEqual(row);
  });

  it('counts a record once when batches are redelivered with other boundaries, concurrently with another shard', async () => {
    // Sequence numbers of different lengths, which must not be compared as plain text.
    const records = Array.from({ length: 12 }, (_, index) => record(95 + index));
    const others = Array.from({ length: 3 }, (_, index) => record(7 + index));
    await add('shardId-1', records.slice(0, 5));
    await Promise.all([add('shardId-1', records.slice(0, 5)), add('shardId-2', others)]);
    await add('shardId-1', records.slice(2, 9));
    await add('shardId-1', records);
    await add('shardId-2', others.slice(1));
    expect(await rowOf()).toMatchObject({ requests: 15 });
  });

  it('adds a change as the difference exactly once, also when it is negative', async () => {
    const [first] = [record(1, { cost_usd: '5', pricing: 'unknown', output_tokens: 10 })];
    const changed = {
      ...first?.entry,
      cost_usd: '0.000000000003',
      pricing: 'table',
      output_tokens: 8,
    } as const;
    const records = [first ?? record(0), record(2, changed, first?.entry)];
    await add('shardId-1', records);
    await add('shardId-1', records.slice(1));
    expect(await rowOf()).toMatchObject({
      requests: 1,
      cost_usd: '0.000000000003',
      output_tokens: 8,
      l50: 1,
    });
  });

  it('moves the cost of a repriced entry out of the assumed costs', async () => {
    const other = record(1, { cost_usd: '0.1', pricing: 'assumed' });
    const before = record(2, { cost_usd: '0.000000000007', pricing: 'assumed' });
    const after = { ...before.entry, cost_usd: '0.2', pricing: 'table' } as const;
    await add('shardId-1', [other, before]);
    expect(await rowOf()).toMatchObject({ assumed_requests: 2, assumed_cost_usd: '0.100000000007' });
    await add('shardId-1', [record(3, after, before.entry)]);
    expect(await rowOf()).toMatchObject({
      requests: 2,
      cost_usd: '0.3',
      assumed_requests: 1,
      assumed_cost_usd: '0.1',
    });
  });

  it('moves totals to another row when a change affects the key', async () => {
    const before = record(1, { user_id: 'ada' });
    await add('shardId-1', [before, record(2, { ...before.entry, user_id: null }, before.entry)]);
    expect(await rowOf({ row: 'user_id#month#0', sk: '2026-01#3:ada#openai/7:default/gpt-4o' })).toEqual({
      requests: 0,
      'w#1': watermarkAt(2),
    });
    expect(await rowOf()).toMatchObject({ requests: 1 });
  });

  it('moves a request to the row of its service tier without a time at which groups exceed the totals', async () => {
    const written: string[] = [];
    const send = async (command: UpdateCommand) => {
      const { pk, sk } = command.input.Key ?? {};
      const isTotal = String(pk).split('#')[2] === 'totals';
      const requests = addedRequests(command.input);
      const response = await table.client.send(command);
      written.push(`${isTotal ? 'total' : 'group'} ${/openai.*$/.exec(String(sk))} ${requests}`);
      return response;
    };
    const placeholder = record(1, { service_tier: null, user_id: 'ada' });
    await add('shardId-1', [placeholder]);
    const entry = record(2, { ...placeholder.entry, service_tier: 'flex' }, placeholder.entry);
    const client = Object.create(table.client, { send: { value: send } });
    await createCostRollupWriter({ ...table, client }, now).add(
      'shardId-1',
      toRowUpdates([entry], () => [0]),
    );
    expect(written).toEqual([
      ...Array(4).fill('total openai/4:flex/gpt-4o 1'),
      ...Array(5).fill('group openai//gpt-4o -1'),
      ...Array(5).fill('group openai/4:flex/gpt-4o 1'),
      ...Array(4).fill('total openai//gpt-4o -1'),
      // These rows show the progress.
      'group openai//gpt-4o -1',
      'group openai/4:flex/gpt-4o 1',
    ]);
    expect(await rowOf({ sk: '2026-01#openai//gpt-4o' })).toMatchObject({ requests: 0, cost_usd: 0 });
    expect(await rowOf({ sk: '2026-01#openai/4:flex/gpt-4o' })).toMatchObject({ requests: 1 });
  });

  it('does not write rows that do not change, except those that store when their last entry was written', async () => {
    const before = record(1, { outcome: 'rejected', error_code: 'model_not_found' });
    const rowsOf = async (period: string) => rowOf({ row: `api_key#${period}#0`, sk: sortKeys[period] });
    const sortKeys: Record<string, string> = {
      month: '2026-01#20:key_AAAAAAAAAAAAAAAA#//',
      hour: '2026-01-31T23#20:key_AAAAAAAAAAAAAAAA#//',
    };
    await add('shardId-1', [before]);
    const hour = await rowsOf('hour');
    expect(await rowsOf('month')).toEqual({ ...hour, written_ms: startMs });
    const change = record(2, { ...before.entry, latency_ms: 1 }, before.entry);
    await add('shardId-1', [{ ...change, writtenAtMs: startMs + 7 }]);
    expect(await rowsOf('hour')).toEqual(hour);
    expect(await rowsOf('month')).toEqual({
      ...hour,
      'w#1': watermarkAt(2),
      written_ms: startMs + 7,
    });
  });

  it('keeps the latest write time, although entries reach the stream in another order', async () => {
    const row = { row: 'api_key#month#0', sk: '2026-01#20:key_AAAAAAAAAAAAAAAA#openai/7:default/gpt-4o' };
    const writtenAt = (number: number, ms: number) => ({ ...record(number), writtenAtMs: startMs + ms });
    await add('shardId-1', [writtenAt(1, 10), writtenAt(2, 9)]);
    expect(await rowOf(row)).toMatchObject({ requests: 2, written_ms: startMs + 10 });

    await add('shardId-1', [writtenAt(2, 9), writtenAt(3, 8)]);
    await add('shardId-2', [writtenAt(1, 7)]);
    const watermarks = { 'w#1': watermarkAt(3), 'w#2': watermarkAt(1) };
    expect(await rowOf(row)).toMatchObject({ requests: 4, written_ms: startMs + 10, ...watermarks });

    await add('shardId-1', [writtenAt(3, 8), writtenAt(4, 11)]);
    expect(await rowOf(row)).toMatchObject({ requests: 5, written_ms: startMs + 11 });
  });

  it('adds to all generations of a record', async () => {
    await add('shardId-1', [record(1)], [3, 4]);
    await add('shardId-1', [record(2)], [4]);
    await add('shardId-1', [record(3)], []);
    expect(await rowOf({ generation: 3 })).toMatchObject({ requests: 1 });
    expect(await rowOf({ generation: 4 })).toMatchObject({ requests: 2 });
    expect(await rowOf()).toEqual({});
  });

  it('adds copied totals only once', async () => {
    const key = {
      organizationId: organization,
      dimension: 'totals',
      period: 'month',
      writeShard: 0,
      periodStart: '2026-01',
      value: null,
      provider: 'openai',
      operation: 'chat.completions',
      serviceTier: 'default',
      model: 'gpt-4o',
    } as const;
    const totals = {
      ...noTotals,
      requests: 7,
      cost_usd: '0.7',
      assumed_requests: 3,
      assumed_cost_usd: '0.6',
    };
    const rows = [
      { generation: 0, key, additions: [{ sequenceNumber: '2026-01-05', totals, writtenAtMs: null }] },
    ];
    const writer = createCostRollupWriter(table, now);
    await writer.add('copy', rows);
    await writer.add('copy', rows);
    await add('shardId-1', [record(1)]);
    expect(await rowOf()).toMatchObject({
      requests: 8,
      cost_usd: '0.70472',
      assumed_cost_usd: '0.6',
      'w#copy': '102026-01-05',
    });
  });

  it('writes groups after all totals, so that no reader finds more in the groups', async () => {
    const written: string[] = [];
    const send = async (command: UpdateCommand) => {
      const response = await table.client.send(command);
      written.push(String(command.input.Key?.pk).split('#')[2] ?? '');
      return response;
    };
    const client = Object.create(table.client, { send: { value: send } });
    const records = [record(1, { user_id: 'ada' }), record(2, { model: 'b', session_id: 's' })];
    await createCostRollupWriter({ ...table, client }, now).add(
      'shardId-1',
      toRowUpdates(records, () => [0, 1]),
    );
    expect(written.slice(0, 16)).toEqual(Array(16).fill('totals'));
    expect(written.slice(16).sort()).toEqual([
      ...Array(12).fill('api_key'),
      ...Array(6).fill('session_id'),
      ...Array(6).fill('user_id'),
    ]);
  });

  it('sends at most 50 concurrent writes', async () => {
    let inFlight = 0;
    let maxInFlight = 0;
    const send = async (command: UpdateCommand) => {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      const response = await table.client.send(command);
      inFlight -= 1;
      return response;
    };
    const client = Object.create(table.client, { send: { value: send } });
    const records = Array.from({ length: 40 }, (_, index) => record(index + 1, { user_id: `user-${index}` }));
    await createCostRollupWriter({ ...table, client }, now).add(
      'shardId-1',
      toRowUpdates(records, () => [0]),
    );
    expect(maxInFlight).toBe(50);
    expect(await rowOf()).toMatchObject({ requests: 40 });
  });

  it('throws errors of the table', async () => {
    const missingTable = { ...table, tableName: 'NoSuchTable' };
    const adding = createCostRollupWriter(missingTable, now).add(
      'shardId-1',
      toRowUpdates([record(1)], () => [0]),
    );
    await expect(adding).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});

describe('Watermarks', () => {
  const watermarks = async () => Object.keys(await rowOf()).filter((name) => name.startsWith('w#'));

  it('removes watermarks with the next write to a row after their records have left the stream', async () => {
    await add('shardId-1', [record(1)]);
    await add('rebuild-0', [record(1)]);
    nowMs += 20 * hourMs;
    await add('shardId-2', [record(1)]);
    nowMs += 6 * hourMs;
    await add('shardId-3', [record(1)]);
    expect((await watermarks()).sort()).toEqual(['w#1', 'w#2', 'w#3', 'w#rebuild-0']);
    nowMs += hourMs;
    await add('shardId-3', [record(2)]);
    expect((await watermarks()).sort()).toEqual(['w#2', 'w#3', 'w#rebuild-0']);
    nowMs += 100 * hourMs;
    await add('shardId-4', [record(1)]);
    expect((await watermarks()).sort()).toEqual(['w#4', 'w#rebuild-0']);
    expect(await rowOf()).toMatchObject({ requests: 6 });
  });

  it('keeps a watermark that its shard updates before the removal', async () => {
    await add('shardId-1', [record(1)]);
    nowMs += 30 * hourMs;
    const send = async (command: UpdateCommand) => {
      // Updates the watermark after the write that found it expired, and before its removal.
      if (command.input.UpdateExpression?.startsWith('REMOVE')) await add('shardId-1', [record(2)]);
      return table.client.send(command);
    };
    const client = Object.create(table.client, { send: { value: send } });
    await createCostRollupWriter({ ...table, client }, now).add(
      'shardId-2',
      toRowUpdates([record(1)], () => [0]),
    );
    await add('shardId-1', [record(2)]);
    expect(await rowOf()).toMatchObject({ requests: 3 });
    expect((await watermarks()).sort()).toEqual(['w#1', 'w#2']);
  });
});
