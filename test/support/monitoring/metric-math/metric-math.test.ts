import { describe, expect, it } from 'vitest';
import { evaluateMetricMath } from './evaluate.ts';
import { parseMetricMath } from './parse.ts';

type Values = Record<string, number | null>;

const evaluate = (text: string, values: Values = {}) =>
  evaluateMetricMath(parseMetricMath(text), (id) => values[id] ?? null);

describe('evaluateMetricMath', () => {
  it.each<[string, Values, number | null]>([
    ['1 + 2 * 3 - 8 / 4', {}, 5],
    ['(1 + 2) * -3', {}, -9],
    ['2 - 1 - 1', {}, 0],
    ['a + 1.5 >= 3 AND b < 1 OR b == 9', { a: 1.5, b: 0 }, 1],
    ['a != 1 && b <= 1 || b > 9', { a: 1, b: 0 }, 0],
    ['IF(errors >= 10, 100 * errors / requests, 0)', { errors: 20, requests: 50 }, 40],
    ['IF(errors >= 10, 100 * errors / requests, 0)', { errors: 9, requests: 10 }, 0],
  ])('evaluates %s of %j as %j', (text, values, expected) => {
    expect(evaluate(text, values)).toBe(expected);
  });

  it.each<[string, Values, number | null]>([
    // A missing value of one of two series counts as 0; with a number, the result is missing.
    ['a - b', { a: 5 }, 5],
    ['a - b', {}, null],
    ['a + 1', {}, null],
    ['a < b', { b: 1 }, 1],
    ['a > 15 AND b > 15', { a: 20 }, 0],
    ['a / b', { a: 1, b: 0 }, null],
    ['FILL(a, 0) + FILL(b, 7)', { a: 5 }, 12],
    ['FILL(a, 0)', {}, 0],
    // The rows of the tables in CloudWatch's documentation of IF.
    ['IF(a, b, c)', { a: 1, b: 30, c: 0 }, 30],
    ['IF(a, b, c)', { a: 1, c: 0 }, 0],
    ['IF(a, b, c)', { a: 0, b: 0, c: 20 }, 20],
    ['IF(a, b, c)', { a: 0, b: 0 }, null],
    ['IF(a, b, c)', { b: 30, c: 20 }, null],
    ['IF(a, 5)', { a: 0 }, null],
    ['IF(writes > 0 AND FILL(invocations, 0) < 1, 1, 0)', { writes: 3 }, 1],
    ['IF(writes > 0 AND FILL(invocations, 0) < 1, 1, 0)', {}, 0],
    ['100 * used / SERVICE_QUOTA(used)', { used: 3 }, null],
  ])('treats missing data in %s of %j as CloudWatch does: %j', (text, values, expected) => {
    expect(evaluate(text, values)).toBe(expected);
  });
});

describe('parseMetricMath', () => {
  it.each([
    ['SUM(a)', 'SUM is not supported'],
    ['FILL(a)', 'FILL is not supported, or not with these arguments'],
    ['FILL(a, REPEAT, 1)', 'FILL is not supported, or not with these arguments'],
    ['a ^ 2', '^ 2 is not supported'],
    ['[a, b]', '[a, b] is not supported'],
    ['(a', 'the end is not expected instead of )'],
    ['a b', 'b is not expected'],
    ['a +', 'it ends too early'],
  ])('throws for %s', (text, message) => {
    expect(() => parseMetricMath(text)).toThrow(message);
  });
});
