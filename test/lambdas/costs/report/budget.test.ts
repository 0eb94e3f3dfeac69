import { describe, expect, it } from 'vitest';
import { createReadBudget } from '#lambdas/costs/report/budget.ts';
import { planCosts } from '#lambdas/costs/report/plan.ts';
import { parseCostQuery } from '#lambdas/costs/report/query.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const now = new Date('2026-02-10T12:34:56.789Z');

function budgetOf(more: Record<string, string> = {}) {
  const parameters = { start: '2026-01-31T09:30:15Z', end: '2026-02-01T09:30:15Z', ...more };
  const query = parseCostQuery(
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]])),
    now,
  );
  return createReadBudget(query, planCosts(query, now));
}

function refusal(attempt: () => void): [string, string | null, string] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.param, error.message];
    throw error;
  }
  throw new Error('It was not refused');
}

const code = 'invalid_request_error';
const limit = 'as an answer adds up at most 50000 items';
const closer = 'take a start and an end that are closer together';
const fewer = 'group by something that has fewer values';

describe('the budget of an answer', () => {
  it('is for sums and entries together, and goes down to the last item', () => {
    const budget = budgetOf();
    budget.spend('sum', 20_000);
    budget.spend('start', 15_000);
    budget.spend('end', 15_000);
    expect(() => budget.spend('sum', 0)).not.toThrow();
    expect(() => budget.spend('end', 1)).toThrow(GatewayError);
    expect(() => budget.spend('sum', 0)).toThrow(GatewayError);
  });

  it.each([
    [{}, 'start', `There are too many sums in this window, ${limit}: ${closer}`],
    [{ group_by: 'provider' }, 'start', `There are too many sums in this window, ${limit}: ${closer}`],
    [
      { interval: 'hour' },
      'start',
      `There are too many sums in this window, ${limit}: take interval day, or ${closer}`,
    ],
    [
      { group_by: 'session_id', interval: 'day' },
      'group_by',
      `There are too many sums by session_id in this window, ${limit}: ${fewer}, or ${closer}`,
    ],
    [
      { group_by: 'api_key' },
      'group_by',
      `There are too many sums by api_key in this window, ${limit}: ${fewer}, or ${closer}`,
    ],
  ])('that sums use up with %o is a 400 that names %s', (more, param, message) => {
    const budget = budgetOf(more);
    budget.spend('start', 20_000);
    expect(refusal(() => budget.spend('sum', 35_000))).toEqual([code, param, message]);
  });

  it.each([
    [{}, 'start', 'minute', '2026-01-31T09:30:00.000Z or 2026-01-31T09:31:00.000Z'],
    [{}, 'end', 'minute', '2026-02-01T09:30:00.000Z or 2026-02-01T09:31:00.000Z'],
    [{ group_by: 'user_id' }, 'start', 'hour', '2026-01-31T09:00:00.000Z or 2026-01-31T10:00:00.000Z'],
    [{ group_by: 'api_key' }, 'end', 'hour', '2026-02-01T09:00:00.000Z or 2026-02-01T10:00:00.000Z'],
  ] as const)('that entries use up with %o is a 400 that names %s', (more, bound, span, whole) => {
    const budget = budgetOf(more);
    budget.spend('sum', 20_000);
    const message =
      `${bound} cuts one ${span} in two, which has too many requests for that, ${limit}: ` +
      `put it at ${whole}`;
    expect(refusal(() => budget.spend(bound, 35_000))).toEqual([code, bound, message]);
  });

  it('names what took most of it, whatever came last', () => {
    const budget = budgetOf();
    budget.spend('end', 30_000);
    expect(refusal(() => budget.spend('sum', 25_000))[1]).toBe('end');
  });
});
