import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BudgetScope } from '#lambdas/limits/budget.ts';
import { createCounterItem, setLimits } from '#lambdas/limits/change-counter.ts';
import { type Counter, counterKey } from '#lambdas/limits/counter.ts';
import {
  type BudgetsTable,
  findCounter,
  findCounterItems,
  settleRecords,
} from '#lambdas/limits/counters-table.ts';
import { type BudgetEvent, notifyThresholds } from '#lambdas/limits/events.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

const now = new Date('2026-11-23T12:00:00Z');
const scope: BudgetScope = { organizationId: 'org_A', keyId: 'key_A' };
const organization: BudgetScope = { organizationId: 'org_A', keyId: null };

let database: EmbeddedDynamoDB;
let budgets: BudgetsTable;
let counters = 0;
let sequence = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { name } = await createTable(database.client, 'Budgets', { key: ['counter_key'] });
  budgets = { client: database.documentClient, tableName: name };
});
afterAll(() => database.stop());

/** With a monthly amount of 100. */
async function createCounter(owner = scope, shards = 1): Promise<string> {
  const id = `c${++counters}`;
  const month = String(100 / shards);
  for (let shard = 0; shard < shards; shard++) {
    const key = counterKey(owner, shard);
    const item = await createCounterItem(budgets, { key, id, shards, limitUsd: '0' });
    const limits = { day: '1000', month };
    await setLimits(budgets, item, { shards, limits, amounts: { day: null, month: '100' } }, new Date(0));
  }
  return id;
}

async function spend(owner: BudgetScope, costUsd: string, shard = 0): Promise<void> {
  const counter = (await findCounter(budgets, counterKey(owner, shard))) ?? expect.fail();
  const record = {
    ...{ createdAtMs: now.getTime(), writtenAtMs: now.getTime(), costUsd, reservedUsd: '0' },
    isReplayed: false,
    sequenceNumber: String(++sequence),
  };
  await settleRecords(budgets, counter, { source: 'shardId-1', records: [record], now });
}

async function notify(
  owner: BudgetScope,
  { refusing = [], fails = false }: { refusing?: string[]; fails?: boolean } = {},
): Promise<BudgetEvent[]> {
  const sent: BudgetEvent[] = [];
  const first = (await findCounter(budgets, counterKey(owner))) ?? expect.fail();
  const items: [Counter, ...Counter[]] = await findCounterItems(budgets, owner, first);
  const dependencies = {
    budgets,
    now: () => now,
    async sendEvents(events: readonly BudgetEvent[]) {
      sent.push(...events);
      if (fails) throw new Error('EventBridge is unavailable');
    },
  };
  await notifyThresholds(dependencies, { scope: owner, items, refusing: new Set(refusing) }).catch(
    (error) => {
      if (!fails) throw error;
    },
  );
  return sent;
}

it('sends an event at 50, 80 and 100 percent of a budget, each once', async () => {
  const id = await createCounter();
  const sent: (readonly [string, string])[][] = [];
  for (const cost of ['49.999999', '0.000001', '10', '39.999999', '0.000001', '50']) {
    await spend(scope, cost);
    sent.push((await notify(scope)).map((event) => [event.id, event.spent_usd] as const));
  }

  expect(sent).toEqual([
    [],
    [[`org_A/key/${id}/2026-11/50`, '50']],
    [],
    [[`org_A/key/${id}/2026-11/80`, '99.999999']],
    [[`org_A/key/${id}/2026-11/100`, '100']],
    [],
  ]);
});

it('describes the budget and its period', async () => {
  const id = await createCounter();
  await spend(scope, '50');

  expect(await notify(scope)).toEqual([
    {
      id: `org_A/key/${id}/2026-11/50`,
      organization_id: 'org_A',
      api_key_id: 'key_A',
      period: 'month',
      period_start: '2026-11-01T00:00:00.000Z',
      period_end: '2026-12-01T00:00:00.000Z',
      threshold: 50,
      amount_usd: '100',
      spent_usd: '50',
    },
  ]);
});

it('sends an event again with the same id if it is not known to have been sent', async () => {
  await createCounter();
  await spend(scope, '85');

  const first = await notify(scope, { fails: true });
  const second = await notify(scope);
  const third = await notify(scope);

  expect(first.map(({ threshold }) => threshold)).toEqual([50, 80]);
  expect(second).toEqual(first);
  expect(third).toEqual([]);
});

it('adds up the items of an organization', async () => {
  await createCounter(organization, 3);
  for (const shard of [0, 1, 2]) await spend(organization, '17', shard);

  expect((await notify(organization)).map(({ threshold, spent_usd }) => [threshold, spent_usd])).toEqual([
    [50, '51'],
  ]);
});

it.each([
  ['79.99', [50]],
  ['80', [50, 80, 100]],
])('counts a refused request as the end of the budget after 80 percent: %s', async (spent, thresholds) => {
  await createCounter();
  await spend(scope, spent);

  const events = await notify(scope, { refusing: ['2026-11'] });

  expect(events.map(({ threshold }) => threshold)).toEqual(thresholds);
});
