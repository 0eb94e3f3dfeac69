import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBatchCounters } from '#lambdas/costs/budgets/batch-counters.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import { beginItemRecount, endItemRecount } from '#lambdas/limits/counters/change.ts';
import { periodOfCounter } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { findCounterItem } from '#lambdas/limits/counters/table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import {
  type NotificationFixture,
  now,
  startNotificationFixture,
} from '#test/lambdas/limits/notification-fixture.ts';
import { logEntry } from '#test/support/log-entries.ts';

const scope: BudgetScope = { organizationId: 'org_A', keyId: null };
const state = {
  generation: 0,
  cutoverMs: 0,
  rebuild: null,
  counters: { organization: true, keys: false, flagChanges: 1 },
};

let fixture: NotificationFixture;
beforeAll(async () => {
  fixture = await startNotificationFixture();
});
afterAll(() => fixture.stop());

const recordOf = (sequenceNumber: string, fields: Partial<LogEntry>) => {
  const id = createLogId(now.getTime() - 1000);
  const entry = logEntry({ id, organization_id: scope.organizationId, ...fields });
  return { sequenceNumber, entry, before: null, writtenAtMs: now.getTime() };
};

it('counts a refusal for the earlier amount if the amount changes while the batch is counted', async () => {
  const counter = await fixture.createCounter(scope);
  await fixture.spend(scope, '90');
  await fixture.notify(scope);
  const events: BudgetEvent[] = [];
  const settlement = {
    budgetCounters: fixture.budgetCounters,
    sendEvents: async (sent: readonly BudgetEvent[]) => void events.push(...sent),
    now: () => now,
  };
  const records = [
    recordOf('1', { cost_usd: '1' }),
    recordOf('2', { cost_usd: '0', budget_counters: [`organization/${counter}/2026-11`] }),
  ];
  const counters = await findBatchCounters(settlement, records, () => state);
  await fixture.setAmounts(scope, { day: null, month: '110' });

  await counters.settle('shardId-2');

  expect(events).toEqual([]);
  await fixture.spend(scope, '19');
  expect((await fixture.notify(scope)).map(({ threshold }) => threshold)).toEqual([100]);
});

it('counts each refusal of a period once, whatever the amount, and keeps the number in a recount', async () => {
  const organization: BudgetScope = { organizationId: 'org_B', keyId: null };
  const counter = await fixture.createCounter(organization);
  await fixture.setAmounts(organization, { day: '1', month: '100' });
  const settlement = { budgetCounters: fixture.budgetCounters, sendEvents: async () => {}, now: () => now };
  const recordFor = (sequenceNumber: string, fields: Partial<LogEntry>) =>
    recordOf(sequenceNumber, { organization_id: 'org_B', cost_usd: '0', ...fields });
  const refusal = (period: string) => ({ budget_counters: [`organization/${counter}/${period}`] });
  const [first, ...others] = [
    recordFor('1', refusal('2026-11')),
    recordFor('2', refusal('2026-11-23')),
    recordFor('3', refusal('2026-11')),
    recordFor('4', refusal('2026-10')),
    recordFor('5', { budget_counters: ['organization/other/2026-11', 'key/k/2026-11'] }),
    recordFor('6', { reserved_usd: '0.5', cost_usd: '0.5', ...refusal('0') }),
  ];
  const batches = [first === undefined ? [] : [first], others, others];
  for (const records of batches) {
    const counters = await findBatchCounters(settlement, records, () => state);
    await counters.settle('shardId-3');
  }

  const key = counterKey(organization);
  const item = (await findCounterItem(fixture.budgetCounters, key)) ?? expect.fail();
  await beginItemRecount(fixture.budgetCounters, item, now.getTime());
  const recounting = (await findCounterItem(fixture.budgetCounters, key)) ?? expect.fail();
  const costs = new Map([['2026-11', '7']]);
  const counted = await endItemRecount(fixture.budgetCounters, recounting, { fromMs: now.getTime(), costs });

  const refusedIn = (period: string) => periodOfCounter(counted ?? expect.fail(), period).refusedRequests;
  expect(['2026-10', '2026-11', '2026-11-23'].map(refusedIn)).toEqual([0, 2, 1]);
  expect(periodOfCounter(counted ?? expect.fail(), '2026-11').spentUsd).toBe('7');
});
