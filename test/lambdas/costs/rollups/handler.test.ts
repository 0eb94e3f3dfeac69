import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createRollupHandler,
  type RollupDependencies,
  type RollupHandler,
} from '#lambdas/costs/rollups/handler.ts';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { createQuarantine } from '#lambdas/costs/rollups/quarantine.ts';
import { toRollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import { findRollupState, stateKey } from '#lambdas/costs/rollups/state.ts';
import { addTotals, noTotals } from '#lambdas/costs/rollups/totals.ts';
import { createCostRollupWriter } from '#lambdas/costs/rollups/writer.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { collectLogLines } from '#test/support/log-lines.ts';
import { noCounters } from '#test/support/reports/rollup-function.ts';

const shardId = 'shardId-7';
const writtenAtMs = Date.UTC(2026, 0, 31, 9, 30, 5);
const emptyResponse = { state: {} };

let database: EmbeddedDynamoDB;
let table: CostRollupsTable;
let handler: RollupHandler;
let organizations = 0;
let organization_id = '';
const now = () => new Date(writtenAtMs);
const statesRead: string[] = [];
const calls: string[] = [];
let sent: { shardId: string; record: DynamoDBRecord }[] = [];
let logged: unknown[] = [];
let published: string[][] = [];
let dependencies: RollupDependencies;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  table = await createRollupsTable(database);
  const quarantine = createQuarantine(table, now);
  const rollupWriter = createCostRollupWriter(table, now);
  dependencies = {
    rollupWriter: {
      ...rollupWriter,
      async add(...addition) {
        calls.push('add');
        await rollupWriter.add(...addition);
      },
    },
    quarantine: {
      find: quarantine.find,
      async add(shardId, sequenceNumbers) {
        calls.push(`quarantine ${sequenceNumbers}`);
        await quarantine.add(shardId, sequenceNumbers);
      },
    },
    deadLetters: {
      async send(shardId, records) {
        calls.push(`send ${records.length}`);
        sent.push(...records.map((record) => ({ shardId, record })));
      },
    },
    readRecord: toRollupRecord,
    findCounters: async () => noCounters,
    async removeMarks(records) {
      calls.push(`remove marks of ${records.length}`);
    },
    findState(organizationId) {
      statesRead.push(organizationId);
      return findRollupState(table, organizationId);
    },
    publishMetrics(records) {
      calls.push('publish');
      published.push(records.map(({ sequenceNumber }) => sequenceNumber));
    },
    log: collectLogLines((line) => logged.push(JSON.parse(line))),
  };
  handler = createRollupHandler(dependencies);
});
beforeEach(() => {
  organization_id = `org_${++organizations}`;
  statesRead.length = 0;
  calls.length = 0;
  sent = [];
  logged = [];
  published = [];
});
afterAll(() => database.stop());

const image = (entry: LogEntry, atMs = writtenAtMs) =>
  marshall(toItem(entry, { writtenAtMs: atMs, expiresAtSeconds: 0 })) as NonNullable<
    DynamoDBRecord['dynamodb']
  >['NewImage'];

function inserted(
  sequenceNumber: number,
  fields: Partial<LogEntry> = {},
  atMs = writtenAtMs,
): DynamoDBRecord {
  const entry = logEntry({ organization_id, ...fields });
  return {
    eventID: `event-${sequenceNumber}`,
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: String(sequenceNumber),
      ApproximateCreationDateTime: Math.floor(atMs / 1000),
      NewImage: image(entry, atMs) ?? {},
    },
  };
}

async function count(generation = 0, organizationId = organization_id) {
  const range = { organizationId, generation, dimension: 'totals', period: 'month', writeShards: 1 } as const;
  const rollups = await Array.fromAsync(createCostRollupReader(table).read({ ...range, window: allTime }));
  return rollups.map(({ totals }) => totals).reduce(addTotals, noTotals);
}

