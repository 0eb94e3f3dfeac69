import { describe, expect, it } from 'vitest';
import { createCostBudget } from '#lambdas/costs/report/plan.ts';
import { type CostQuery, parseCostQuery } from '#lambdas/costs/report/query.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

const now = new Date('2026-02-10T12:34:56.789Z');

function query(more: Record<string, string> = {}): CostQuery {
  const parameters = { start: '2026-01-31T09:30:15Z', end: '2026-02-01T09:30:15Z', ...more };
  return parseCostQuery(
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]])),
    now,
  );
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
const limit = 'as an answer adds up at most 10 items';
const closer = 'take a start and an end that are closer together';
const fewer = 'group by something that has fewer values';

describe('the budget of an answer', () => {
  it('is for sums and entries together, and goes down to the last item', () => {
    const budget = createCostBudget(query(), 10);
    budget.spend('sum', 4);
    budget.spend('start', 3);
    budget.spend('end', 3);
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
    const budget = createCostBudget(query(more), 10);
    budget.spend('start', 4);
    expect(refusal(() => budget.spend('sum', 7))).toEqual([code, param, message]);
  });

  it.each([
    [{}, 'start', 'minute', '2026-01-31T09:30:00.000Z or 2026-01-31T09:31:00.000Z'],
    [{}, 'end', 'minute', '2026-02-01T09:30:00.000Z or 2026-02-01T09:31:00.000Z'],
    [{ group_by: 'user_id' }, 'start', 'hour', '2026-01-31T09:00:00.000Z or 2026-01-31T10:00:00.000Z'],
    [{ group_by: 'api_key' }, 'end', 'hour', '2026-02-01T09:00:00.000Z or 2026-02-01T10:00:00.000Z'],
  ] as const)('that entries use up with %o is a 400 that names %s', (more, bound, span, whole) => {
    const budget = createCostBudget(query(more), 10);
    budget.spend('sum', 4);
    const message =
      `${bound} cuts one ${span} in two, which has too many requests for that, ${limit}: ` +
      `put it at ${whole}`;
    expect(refusal(() => budget.spend(bound, 7))).toEqual([code, bound, message]);
  });

  it('names what took most of it, whatever came last', () => {
    const budget = createCostBudget(query(), 10);
    budget.spend('end', 6);
    expect(refusal(() => budget.spend('sum', 5))[1]).toBe('end');
  });
});
