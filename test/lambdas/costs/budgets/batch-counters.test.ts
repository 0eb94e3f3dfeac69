import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBatchCounters } from '#lambdas/costs/budgets/batch-counters.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
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
