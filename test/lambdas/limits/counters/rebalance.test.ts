import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  beginItemRecount,
  createCounterItem,
  endItemRecount,
  setLimits,
} from '#lambdas/limits/counters/change.ts';
import { remainingOf, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { coverDeficits, rebalance } from '#lambdas/limits/counters/rebalance.ts';
import { type BudgetCountersTable, findCounterItem } from '#lambdas/limits/counters/table.ts';
import { changedAfter } from '#test/lambdas/access/directory-fixture.ts';
import type { EmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { startCountersTable } from '../counters-table.ts';
import { leaseInItem } from '../lease-in-item.ts';

const period = '2026-11';
const atMs = Date.UTC(2026, 10, 23);
const now = new Date('2026-11-23T23:59:00Z');

let database: EmbeddedDynamoDB;
let budgetCounters: BudgetCountersTable;
let organizations = 0;
beforeAll(async () => {
  ({ database, budgetCounters } = await startCountersTable());
});
afterAll(() => database.stop());

/** Items with a limit of 10 each, of which so much is spent. Those without costs do not have the period yet. */
async function createItems(spent: readonly string[]): Promise<string[]> {
  const organizationId = `org_${++organizations}`;
  const keys = spent.map((_, shard) => counterKey({ organizationId, keyId: null }, shard));
  for (const [shard, key] of keys.entries()) {
    const item = await createCounterItem(budgetCounters, {
      key,
      id: 'c',
      itemCount: spent.length,
      limitUsd: '10',
    });
    await beginItemRecount(budgetCounters, item, atMs);
    const cost = spent[shard] ?? '0';
    const costs = new Map(cost === '0' ? [] : [[period, cost]]);
    await endItemRecount(budgetCounters, { ...item, recountFromMs: atMs }, { fromMs: atMs, costs });
  }
  return keys;
}

const lease = (itemKey: string, usd: string, leasedAtMs: number) =>
  leaseInItem({ ...budgetCounters, endpoint: database.endpoint }, itemKey, { usd, atMs: leasedAtMs });
const readItems = (keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await findCounterItem(budgetCounters, key)) ?? expect.fail()));
const remainingByItem = async (keys: readonly string[], ofPeriod = period) =>
  (await readItems(keys)).map((item) => Number(remainingOf(item, ofPeriod)));

it.each([
  { limit: '30', spent: ['6', '2', '10'], remaining: [4, 4, 4] },
  { limit: '31', spent: ['6', '2', '10'], remaining: [4.333333333334, 4.333333333333, 4.333333333333] },
  { limit: '36', spent: ['9', '9', '9'], remaining: [3, 3, 3] },
  { limit: '12', spent: ['6', '0', '0'], remaining: [2, 2, 2] },
  { limit: '12', spent: ['14', '0', '0'], remaining: [-2, 0, 0] },
  { limit: '8', spent: ['3', '9', '1'], remaining: [-5, 0, 0] },
  { limit: '30', spent: ['8', '14', '17'], remaining: [0, -3, -6] },
  // An item keeps its debt: otherwise it would admit what settlements return to it.
  { limit: '27', spent: ['8', '14', '17'], remaining: [-1, -4, -7] },
  { limit: '27', spent: ['14', '8', '17'], remaining: [-5, 0, -7] },
])('divides a limit of $limit equally after $spent were spent', async ({ limit, spent, remaining }) => {
  const keys = await createItems(spent);

  expect(await rebalance(budgetCounters, { keys, id: 'c', period }, limit)).toBe(true);

  expect(await remainingByItem(keys)).toEqual(remaining);
});

it('leaves the remaining budget of a day as it is while requests of the day before have reservations', async () => {
  const keys = await createItems(['0']);
  await lease(keys[0] ?? expect.fail(), '2', Date.parse('2026-11-23T23:59:59Z'));
  await lease(keys[0] ?? expect.fail(), '3', Date.parse('2026-11-24T00:00:00Z'));

  await rebalance(budgetCounters, { keys, id: 'c', period: '2026-11-24' }, '10');

  expect(await remainingByItem(keys, '2026-11-24')).toEqual([7]);
});

