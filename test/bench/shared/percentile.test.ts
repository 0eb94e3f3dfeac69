import { describe, expect, it } from 'vitest';
import { percentile } from '#bench/shared/percentile.ts';

describe('a percentile', () => {
  it('is a value that was measured, the smallest that this share does not exceed', () => {
    const values = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1];

    expect(percentile(values, 0.5)).toBe(5);
    expect(percentile(values, 0.9)).toBe(9);
    expect(percentile(values, 0.91)).toBe(10);
    expect(percentile(values, 1)).toBe(10);
    expect(percentile([3], 0.01)).toBe(3);
  });

  it('does not change what it is given', () => {
    const values = [2, 1];
    percentile(values, 0.5);

    expect(values).toEqual([2, 1]);
  });

  it('is none of nothing', () => {
    expect(() => percentile([], 0.5)).toThrow('Of nothing there is no percentile');
  });
});
