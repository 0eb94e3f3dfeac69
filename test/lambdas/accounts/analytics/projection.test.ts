import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectionWindows, projectMonth } from '#lambdas/accounts/analytics/projection.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AnalyticsFixture, startAnalyticsFixture } from '#test/support/accounts/analytics-fixture.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

const certain = { assumed_cost_usd: '0', estimated_cost_usd: '0', unpriced_requests: 0 };
const costs = {
  spent: { ...certain, cost_usd: '20' },
  averagedUsd: '7',
  completeUntil: '2026-11-23T08:00:00.000Z',
};
const budget = { amountUsd: '27', hard: true, allowsUnpriced: false };

describe('projectMonth', () => {
  it.each([
    ['2026-11-04T00:00:00.000Z', 26, '46', 170],
    ['2026-11-23T23:59:59.999Z', 7, '27', 100],
    ['2026-11-30T12:00:00.000Z', 0, '20', 74],
    ['2028-02-28T12:00:00.000Z', 1, '21', 78],
    ['2026-12-31T00:00:00.000Z', 0, '20', 74],
  ])('at %s adds %i average days', (now, daysLeft, projectedUsd, percent) => {
    expect(projectMonth({ ...costs, budget }, new Date(now))).toEqual({
      month: now.slice(0, 7),
      complete_until: costs.completeUntil,
      spent_usd: '20',
      unpriced_requests: 0,
      uncertain_cost_share: 0,
      daily_usd: '1',
      days_left: daysLeft,
      projected_usd: projectedUsd,
      budget: { amount_usd: '27', hard: true, projected_percent: percent },
    });
  });

  it('projects nothing in the first three days of a UTC month', () => {
    expect(projectMonth({ ...costs, budget }, new Date('2026-11-03T23:59:59.999Z'))).toMatchObject({
      days_left: 27,
      projected_usd: null,
      budget: { projected_percent: null },
    });
  });

  it('rounds the average and the projection once, half up', () => {
    const tiny = {
      ...costs,
      spent: { ...certain, cost_usd: '0' },
      averagedUsd: '0.000000000004',
      budget: null,
    };

    expect(projectMonth(tiny, new Date('2026-11-23T08:00:00Z'))).toMatchObject({
      // 4/7, and 7 × 4/7, of the last digit.
      daily_usd: '0.000000000001',
      projected_usd: '0.000000000004',
      budget: null,
    });
  });

  it('is within half of the last digit of the exact average for each day', () => {
    const units = fc.bigInt({ min: 0n, max: 10n ** 21n });
    const usd = units.map((each) =>
      addUsd('0', `${each / 10n ** 12n}.${`${each % 10n ** 12n}`.padStart(12, '0')}`),
    );
    const day = fc.integer({ min: 4, max: 30 });
    fc.assert(
      fc.property(usd, usd, day, (spentUsd, averagedUsd, date) => {
        const now = new Date(Date.UTC(2026, 10, date, 12));
        const { projected_usd } = projectMonth(
          { ...costs, spent: { ...certain, cost_usd: spentUsd }, averagedUsd, budget: null },
          now,
        );

        const toDigits = (amount: string) => {
          const [whole = '', fraction = ''] = amount.split('.');
          return BigInt(whole + fraction.padEnd(12, '0'));
        };
        const exactTimes7 = 7n * toDigits(spentUsd) + toDigits(averagedUsd) * BigInt(30 - date);
        const error = 2n * (7n * toDigits(projected_usd ?? '') - exactTimes7);
        expect(error > -7n && error <= 7n).toBe(true);
      }),
    );
  });

  it('averages the last seven full UTC days, which may be of the month before', () => {
    const { month, averaged } = projectionWindows(new Date('2026-11-04T15:00:00Z'));

    const text = ({ startMs, endMs }: typeof month) =>
      [startMs, endMs].map((ms) => new Date(ms).toISOString());
    expect(text(month)).toEqual(['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']);
    expect(text(averaged)).toEqual(['2026-10-28T00:00:00.000Z', '2026-11-04T00:00:00.000Z']);
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
        daily_usd: '0.2',
        days_left: 7,
        projected_usd: '4.550000000001',
        budget: { amount_usd: '9.1', hard: false, projected_percent: 50 },
      },
    ]);
  });
});
