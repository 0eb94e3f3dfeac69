import { afterAll, beforeAll, expect, it } from 'vitest';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import {
  createSdkLogEntryWriter,
  type LogEntriesTable,
} from '#lambdas/request-log/table/log-entries-table.ts';
import { type LogEntryPagesRange, readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads, type ReadMeter } from '#test/support/dynamodb/read-meter.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { logEntry } from '#test/support/log-entries.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
const dayMs = 86_400_000;

let database: EmbeddedDynamoDB;
let table: LogEntriesTable;
let meter: ReadMeter;
let nowMs = startMs + dayMs;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { logEntries } = await createTables(database);
  table = { client: database.documentClient, tableName: logEntries, now: () => new Date(nowMs) };
  meter = meterReads(database.client);
});
afterAll(() => database.stop());

async function write(organizationId: string, shards: number[]) {
  const entries = shards.map((shard, index) =>
    logEntry({ id: createLogId(startMs + index, shard), organization_id: organizationId }),
  );
  await Promise.all(entries.map(createSdkLogEntryWriter(table, 90).put));
  meter.take();
  return entries;
}

const read = async (range: Partial<LogEntryPagesRange> & { organizationId: string }) =>
  (await Array.fromAsync(readLogEntryPages(table, { shard: 0, window: allTime, ...range }))).flat();

it('reads the entries of a shard oldest first, with their write time and strong consistency', async () => {
  const [first, , third] = await write('org_shard', [0, 1, 0]);
  expect(await read({ organizationId: 'org_shard' })).toEqual([
    { entry: first, writtenAtMs: nowMs },
    { entry: third, writtenAtMs: nowMs },
  ]);
  expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true]);
});

it('reads within a window (inclusive start, exclusive end) and resumes after an id', async () => {
  const organizationId = 'org_window';
  const ids = (await write(organizationId, [0, 0, 0, 0])).map(({ id }) => id);
  const idsOf = async (range: Partial<LogEntryPagesRange>) =>
    (await read({ organizationId, ...range })).map(({ entry }) => entry.id);
  const window = { startMs: startMs + 1, endMs: startMs + 3 };
  expect(await idsOf({ window })).toEqual([ids[1], ids[2]]);
  expect(await idsOf({ window, after: ids[0] })).toEqual([ids[1], ids[2]]);
  expect(await idsOf({ window, after: ids[1] })).toEqual([ids[2]]);
  expect(await idsOf({ window, after: ids[2] })).toEqual([]);
  expect(await idsOf({ window, after: ids[3] })).toEqual([]);
  expect(await idsOf({ window: { startMs, endMs: startMs } })).toEqual([]);
});

it('reads all pages of a shard that is larger than 1 MB', async () => {
  const organizationId = 'org_large';
  const longText = 'e'.repeat(100_000);
  const entries = Array.from({ length: 12 }, (_, index) =>
    logEntry({ id: createLogId(startMs + index), organization_id: organizationId, error_code: longText }),
  );
  await Promise.all(entries.map(createSdkLogEntryWriter(table, 90).put));
  meter.take();
  expect((await read({ organizationId })).map(({ entry }) => entry.id)).toEqual(entries.map(({ id }) => id));
  expect(meter.take().length).toBeGreaterThan(1);
});

it('omits expired entries that are still in the table', async () => {
  const organizationId = 'org_expired';
  await write(organizationId, [0]);
  nowMs = startMs + 90 * dayMs - 1;
  expect(await read({ organizationId })).toHaveLength(1);
  nowMs += 1;
  expect(await read({ organizationId })).toEqual([]);
});

it('reports the number of scanned items of each page, including expired ones', async () => {
  const organizationId = 'org_scanned';
  await write(organizationId, [0, 0, 0, 0, 0]);
  nowMs = startMs + 90 * dayMs + 1000;
  const scanned: number[] = [];
  const range = { organizationId, pageSize: 2, onScanned: (count: number) => void scanned.push(count) };
  expect(await read(range)).toEqual([]);
  expect(scanned).toEqual([2, 2, 1]);
});
