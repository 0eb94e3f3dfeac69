import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  beginItemRecount,
  changeAmounts,
  createCounterItem,
  endItemRecount,
  setLimits,
} from '#lambdas/limits/counters/change.ts';
import { type CounterItem, periodsAt } from '#lambdas/limits/counters/counter.ts';
import { counterItemKey } from '#lambdas/limits/counters/keys.ts';
import { coverDeficits, rebalance } from '#lambdas/limits/counters/rebalance.ts';
import {
  releaseReservation,
  reserveAfterRelease,
  reserveFromItem,
} from '#lambdas/limits/counters/reservations.ts';
import { type BudgetCountersTable, findCounterItem, settleRecords } from '#lambdas/limits/counters/table.ts';
import type { TableUpdates } from '#lambdas/platform/dynamodb/table.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createMemoryClient, createMemoryTableUpdates } from '#test/support/dynamodb/memory/client.ts';
import { createMemoryTable } from '#test/support/dynamodb/memory/table.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { startCountersTable } from '../counters-table.ts';

let database: EmbeddedDynamoDB;
let embedded: BudgetCountersTable;
beforeAll(async () => {
  ({ database, budgetCounters: embedded } = await startCountersTable());
});
afterAll(() => database.stop());

interface Counter {
  table: BudgetCountersTable;
  calls: TableUpdates;
  keys: readonly string[];
}

const id = 'c';
const startMs = Date.UTC(2026, 10, 30, 23);
const usd = fc.integer({ min: 0, max: 400 }).map((cents) => String(cents / 100));
const minute = fc.integer({ min: 0, max: 240 });

/** An operation on one of the items, or on the counter. */
const step = fc.record({
  kind: fc.constantFrom(
    'reserve',
    'release',
    'settle',
    'begin recount',
    'end recount',
    'set limits',
    'change amounts',
    'rebalance',
    'cover deficits',
  ),
  index: fc.nat(1),
  /** The times of the operation and of its request. */
  atMinute: minute,
  requestMinute: minute,
  usd,
  otherUsd: usd,
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function itemsOf({ table, keys }: Counter): Promise<CounterItem[]> {
  const items = await Promise.all(keys.map((key) => findCounterItem(table, key)));
  return items.filter((item) => item !== null);
}

/** Resolves to the result of the operation. */
async function run(
  counter: Counter,
  { kind, index, usd, otherUsd, ...times }: Step,
  sequence: number,
): Promise<unknown> {
  const { table, keys, calls } = counter;
  const [nowMs, atMs] = [startMs + times.atMinute * 60_000, startMs + times.requestMinute * 60_000];
  const now = new Date(nowMs);
  const requests = { calls, tableName: table.tableName, now: () => now };
  const items = await itemsOf(counter);
  const item = items[index] ?? expect.fail();
  const ref = { itemKey: item.key, id };
  const period = periodsAt(atMs).month;
  switch (kind) {
    case 'reserve': {
      const refusing = await reserveFromItem(requests, ref, { usd, atMs });
      return refusing && reserveAfterRelease(requests, ref, refusing, { usd, atMs });
    }
    case 'release':
      return releaseReservation(requests, ref, { usd, atMs });
    case 'settle': {
      const settlement = { createdAtMs: atMs, writtenAtMs: nowMs, costUsd: otherUsd, reservedUsd: usd };
      const records = [{ ...settlement, isReplayed: false, sequenceNumber: String(sequence) }];
      return settleRecords(table, item, { source: 'shardId-00000000000000000001-0', records, now });
    }
    case 'begin recount':
      return beginItemRecount(table, item, nowMs);
    case 'end recount': {
      const costs = new Map([[period, usd]]);
      return endItemRecount(table, item, { fromMs: item.recountFromMs ?? nowMs, costs });
    }
    case 'set limits':
      return setLimits(table, item, { itemCount: keys.length, limits: { day: usd, month: otherUsd } }, now);
    case 'change amounts':
      return changeAmounts(table, { keys, id, amounts: { day: null, month: usd } }, now);
    case 'rebalance':
      return rebalance(table, { keys, id, period }, usd);
    case 'cover deficits':
      return coverDeficits(table, items, now);
    default:
      return kind satisfies never;
  }
}

let counters = 0;

/** The results of the steps, each with the items afterwards. */
async function resultsIn(
  table: BudgetCountersTable,
  calls: TableUpdates,
  keys: readonly string[],
  steps: readonly Step[],
) {
  for (const key of keys) await createCounterItem(table, { key, id, itemCount: keys.length, limitUsd: '2' });
  const results: unknown[] = [];
  for (const [index, one] of steps.entries()) {
    const result = await run({ table, calls, keys }, one, index);
    const reads = keys.map((key) =>
      table.client.send(new GetCommand({ TableName: table.tableName, Key: counterItemKey(key) })),
    );
    results.push({ result, items: (await Promise.all(reads)).map(({ Item }) => Item) });
  }
  return results;
}

it('changes counters in a table in memory as in the embedded DynamoDB', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const keys = [0, 1].map((index) => `org_${++counters}/${index}`);
      const memory = createMemoryTable(embedded.tableName, 'counter_key');
      const table = { client: createMemoryClient(memory), tableName: embedded.tableName };

      const inMemory = await resultsIn(table, createMemoryTableUpdates(memory), keys, steps);

      expect(inMemory).toEqual(await resultsIn(embedded, tableCallsAt(database.endpoint), keys, steps));
    }),
    { numRuns: byTestForm({ short: 40, long: 3000 }) },
  );
});
