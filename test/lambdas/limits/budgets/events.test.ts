import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import { type NotificationFixture, startNotificationFixture } from '../notification-fixture.ts';

const scope: BudgetScope = { organizationId: 'org_A', keyId: 'key_A' };
const organization: BudgetScope = { organizationId: 'org_A', keyId: null };

let fixture: NotificationFixture;
beforeAll(async () => {
  fixture = await startNotificationFixture();
});
afterAll(() => fixture.stop());

it('sends an event at 50, 80 and 100 percent of a budget, each once', async () => {
  const id = await fixture.createCounter(scope);
  const sent: (readonly [string, string])[][] = [];
  for (const cost of ['49.999999', '0.000001', '10', '39.999999', '0.000001', '50']) {
    await fixture.spend(scope, cost);
    sent.push((await fixture.notify(scope)).map((event) => [event.id, event.spent_usd] as const));
  }

  expect(sent).toEqual([
    [],
    [[`org_A/key/${id}/2026-11/100/50`, '50']],
    [],
    [[`org_A/key/${id}/2026-11/100/80`, '99.999999']],
    [[`org_A/key/${id}/2026-11/100/100`, '100']],
    [],
  ]);
});

it('describes the budget and its period', async () => {
  const id = await fixture.createCounter(scope);
  await fixture.spend(scope, '50');

  expect(await fixture.notify(scope)).toEqual([
    {
      id: `org_A/key/${id}/2026-11/100/50`,
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
  await fixture.createCounter(scope);
  await fixture.spend(scope, '85');

  const first: BudgetEvent[] = [];
  const unavailable = fixture.notify(scope, {
    async send(events) {
      first.push(...events);
      throw new Error('EventBridge is unavailable');
    },
  });
  await expect(unavailable).rejects.toThrow('EventBridge is unavailable');
  const second = await fixture.notify(scope);
  const third = await fixture.notify(scope);

  expect(first.map(({ threshold }) => threshold)).toEqual([50, 80]);
  expect(second).toEqual(first);
  expect(third).toEqual([]);
});

it('adds up the items of an organization', async () => {
  await fixture.createCounter(organization, 3);
  for (const shard of [0, 1, 2]) await fixture.spend(organization, '17', shard);

  expect(
    (await fixture.notify(organization)).map(({ threshold, spent_usd }) => [threshold, spent_usd]),
  ).toEqual([[50, '51']]);
});

it.each([
  ['79.99', [50]],
  ['80', [50, 80, 100]],
])('counts a refused request as the end of the budget after 80 percent: %s', async (spent, thresholds) => {
  await fixture.createCounter(scope);
  await fixture.spend(scope, spent);

  const events = await fixture.notify(scope, { refusing: ['2026-11'] });

  expect(events.map(({ threshold }) => threshold)).toEqual(thresholds);
});
