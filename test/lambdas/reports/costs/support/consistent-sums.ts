/** Checks the sums of a response that was read while entries were being counted. */
import { expect } from 'vitest';
import { fromUnits, toUnits } from '#lambdas/platform/money.ts';

type Json = Record<string, unknown>;

/** Tokens, requests, attempts and costs; not percentiles and means. */
const sumName = /(requests|attempts|tokens|cost_usd)$/;

/** In units of 10⁻¹², by where they are in the response: `series`, the start of the element, `groups`, the value, the name. */
type Sums = Map<string, bigint>;

function sumsOf(value: unknown, path: readonly unknown[] = [], sums: Sums = new Map()): Sums {
  for (const [name, child] of isObject(value) ? Object.entries(value) : []) {
    if (Array.isArray(child)) {
      // The first field of an element is its start, that of a group its value.
      for (const item of child) sumsOf(item, [...path, name, Object.values(item)[0]], sums);
    } else if (isObject(child)) sumsOf(child, [...path, name], sums);
    else if (sumName.test(name) && child !== null)
      sums.set(JSON.stringify([...path, name]), toUnits(String(child)));
  }
  return sums;
}

/** Expects every sum to be at least as in `before` and at most as in `after`; a group that is not listed has zero. */
export function expectBetween(response: Json, { before, after }: { before: Json; after: Json }): void {
  const [actual, min, max] = [sumsOf(response), sumsOf(before), sumsOf(after)];
  const outside = [...new Set([...actual.keys(), ...min.keys(), ...max.keys()])].filter((path) => {
    const sum = actual.get(path) ?? 0n;
    // It includes requests that are in the totals but not in the rows of their groups yet.
    const isRest = path.includes('"groups",null,');
    return sum < (min.get(path) ?? 0n) || (!isRest && sum > (max.get(path) ?? 0n));
  });
  expect(
    outside.map((path) => [min, actual, max].map((sums) => `${path} ${fromUnits(sums.get(path) ?? 0n)}`)),
  ).toEqual([]);
}

/** Expects that the elements of a series add up to the totals, and so do groups, except those of errors. */
export function expectAddedUp(response: Json): void {
  const { series, group_by } = response;
  if (Array.isArray(series)) expectSum(series, response, 'total_');
  if (group_by === undefined || group_by === 'error_code') return;
  expectSum(groupsOf(response), response, 'total_');
  for (const element of Array.isArray(series) ? series : []) expectSum(groupsOf(element), element);
}

function groupsOf({ groups, other }: Json): Json[] {
  return [...(Array.isArray(groups) ? groups : []), ...(isObject(other) ? [other] : [])];
}

function expectSum(parts: Json[], whole: Json, prefix = ''): void {
  for (const name of ['requests', 'fallback_attempts', 'cost_usd', 'input_tokens', 'output_tokens']) {
    const units = parts.reduce((sum, part) => sum + toUnits(String(part[name])), 0n);
    const sum = whole[name === 'fallback_attempts' ? name : prefix + name];
    expect(`${name} ${fromUnits(units)}`).toBe(`${name} ${sum}`);
  }
}

export function expectNoNegativeNumber(value: unknown): void {
  expect(JSON.stringify(value)).not.toMatch(/[:[]"?-\d/);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
