/** The read units that log pages consume, as counted by the embedded database. */
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLogPage } from '#lambdas/reports/logs/page.ts';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads, type ReadMeter } from '#test/support/dynamodb/read-meter.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
const count = 2000;

let database: EmbeddedDynamoDB;
let tableName: string;
let meter: ReadMeter;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tableName = (await createTables(database)).logEntries;
  // The embedded database slows down with the length of the stream, which this test does not need.
  await database.client.send(
    new UpdateTableCommand({ TableName: tableName, StreamSpecification: { StreamEnabled: false } }),
  );
  meter = meterReads(database.client);
  for (const shards of [1, 4]) await write(shards);
});
afterAll(() => database.stop());

async function write(shards: number) {
  const items = Array.from({ length: count }, (_, index) => {
    const fields: Partial<LogEntry> = {
      id: createLogId(startMs + index, index % shards),
      organization_id: `org_${shards}`,
      user_id: Math.floor(index / shards) % 2 === 0 ? 'ada' : 'bob',
      status: Math.floor(index / shards) % 10 === 0 ? 429 : 200,
    };
    return toItem(logEntry(fields), { writtenAtMs: startMs, expiresAtSeconds: 2 ** 32 });
  });
  for (let from = 0; from < count; from += 25) {
    const requests = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await database.documentClient.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
  }
}

async function read(shards: number, parameters: Record<string, string | number>) {
  meter.take();
  const raw = Object.entries(parameters).map(([name, value]) => [name, [String(value)]]);
  const query = parseLogQuery(`org_${shards}`, Object.fromEntries(raw));
  const { dependencies } = memoryRollups({ nowMs: startMs });
  const logEntries = createLogEntryReader({
    client: database.documentClient,
    tableName,
    now: dependencies.now,
  });
  const page = await readLogPage({ ...dependencies, logEntries }, query, { shards, cursorKey: 'a2V5' });
  const reads = meter.take();
  const sum = (field: (read: (typeof reads)[number]) => number) =>
    reads.reduce((total, each) => total + field(each), 0);
  return {
    cursor: page.nextCursor ?? '',
    listed: page.entries.length,
    reads: reads.length,
    evaluated: sum(({ evaluated }) => evaluated),
    units: sum(({ units }) => units),
  };
}

describe.each([1, 4])('Pages of %i shards', (shards) => {
  it.each<[string, Record<string, string>]>([
    ['no conditions', {}],
    ['a user', { user_id: 'ada' }],
    ['a status', { status: '429' }],
    ['a model with provider', { model: 'openai/gpt-4o' }],
    ['a user and a status', { user_id: 'ada', status: '200' }],
  ])('consumes the same units at any depth with %s', async (_, conditions) => {
    const limit = 15;
    const first = await read(shards, { ...conditions, limit });
    let { cursor } = first;
    const units = new Set<number>();
    for (let page = 0; page < 8; page += 1) {
      const next = await read(shards, { ...conditions, limit, cursor });
      expect(next.listed).toBe(limit);
      units.add(next.units);
      cursor = next.cursor;
    }
    expect([...units]).toEqual([first.units]);
  });

  it('consumes the same units after 1,500 entries as at the newest entry', async () => {
    const first = await read(shards, { limit: 100 });
    const skipped = await read(shards, { limit: 500, offset: 1000 });
    const next = await read(shards, { limit: 100, cursor: skipped.cursor });
    expect([next.listed, next.units, next.reads]).toEqual([100, first.units, shards]);
  });
});

describe('Read units of a page', () => {
  it('consumes the units of the listed entries, and little more for each shard', async () => {
    const [one, four] = [await read(1, { limit: 100 }), await read(4, { limit: 100 })];
    expect([one.evaluated, four.evaluated]).toEqual([101, 4 * 34]);
    expect([one.units, four.units]).toEqual([8, 4 * 3]);
  });

  it('also scans the entries that an offset skips', async () => {
    const { evaluated, listed } = await read(1, { limit: 100, offset: 1500 });
    expect([evaluated, listed]).toEqual([1601, 100]);
  });
});