describe('createRollupHandler', () => {
  it('counts new entries, and the difference of changed entries', async () => {
    const entry = logEntry({ organization_id, cost_usd: '0', pricing: 'unknown' });
    const priced: LogEntry = { ...entry, cost_usd: '0.25', pricing: 'table' };
    const change: DynamoDBRecord = {
      eventName: 'MODIFY',
      dynamodb: { SequenceNumber: '11', OldImage: image(entry) ?? {}, NewImage: image(priced) ?? {} },
    };
    await handler({ shardId, Records: [inserted(9), inserted(10, entry)] });
    expect(await count()).toMatchObject({ requests: 2, cost_usd: '0.00472', unpriced_requests: 1 });
    expect(await handler({ shardId, Records: [change] })).toEqual(emptyResponse);
    expect(await handler({ shardId, Records: [change] })).toEqual(emptyResponse);
    expect(await count()).toMatchObject({ requests: 2, cost_usd: '0.25472', unpriced_requests: 0 });
  });

  it('counts an entry with assumed costs whose values are as long as the gateway accepts', async () => {
    // 256 bytes of metadata and of the model, and 32 characters of the tier, of up to three bytes each.
    const text = '模'.repeat(85);
    const entry: Partial<LogEntry> = {
      prompt_id: text,
      session_id: text,
      user_id: text,
      model: text,
      operation: 'embeddings',
      service_tier: '模'.repeat(32),
      pricing: 'assumed',
      cost_usd: '999999999999999.000000000001',
    };
    await handler({ shardId, Records: [inserted(50, entry)] });
    expect(sent).toEqual([]);
    expect(await count()).toMatchObject({
      requests: 1,
      assumed_requests: 1,
      assumed_cost_usd: '999999999999999.000000000001',
    });
  });

  it('reads the state of each organization once per invocation', async () => {
    const other = `${organization_id}b`;
    const put = (state: object) =>
      table.client.send(
        new PutCommand({ TableName: table.tableName, Item: { ...stateKey(organization_id), ...state } }),
      );
    const Records = [1, 2, 3].map((number) => inserted(number, {}, writtenAtMs + number));
    await handler({ shardId, Records: [...Records, inserted(4, { organization_id: other })] });
    expect(statesRead).toEqual([organization_id, other]);

    await put({ generation: 0, rebuild: { generation: 1, from_ms: writtenAtMs + 12 } });
    const laterRecords = [11, 12, 13].map((number) => inserted(number, {}, writtenAtMs + number));
    await handler({ shardId, Records: laterRecords });
    expect([(await count(0)).requests, (await count(1)).requests]).toEqual([6, 2]);

    // The rebuild has counted all earlier writes, so late records of these are skipped.
    await put({ generation: 1, from_ms: writtenAtMs + 12 });
    await handler({
      shardId,
      Records: [inserted(21, {}, writtenAtMs + 11), inserted(22, {}, writtenAtMs + 12)],
    });
    expect([(await count(0)).requests, (await count(1)).requests]).toEqual([6, 3]);
    expect((await count(0, other)).requests).toBe(1);
  });

  it('ignores the invocation that ends a tumbling window', async () => {
    expect(await handler({ Records: [] })).toEqual(emptyResponse);
  });

  it('rejects an event without a shardId, since it could not detect redelivered records', async () => {
    await expect(handler({ Records: [inserted(1)] })).rejects.toThrow('configure a tumbling window');
  });

  it('throws when the table is unavailable, so that Lambda retries the batch', async () => {
    const rollupWriter = createCostRollupWriter({ ...table, tableName: 'NoSuchTable' }, now);
    const failing = createRollupHandler({ ...dependencies, rollupWriter });
    const failure = { name: 'ResourceNotFoundException' };
    await expect(failing({ shardId, Records: [inserted(1)] })).rejects.toMatchObject(failure);
    expect(published).toEqual([]);
  });
});

