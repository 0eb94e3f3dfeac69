import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectMonth } from '#lambdas/accounts/analytics/projection.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { logEntry } from '#test/support/log-entries.ts';

const certain = { assumed_cost_usd: '0', estimated_cost_usd: '0', unpriced_requests: 0 };
const costs = { spent: { ...certain, cost_usd: '20' }, completeUntil: '2026-11-23T08:00:00.000Z' };
const budget = { amountUsd: '27', hard: true, allowsUnpriced: false };

describe('projectMonth', () => {
  it.each([
    ['2026-11-04T00:00:00.000Z', 0.1, '200', 741],
    ['2026-11-16T00:00:00.000Z', 0.5, '40', 148],
    ['2026-11-30T12:00:00.000Z', 59 / 60, '20.338983050847', 75],
    ['2028-02-15T12:00:00.000Z', 0.5, '40', 148],
  ])('at %s divides the spend by %f', (now, elapsed, projectedUsd, percent) => {
    expect(projectMonth({ ...costs, budget }, new Date(now))).toEqual({
      month: now.slice(0, 7),
      complete_until: costs.completeUntil,
      spent_usd: '20',
      unpriced_requests: 0,
      uncertain_cost_share: 0,
      elapsed_share: elapsed,
      projected_usd: projectedUsd,
      budget: { amount_usd: '27', hard: true, projected_percent: percent },
    });
  });

  it('projects nothing in the first tenth of a UTC month', () => {
    expect(projectMonth({ ...costs, budget }, new Date('2026-11-03T23:59:59.999Z'))).toMatchObject({
      projected_usd: null,
      budget: { projected_percent: null },
    });
  });
});

describe('The projection of an organization', () => {
  let fixture: AnalyticsFixture;
  beforeAll(async () => {
    fixture = await startAnalyticsFixture();
  });
  afterAll(() => fixture.stop());

  it('adds up what was counted, and compares it with the budget of the month', async () => {
    const requests = [
      ['2026-10-31T23:59:59.999Z', '1000'],
      ['2026-11-01T00:00:00.000Z', '1.000000000001'],
      ['2026-11-15T23:59:59.999Z', '0.5'],
      ['2026-11-16T00:00:00.000Z', '0.7'],
      ['2026-11-22T23:59:59.999Z', '0.7'],
      ['2026-11-23T00:00:00.000Z', '0.25'],
    ] as const;
    await fixture.record(
      ...requests.map(([time, cost_usd]) =>
        logEntry({
          id: createLogId(Date.parse(time)),
          cost_usd,
          usage_source: cost_usd === '0.25' ? 'estimated' : 'provider',
        }),
      ),
      logEntry({
        id: createLogId(Date.parse('2026-11-02T00:00:00.000Z')),
        cost_usd: '0',
        pricing: 'unknown',
      }),
    );
    await setBudget(
      {
        directoryTable: { ...fixture.dependencies.directoryTable, now: fixture.dependencies.now },
        budgetCounters: fixture.accounts.dependencies.budgetCounters,
      },
      { organizationId: fixture.caller.organizationId, keyId: null },
      'month',
      { amountUsd: '9.1', hard: false, allowsUnpriced: false },
      fixture.accounts.auditOf(fixture.owner),
    );

    const { status, body } = await fixture.get('/projection');

    expect([status, body]).toEqual([
      200,
      {
        month: '2026-11',
        complete_until: '2026-11-23T08:00:00.000Z',
        spent_usd: '3.150000000001',
        unpriced_requests: 1,
        uncertain_cost_share: 0.0794,
        elapsed_share: (22 * 24 + 8) / 720,
        projected_usd: '4.231343283583',
        budget: { amount_usd: '9.1', hard: false, projected_percent: 46 },
      },
    ]);
  });
});