it('takes from no item what requests have reserved in the meantime', async () => {
  const keys = await createItems(['0', '0']);
  const [first = expect.fail(), second = expect.fail()] = keys;
  // Each time, both items have been read.
  const busy = changedAfter(budgetCounters, { operation: 'GetCommand', call: 2 }, () =>
    lease(first, '9', atMs),
  );
  const busier = changedAfter(busy, { operation: 'GetCommand', call: 4 }, () => lease(second, '2', atMs));

  expect(await rebalance(busier, { keys, id: 'c', period }, '12')).toBe(true);

  expect(await remainingByItem(keys)).toEqual([0.5, 0.5]);
});

it('adds an amount once although each response is lost and each write repeated', async () => {
  const keys = await createItems(['9', '9', '9']);
  const remaining: number[][] = [];
  const send = async (command: UpdateCommand) => {
    if (!(command instanceof UpdateCommand)) return budgetCounters.client.send(command);
    await budgetCounters.client.send(command);
    const repeated = await budgetCounters.client.send(command).catch((error) => error);
    remaining.push(await remainingByItem(keys));
    if (repeated instanceof Error) throw repeated;
    return repeated;
  };
  const client: typeof budgetCounters.client = Object.assign(Object.create(budgetCounters.client), { send });

  await rebalance({ ...budgetCounters, client }, { keys, id: 'c', period }, '36');

  expect(remaining).toEqual([
    [3, 1, 1],
    [3, 3, 1],
    [3, 3, 3],
  ]);
});

it('changes the remaining budget of a period that begins within a minute only when it is divided', async () => {
  const [day, next] = ['2026-11-24', '2026-11-25'];
  const keys = await createItems(['0', '0']);
  const limits = { day: '3', month: '3' };
  for (const item of await readItems(keys))
    await setLimits(budgetCounters, item, { itemCount: 2, limits }, now);

  // Its requests may arrive meanwhile at machines whose clocks are ahead.
  expect(await remainingByItem(keys, day)).toEqual([10, 10]);
  expect(await remainingByItem(keys, next)).toEqual([3, 3]);
  await rebalance(budgetCounters, { keys, id: 'c', period: day }, '6');
  expect(await remainingByItem(keys, day)).toEqual([3, 3]);
});

it.each([
  { spent: ['6', '13', '0'], remaining: [1, 0, 10] },
  { spent: ['15', '8', '8'], remaining: [-1, 0, 0] },
  { spent: ['15', '12', '0'], remaining: [0, 0, 3] },
  { spent: ['6', '2', '10'], remaining: [4, 8, 0] },
])('covers what items have spent beyond their part of the limit: $spent', async ({ spent, remaining }) => {
  const keys = await createItems(spent);

  await coverDeficits(budgetCounters, await readItems(keys), now);

  expect(await remainingByItem(keys)).toEqual(remaining);
});

it.each([
  // Remaining before and after 10:01, when the leases of 10:00 expire.
  { reserved: ['0', '3', '0'], spent: ['12', '7', '10'], before: [-2, 0, 0], after: [0, 1, 0] },
  { reserved: ['1', '3', '2'], spent: ['14', '7', '8'], before: [-5, 0, 0], after: [0, 0, 1] },
  { reserved: ['1', '3', '2'], spent: ['9', '17', '8'], before: [0, -10, 0], after: [0, -4, 0] },
  { reserved: ['3', '0', '0'], spent: ['8', '11', '11'], before: [-1, -1, -1], after: [0, 0, 0] },
])(
  'covers with expired leases of $reserved what items have spent beyond their part of the limit: $spent',
  async ({ reserved, spent, before, after }) => {
    const keys = await createItems(['0', '0', '0']);
    for (const [shard, usd] of reserved.entries()) {
      await lease(keys[shard] ?? expect.fail(), usd, Date.parse('2026-11-23T10:00:00Z'));
    }
    for (const [shard, item] of (await readItems(keys)).entries()) {
      await beginItemRecount(budgetCounters, item, atMs);
      const costs = new Map([[period, spent[shard] ?? '0']]);
      await endItemRecount(budgetCounters, { ...item, recountFromMs: atMs }, { fromMs: atMs, costs });
    }

    await coverDeficits(budgetCounters, await readItems(keys), new Date('2026-11-23T10:00:59Z'));
    expect(await remainingByItem(keys)).toEqual(before);
    await coverDeficits(budgetCounters, await readItems(keys), new Date('2026-11-23T10:01:00Z'));

    expect(await remainingByItem(keys)).toEqual(after);
    expect((await readItems(keys)).map((item) => reservedUsd(item, 0))).toEqual(['0', '0', '0']);
  },
);
