import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { findCountedUntil } from '#lambdas/costs/rollups/state.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

const createdMs = Date.UTC(2026, 0, 31, 9, 30);
const generation = { generation: 0, cutoverMs: 0 };

let database: EmbeddedDynamoDB;
let table: CostRollupsTable;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  table = await createRollupsTable(database);
});
afterAll(() => database.stop());

let organizations = 0;

/** Entries of one organization that are written at these times after the first; `count` counts them in the given order. */
function createEntries() {
  const organization_id = `org_${++organizations}`;
  let records = 0;
  const handler = rollupFunction({ table, now: () => new Date(createdMs) });
  return {
    create: (
      writtenAfterMs: number,
      { shard = 0, ...fields }: Partial<LogEntry> & { shard?: number } = {},
    ) => ({
      entry: logEntry({ id: createLogId(createdMs, shard), organization_id, ...fields }),
      writtenAtMs: createdMs + writtenAfterMs,
    }),
    async count(...entries: { entry: LogEntry; writtenAtMs: number }[]) {
      const Records = entries.map(({ entry, writtenAtMs }) => streamRecord(entry, ++records, writtenAtMs));
      await handler({ shardId: 'shardId-1', Records });
    },
  };
}

it('returns null until the entry has been counted, then when the last entry of its row was written', async () => {
  const { create, count } = createEntries();
  const [first, second, third] = [create(100), create(2000), create(7000)];
  expect(await findCountedUntil(table, generation, first)).toBeNull();

  await count(first, second);
  expect(await findCountedUntil(table, generation, first)).toBe(createdMs + 2000);
  expect(await findCountedUntil(table, generation, second)).toBe(createdMs + 2000);
  expect(await findCountedUntil(table, generation, third)).toBeNull();
});

it.each<[string, Partial<LogEntry> & { shard?: number }]>([
  ['another log shard', { shard: 1 }],
  ['another API key', { api_key_id: 'key_2' }],
  ['another model', { model: 'b' }],
  ['another service tier', { service_tier: null }],
  ['another operation', { operation: 'embeddings' }],
  ['a rejected request', { outcome: 'rejected', error_code: 'model_not_found' }],
])('returns null while only an entry of %s has been counted', async (_, fields) => {
  const { create, count } = createEntries();
  const other = create(2000, fields);
  await count(other);
  expect(await findCountedUntil(table, generation, create(100))).toBeNull();
  expect(await findCountedUntil(table, generation, other)).toBe(createdMs + 2000);
});

it('returns null for an entry that has changed after it was counted', async () => {
  const { create, count } = createEntries();
  const stored = create(100);
  await count(stored);
  expect(await findCountedUntil(table, generation, { ...stored, writtenAtMs: createdMs + 101 })).toBeNull();
});

it('takes entries from before the cutover as counted by the rebuild, and later ones from the rows of the generation', async () => {
  const { create, count } = createEntries();
  const rebuilt = { generation: 1, cutoverMs: createdMs + 1000 };
  const [before, after] = [create(999), create(1000)];
  await count(before, after);
  expect(await findCountedUntil(table, rebuilt, before)).toBe(rebuilt.cutoverMs);
  expect(await findCountedUntil(table, rebuilt, after)).toBeNull();
});

it('returns the write time of an entry that has no rows', async () => {
  const { create } = createEntries();
  const unnamed = create(100, { model: null });
  expect(await findCountedUntil(table, generation, unnamed)).toBe(unnamed.writtenAtMs);
});

it('uses one consistent read', async () => {
  const meter = meterReads(database.client);
  await findCountedUntil(table, generation, createEntries().create(100));
  expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true]);
});
