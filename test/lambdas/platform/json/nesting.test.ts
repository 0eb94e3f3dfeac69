import { describe, expect, it } from 'vitest';
import { isNestedDeeperThan } from '#lambdas/platform/json/json.ts';

describe('isNestedDeeperThan', () => {
  it.each([
    ['text', 0],
    [null, 0],
    [{}, 1],
    [[1, 2, 3], 1],
    [{ a: 1, b: [] }, 2],
    [[[], [{}]], 3],
  ])('finds that the depth of %j is %i', (value, depth) => {
    expect(isNestedDeeperThan(depth, value)).toBe(false);
    expect(isNestedDeeperThan(depth - 1, value)).toBe(depth > 0);
  });

  it('measures very deep and very wide values without a stack overflow', () => {
    const deep: unknown = JSON.parse('['.repeat(300_000) + ']'.repeat(300_000));
    expect(isNestedDeeperThan(500, deep)).toBe(true);
    expect(isNestedDeeperThan(300_000, deep)).toBe(false);
    const wide = Array.from({ length: 300_000 }, (_, number) => ({ number }));
    expect(isNestedDeeperThan(2, wide)).toBe(false);
  });
});
