import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseCostQuery } from '#lambdas/reports/costs/query.ts';
import { createReadLimit } from '#lambdas/reports/costs/read-limit.ts';

const now = new Date('2026-02-10T12:34:56.789Z');

function createBudget(parameters: Record<string, string> = {}) {
  const all = { start: '2026-01-31T09:30:15Z', end: '2026-02-01T09:30:15Z', ...parameters };
  const query = parseCostQuery(
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    now,
  );
  return createReadLimit(query);
}

function errorOf(attempt: () => void): [string, string | null, string] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.param, error.message];
    throw error;
  }
  throw new Error('It did not throw');
}

const code = 'invalid_request_error';
const limit = '(a report reads at most 50000 items)';
const shorter = 'choose a shorter window';
const fewer = 'group by a field with fewer values';

describe('createReadLimit', () => {
  it('limits rollup rows and entries together, and allows exactly the maximum', () => {
    const budget = createBudget();
    budget.consume('rollup', 20_000);
    budget.consume('start', 15_000);
    budget.consume('end', 15_000);
    expect(() => budget.consume('rollup', 0)).not.toThrow();
    expect(() => budget.consume('end', 1)).toThrow(GatewayError);
    expect(() => budget.consume('rollup', 0)).toThrow(GatewayError);
  });

  it.each([
    [{}, 'start', `The window has too many sums ${limit}: ${shorter}`],
    [{ group_by: 'provider' }, 'start', `The window has too many sums ${limit}: ${shorter}`],
    [{ interval: 'hour' }, 'start', `The window has too many sums ${limit}: use interval=day, or ${shorter}`],
    [
      { group_by: 'session_id', interval: 'day' },
      'group_by',
      `The window has too many sums by session_id ${limit}: ${fewer}, or use interval=month, or ${shorter}`,
    ],
    [{ user_id: 'ada' }, 'start', `The window has too many sums ${limit}: ${shorter}`],
    [
      { group_by: 'api_key' },
      'group_by',
      `The window has too many sums by api_key ${limit}: ${fewer}, or ${shorter}`,
    ],
  ])('throws a 400 error for too many rollup rows with %o that names %s', (parameters, param, message) => {
    const budget = createBudget(parameters);
    budget.consume('start', 20_000);
    expect(errorOf(() => budget.consume('rollup', 35_000))).toEqual([code, param, message]);
  });

  it.each([
    [{}, 'start', 'minute', '2026-01-31T09:30:00.000Z or 2026-01-31T09:31:00.000Z'],
    [{}, 'end', 'minute', '2026-02-01T09:30:00.000Z or 2026-02-01T09:31:00.000Z'],
    [{ group_by: 'user_id' }, 'start', 'hour', '2026-01-31T09:00:00.000Z or 2026-01-31T10:00:00.000Z'],
    [{ group_by: 'api_key' }, 'end', 'hour', '2026-02-01T09:00:00.000Z or 2026-02-01T10:00:00.000Z'],
  ] as const)(
    'throws a 400 error for too many entries with %o that names %s',
    (parameters, bound, period, whole) => {
      const budget = createBudget(parameters);
      budget.consume('rollup', 20_000);
      const message = `${bound} splits ${period === 'hour' ? 'an' : 'a'} ${period} that has too many requests ${limit}: use ${whole}`;
      expect(errorOf(() => budget.consume(bound, 35_000))).toEqual([code, bound, message]);
    },
  );

  it('names the parameter that caused the most reads, not the last one', () => {
    const budget = createBudget();
    budget.consume('end', 30_000);
    expect(errorOf(() => budget.consume('rollup', 25_000))[1]).toBe('end');
  });

  it('names compare when the previous range splits a period with too many entries', () => {
    const query = parseCostQuery({ start: ['2026-01-31T09:30:15Z'], prompt_id: ['p'] }, now);
    expect(errorOf(() => createReadLimit(query, 'compare').consume('start', 50_001))).toEqual([
      code,
      'compare',
      `The range to compare with splits an hour that has too many requests ${limit}: use bounds at whole hours`,
    ]);
  });
});
