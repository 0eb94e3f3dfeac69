import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { LogEntryFilter } from '#lambdas/reports/logs/query/query.ts';
import { createLogEntryReader, type LogEntryRange } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId } from '#lambdas/request-log/id.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import {
  createSdkLogEntryWriter,
  type LogEntriesTable,
} from '#lambdas/request-log/table/log-entries-table.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads, type ReadMeter } from '#test/support/dynamodb/read-meter.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
const dayMs = 86_400_000;
const retentionDays = 90;

let database: EmbeddedDynamoDB;
let table: LogEntriesTable;
let meter: ReadMeter;
let nowMs: number;
let organizations = 0;
let organizationId: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { logEntries } = await createTables(database);
  table = { client: database.documentClient, tableName: logEntries, now: () => new Date(nowMs) };
  meter = meterReads(database.client);
});
afterAll(() => database.stop());
beforeEach(() => {
  nowMs = startMs + dayMs;
  organizations += 1;
  organizationId = `org_${organizations}`;
});

async function write(...entries: Partial<LogEntry>[]): Promise<LogEntry[]> {
  const written = entries.map((fields) => logEntry({ organization_id: organizationId, ...fields }));
  await Promise.all(written.map(createSdkLogEntryWriter(table, retentionDays).put));
  meter.take();
  return written;
}

interface Range extends Partial<LogEntryRange> {
  before?: string | undefined;
}

const readPage = (filter: LogEntryFilter, { before, ...range }: Range = {}, pageSize = 100) =>
  createLogEntryReader(table).readPage(
    { organizationId, shard: 0, filter, window: allTime, ...range },
    before,
    pageSize,
  );

const idsOf = async (filter: LogEntryFilter, range?: Range) =>
  (await readPage(filter, range)).entries.map(({ id }) => id);

