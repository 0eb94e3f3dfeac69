import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  beginItemRecount,
  changeAmounts,
  createCounterItem,
  deleteCounterItem,
  endItemRecount,
  setLimits,
} from '#lambdas/limits/counters/change.ts';
import type { CounterItem } from '#lambdas/limits/counters/counter.ts';
import { rebalance } from '#lambdas/limits/counters/rebalance.ts';
import { type BudgetCountersTable, findCounterItem, settleRecords } from '#lambdas/limits/counters/table.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { startCountersTable } from '../counters-table.ts';

const now = new Date('2026-11-23T10:00:00Z');
const period = '2026-11';
const key = 'org_1/0';
const id = 'earlier';

let database: EmbeddedDynamoDB;
let table: BudgetCountersTable;
beforeAll(async () => {
  ({ database, budgetCounters: table } = await startCountersTable());
});
afterAll(() => database.stop());

const record = {
  sequenceNumber: '1',
  createdAtMs: now.getTime(),
  writtenAtMs: now.getTime(),
  costUsd: '1',
  pendingUsd: '0',
  isReplayed: false,
};

/** Each changes the counter, in the state that was read before it was replaced. */
const changes: Record<string, [change: (item: CounterItem) => Promise<unknown>, result: unknown]> = {
  'settles no records': [
    (item) => settleRecords(table, item, { source: 'shardId-1', records: [record], now }),
    null,
  ],
  'ends no recount': [
    (item) => endItemRecount(table, item, { fromMs: now.getTime(), costs: new Map() }),
    null,
  ],
  'sets no limits': [
    (item) => setLimits(table, item, { itemCount: 1, limits: { day: '1', month: '1' } }, now),
    false,
  ],
  'changes no amounts': [
    () => changeAmounts(table, { keys: [key], id, amounts: { day: '1', month: '1' } }, now),
    false,
  ],
  'moves no budget': [() => rebalance(table, { keys: [key], id, period }, '20'), false],
};

async function createItem(counterId: string): Promise<CounterItem> {
  const item = await createCounterItem(table, { key, id: counterId, itemCount: 1, limitUsd: '10' });
  await beginItemRecount(table, item, now.getTime());
  return (await findCounterItem(table, key)) ?? expect.fail('The item is missing');
}

it.each(Object.entries(changes))('%s of a counter that was replaced', async (_, [change, result]) => {
  const item = await createItem(id);
  const replacement = await createItem('later');

  expect(await change(item)).toBe(result);
  expect(await findCounterItem(table, key)).toEqual(replacement);
});

it.each(Object.entries(changes))('%s of a counter that was deleted', async (_, [change, result]) => {
  const item = await createItem(id);
  await deleteCounterItem(table, key);

  expect(await change(item)).toBe(result);
  expect(await findCounterItem(table, key)).toBe(null);
});