describe('createRollupHandler with unreadable records', () => {
  let shard = shardId;
  beforeEach(() => {
    // Each test uses a shard without quarantined records.
    shard = `${shardId}-${organization_id}`;
  });
  const withRecord = (third: NonNullable<DynamoDBRecord['dynamodb']>, eventName: 'INSERT' | 'MODIFY') =>
    [1, 2, 3, 4]
      .map((number) => inserted(number))
      .with(2, {
        eventID: 'event-3',
        eventName,
        dynamodb: { SequenceNumber: '3', ApproximateCreationDateTime: writtenAtMs / 1000, ...third },
      });
  const entry = inserted(3, { organization_id: 'org_AAAAAAAAAAAAAAAA' }).dynamodb?.NewImage ?? {};
  const withoutTime = { ...entry };
  delete withoutTime.written_at;
  const tooPreciseCost = { ...entry, cost_usd: { N: '0.0000000000001' } };
  const longTier = { ...entry, service_tier: { S: 't'.repeat(1001) } };
  const longModel = { ...entry, model_key: { S: `${entry.organization_shard?.S}#${'m'.repeat(1001)}` } };

  it.each([
    ['has no image', {}, 'INSERT', 'Error'],
    ['is not a log entry', { NewImage: { id: { S: 'secret' } } }, 'INSERT', 'Error'],
    ['has no write time', { NewImage: withoutTime }, 'INSERT', 'Error'],
    ['is a change without an old image', { NewImage: entry }, 'MODIFY', 'Error'],
    ['has a cost with more than 12 decimals', { NewImage: tooPreciseCost }, 'INSERT', 'RangeError'],
    [
      'has a cost with more than 15 integer digits',
      { NewImage: { ...entry, cost_usd: { N: '1e30' } } },
      'INSERT',
      'Error',
    ],
    [
      'had a cost with more than 12 decimals before the change',
      { NewImage: entry, OldImage: tooPreciseCost },
      'MODIFY',
      'RangeError',
    ],
    [
      'has a token count of type string',
      { NewImage: { ...entry, input_tokens: { S: 'many' } } },
      'INSERT',
      'Error',
    ],
    [
      'has a token count that is not a safe integer',
      { NewImage: { ...entry, output_tokens: { N: '1e38' } } },
      'INSERT',
      'Error',
    ],
    ['has a service tier that is too long for a key', { NewImage: longTier }, 'INSERT', 'Error'],
    ['has a model name that is too long for a key', { NewImage: longModel }, 'INSERT', 'Error'],
    [
      'has an empty organization id',
      { NewImage: { ...entry, organization_id: { S: '' } } },
      'INSERT',
      'Error',
    ],
    [
      'has an organization id that is too long for a key',
      { NewImage: { ...entry, organization_id: { S: 'o'.repeat(1025) } } },
      'INSERT',
      'Error',
    ],
  ] as const)(
    'sends a record that %s to the dead-letter queue, and counts the rest of its batch',
    async (...row) => {
      const [, third, eventName, name] = row;
      const Records = withRecord(third, eventName);
      expect(await handler({ shardId: shard, Records })).toEqual(emptyResponse);
      expect((await count()).requests).toBe(3);
      expect(sent).toEqual([{ shardId: shard, record: Records[2] }]);
      expect(logged).toEqual([
        {
          timestamp: expect.any(String),
          level: 'ERROR',
          event: 'unreadable_record',
          request_id: null,
          function_version: '1',
          event_id: 'event-3',
          sequence_number: '3',
          error: name,
          code: null,
          // A file and line of the gateway, or null.
          at: expect.toSatisfy((at) => at === null || /^[\w.-]+:\d+:\d+$/.test(at)),
        },
      ]);
    },
  );

  it('quarantines a record before adding the rest of its batch, and then sends it and publishes metrics of the rest', async () => {
    await handler({ shardId: shard, Records: withRecord({}, 'INSERT') });
    expect(calls).toEqual(['quarantine 3', 'add', 'remove marks of 3', 'send 1', 'publish']);
    expect(published).toEqual([['1', '2', '4']]);
  });

  it('keeps a record quarantined and sends it again when redelivered to a version that can read it', async () => {
    await handler({ shardId: shard, Records: withRecord({}, 'INSERT') });
    const Records = [1, 2, 3, 4].map((number) => inserted(number));
    expect(await handler({ shardId: shard, Records })).toEqual(emptyResponse);
    expect((await count()).requests).toBe(3);
    expect(sent.map(({ record }) => record)).toEqual([withRecord({}, 'INSERT')[2], Records[2]]);
    expect(calls.slice(5)).toEqual(['quarantine ', 'add', 'remove marks of 3', 'send 1', 'publish']);
    expect(published.at(-1)).toEqual(['1', '2', '4']);
    expect(logged).toHaveLength(1);
  });

  it('quarantines a record only in its own shard', async () => {
    await handler({ shardId: shard, Records: withRecord({}, 'INSERT') });
    await handler({ shardId: `${shard}b`, Records: [inserted(3)] });
    expect((await count()).requests).toBe(4);
  });

  it('fails the batch while the queue is unavailable, without counting anything twice', async () => {
    const send = () => Promise.reject(new Error('The queue is unavailable'));
    const failing = createRollupHandler({ ...dependencies, deadLetters: { send } });
    const Records = withRecord({}, 'INSERT');
    await expect(failing({ shardId: shard, Records })).rejects.toThrow('The queue is unavailable');
    expect(published).toEqual([]);
    expect(await handler({ shardId: shard, Records })).toEqual(emptyResponse);
    expect((await count()).requests).toBe(3);
    expect(sent).toHaveLength(1);
  });
});