describe('find', () => {
  it('finds an entry by its id with one strongly consistent read', async () => {
    const [entry] = await write({
      id: createLogId(startMs, 200),
      prompt_id: 'p é 😀',
      cost_usd: '1234567.123456789012',
    });
    const id = entry?.id ?? '';

    expect(await createLogEntryReader(table).find(organizationId, id)).toEqual(entry);

    const reads = meter.take();
    expect(reads.map(({ units }) => units)).toEqual([1]);
    expect(reads[0]?.input).toMatchObject({
      Key: { organization_shard: `${organizationId}#200`, id },
      ConsistentRead: true,
    });
  });

  it('returns null for another organization or another id', async () => {
    const [entry] = await write({});
    const reader = createLogEntryReader(table);
    expect(await reader.find('org_other', entry?.id ?? '')).toBeNull();
    expect(await reader.find(organizationId, createLogId(startMs))).toBeNull();
    expect(await reader.find(organizationId, 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBeNull();
  });

  it('returns null for an expired entry that is still in the table', async () => {
    const [entry] = await write({ id: createLogId(startMs) });
    const find = () => createLogEntryReader(table).find(organizationId, entry?.id ?? '');
    nowMs = startMs + retentionDays * dayMs - 1;
    expect(await find()).toEqual(entry);
    nowMs += 1;
    expect(await find()).toBeNull();
  });
});

describe('readPage', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => createLogId(startMs + index));

  it('returns the entries of one shard of one organization, newest first', async () => {
    const [one, other] = await write(
      { id: createLogId(startMs), session_id: 's', cost_usd: '0.000000000001' },
      { id: createLogId(startMs + 1), model: null, provider: null, outcome: 'rejected', status: 400 },
      { id: createLogId(startMs + 2, 1) },
      { id: createLogId(startMs + 3), organization_id: 'org_other' },
    );
    expect(await readPage({})).toEqual({ entries: [other, one], lastEvaluatedId: null, scannedCount: 2 });
  });

  it('returns the last id that it has read, null on the last page, and the number of scanned items', async () => {
    const all = ids(5);
    const [entry0, entry1, , entry3, entry4] = await write(
      ...all.map((id, index) => ({ id, status: index === 2 ? 429 : 200 })),
    );
    const below = (before?: string) => readPage({ status: 200 }, { before }, 2);

    expect(await below()).toEqual({ entries: [entry4, entry3], lastEvaluatedId: all[3], scannedCount: 2 });
    expect(await below(all[3])).toEqual({ entries: [entry1], lastEvaluatedId: all[1], scannedCount: 2 });
    expect(await below(all[1])).toEqual({ entries: [entry0], lastEvaluatedId: null, scannedCount: 1 });
    expect(meter.take().map(({ evaluated }) => evaluated)).toEqual([2, 2, 1]);
  });

  it('reads within the window, with an inclusive start and an exclusive end', async () => {
    const all = ids(5);
    await write(...all.map((id) => ({ id })));
    const window = { startMs: startMs + 1, endMs: startMs + 4 };
    expect(await idsOf({}, { window })).toEqual([all[3], all[2], all[1]]);
    expect(await idsOf({}, { window: { startMs: startMs + 4, endMs: startMs + 5 } })).toEqual([all[4]]);
    meter.take();
    expect(await idsOf({}, { window: { startMs, endMs: startMs } })).toEqual([]);
    expect(meter.take()).toEqual([]);
  });

  it('continues below an id without reading it again, whether it exists or not', async () => {
    const all = ids(5);
    await write(...all.map((id) => ({ id })));
    const window = { startMs: startMs + 1, endMs: startMs + 4 };
    const below = (before: string | undefined) => idsOf({}, { window, before });
    expect(await below(all[3])).toEqual([all[2], all[1]]);
    expect(meter.take().map(({ evaluated }) => evaluated)).toEqual([2]);
    expect(await below(all[4])).toEqual([all[3], all[2], all[1]]);
    expect(await below('ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual([all[3], all[2], all[1]]);
    expect(await below(createLogId(startMs + 3).replace(/-7.*/, '-7000-8000-000000000000'))).toEqual([
      all[2],
      all[1],
    ]);
    meter.take();
    expect(await below(all[0])).toEqual([]);
    expect(await below('00000000-0000-0000-0000-000000000000')).toEqual([]);
    expect(meter.take()).toEqual([]);
  });

  it('continues between entries of the same millisecond', async () => {
    const all = Array.from({ length: 4 }, () => createLogId(startMs))
      .toSorted()
      .toReversed();
    await write(...all.map((id) => ({ id })));
    expect(await idsOf({}, { before: all[1] })).toEqual(all.slice(2));
  });

  it('omits expired entries that are still in the table', async () => {
    const all = ids(3);
    await write(...all.map((id) => ({ id, user_id: 'u' })));
    nowMs = startMs + retentionDays * dayMs - 1;
    expect(await idsOf({ user_id: 'u' })).toHaveLength(3);
    nowMs += 1;
    expect([await idsOf({}), await idsOf({ user_id: 'u' }), await idsOf({ model: 'gpt-4o' })]).toEqual([
      [],
      [],
      [],
    ]);
    const key = { organization_shard: `${organizationId}#0`, id: all[1] };
    await table.client.send(
      new UpdateCommand({
        TableName: table.tableName,
        Key: key,
        UpdateExpression: 'SET expires_at = :later',
        ExpressionAttributeValues: { ':later': Math.ceil(nowMs / 1000) + 1 },
      }),
    );
    expect(await idsOf({})).toEqual([all[1]]);
  });
});

describe('Choice of the index', () => {
  const allConditions = {
    session_id: 's',
    user_id: 'u',
    prompt_id: 'p',
    status: 429,
    model: 'm',
    provider: 'x',
    service_tier: 'flex é',
    operation: 'messages',
  } as const satisfies LogEntryFilter;

  const without = (...names: (keyof typeof allConditions)[]): LogEntryFilter =>
    Object.fromEntries(Object.entries(allConditions).filter(([name]) => !(names as string[]).includes(name)));

  it.each<[string | undefined, string, LogEntryFilter]>([
    ['by-session', 's', allConditions],
    ['by-user', 'u', without('session_id')],
    ['by-prompt', 'p', without('session_id', 'user_id')],
    ['by-status', '429', without('session_id', 'user_id', 'prompt_id')],
    ['by-model', 'm', { model: 'm', provider: 'x', status: 200 }],
    ['by-provider', 'x', { provider: 'x', status: 200, service_tier: 'flex é' }],
  ])('queries %s with the value %s for %j', async (index, value, filter) => {
    const matching = { ...allConditions, ...filter, id: createLogId(startMs, 3) };
    const [entry] = await write(matching);

    expect(await idsOf(filter, { shard: 3 })).toEqual([entry?.id]);

    const [read] = meter.take();
    expect(read?.input).toMatchObject({
      IndexName: index,
      ExpressionAttributeValues: { ':key': `${organizationId}#3#${value}` },
    });
  });

  it('queries the table when no condition has an index', async () => {
    await write({ id: createLogId(startMs) });
    const filters: LogEntryFilter[] = [
      {},
      { status: 200 },
      { service_tier: 'default' },
      { operation: 'chat.completions' },
    ];
    for (const filter of filters) {
      expect(await idsOf(filter)).toHaveLength(1);
      expect(meter.take().map(({ input }) => input.IndexName)).toEqual([undefined]);
    }
  });

  it('filters by all conditions that the index does not cover', async () => {
    const others: Partial<LogEntry>[] = [
      { session_id: 'other' },
      { user_id: null },
      { prompt_id: 'P' },
      { status: 500 },
      { status: 200 },
      { model: null },
      { provider: 'X' },
      { service_tier: 'flex' },
      { service_tier: null },
      { operation: 'chat.completions' },
      { operation: 'responses' },
    ];
    const [match] = await write(allConditions, ...others.map((other) => ({ ...allConditions, ...other })));
    const names = Object.keys(allConditions) as (keyof typeof allConditions)[];
    expect(await idsOf(allConditions)).toEqual([match?.id]);
    for (const name of names) {
      const differing = others.filter((other) => name in other).length;
      expect(await idsOf(without(name))).toHaveLength(1 + differing);
    }
  });

  it('filters by any operation, also by that which items do not name', async () => {
    const entries = await write(
      ...operations.map((operation) => ({ operation, session_id: 's', service_tier: 'chat.completions' })),
    );
    for (const [index, operation] of operations.entries()) {
      expect(await idsOf({ operation })).toEqual([entries[index]?.id]);
      expect(await idsOf({ operation, session_id: 's' })).toEqual([entries[index]?.id]);
    }
    expect(await idsOf({ operation: 'chat.completions', service_tier: 'flex' })).toEqual([]);
  });

  it('does not mix up values, organizations and shards that share a prefix', async () => {
    const [plain, longer] = await write(
      { id: createLogId(startMs, 1), user_id: 'a' },
      { id: createLogId(startMs + 1, 1), user_id: 'a#b' },
      { id: createLogId(startMs + 2, 11), user_id: 'a' },
      { id: createLogId(startMs + 3, 1), user_id: 'a', organization_id: `${organizationId}0` },
    );
    expect(shardOfLogId(plain?.id ?? '')).toBe(1);
    expect(await idsOf({ user_id: 'a' }, { shard: 1 })).toEqual([plain?.id]);
    expect(await idsOf({ user_id: 'a#b' }, { shard: 1 })).toEqual([longer?.id]);
    expect(await idsOf({ user_id: 'b' }, { shard: 1 })).toEqual([]);
  });
});

describe('readPage with an index of response ids', () => {
  let indexed: LogEntriesTable;
  beforeAll(async () => {
    await database.client.send(
      new UpdateTableCommand({
        TableName: table.tableName,
        AttributeDefinitions: [
          { AttributeName: 'organization_shard', AttributeType: 'S' },
          { AttributeName: 'response_id', AttributeType: 'S' },
        ],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: 'by-response-id',
              KeySchema: [
                { AttributeName: 'organization_shard', KeyType: 'HASH' },
                { AttributeName: 'response_id', KeyType: 'RANGE' },
              ],
              Projection: { ProjectionType: 'ALL' },
            },
          },
        ],
      }),
    );
    indexed = { ...table, indexesResponseIds: true };
  });

  const readIndexed = (filter: LogEntryFilter, { before, ...range }: Range = {}) =>
    createLogEntryReader(indexed).readPage(
      { organizationId, shard: 0, filter, window: allTime, ...range },
      before,
      100,
    );

  it('reads only entries with the id, in the order and the window of the range, that match the other filters', async () => {
    const response_id = 'chatcmpl-1';
    const idAt = (second: number) => createLogId(startMs + second * 1000);
    const ids = [1, 2, 3, 4].map(idAt);
    await write(
      ...ids.map((id) => ({ id, response_id })),
      { id: idAt(5), response_id, model: 'other' },
      { id: idAt(6), response_id: 'chatcmpl-10' },
      { id: createLogId(startMs, 1), response_id },
      { id: idAt(7), response_id, organization_id: `${organizationId}_other` },
      ...Array.from({ length: 20 }, () => ({ id: idAt(8) })),
    );
    const window = { startMs: startMs + 2000, endMs: startMs + 4000 };
    const filter = { response_id, model: 'gpt-4o' };

    const all = await readIndexed(filter);
    const page = (range: Range) =>
      readIndexed({ response_id }, range).then(({ entries }) => entries.map(({ id }) => id));

    expect(all.entries.map(({ id }) => id)).toEqual(ids.toReversed());
    expect([all.lastEvaluatedId, all.scannedCount]).toEqual([null, 5]);
    expect(await page({ window })).toEqual([ids[2], ids[1]]);
    expect(await page({ window, direction: 'asc' })).toEqual([ids[1], ids[2]]);
    expect(await page({ window, before: ids[2] })).toEqual([ids[1]]);
  });

  it('reads in the order of time if a server gives the same id to many responses', async () => {
    const entries = await write(
      ...Array.from({ length: 120 }, (_, index) => ({
        id: createLogId(startMs + index),
        response_id: 'chatcmpl-0',
      })),
    );
    const newest = entries.map(({ id }) => id).toReversed();

    const page = await readIndexed({ response_id: 'chatcmpl-0' });

    expect(page.entries.map(({ id }) => id)).toEqual(newest.slice(0, 100));
    expect(page.lastEvaluatedId).toBe(newest[99]);
  });
});
