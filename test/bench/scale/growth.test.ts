import { describe, expect, it } from 'vitest';
import { growthOf, verdict } from '#bench/scale/growth.ts';

describe('growth', () => {
  it('is the cost of each, against the step before, and the cost of each more', () => {
    const growth = growthOf([
      { n: 1, cost: 100 },
      { n: 10, cost: 190 },
      { n: 100, cost: 3800 },
    ]);

    expect(growth.map(({ each }) => each)).toEqual([100, 19, 38]);
    expect(growth.map(({ ratio }) => ratio)).toEqual([null, 0.19, 2]);
    expect(growth.map(({ eachMore }) => eachMore)).toEqual([null, 10, 3610 / 90]);
  });

  it('is linear or better while it is about n, or less', () => {
    const growth = growthOf([
      { n: 1, cost: 100 },
      { n: 10, cost: 1200 },
      { n: 100, cost: 1300 },
    ]);

    expect(verdict(growth)).toBe('Linear or better: in no step faster than n^1.08.');
  });

  it('is worse than linear where it is a higher power of n in any step', () => {
    const growth = growthOf([
      { n: 1, cost: 100 },
      { n: 1000, cost: 100_000 },
      { n: 2000, cost: 400_000 },
      { n: 4000, cost: 800_000 },
    ]);

    expect(verdict(growth)).toBe('**Worse than linear**: up to 2,000 with n^2.00.');
  });

  it('takes more than one step', () => {
    expect(verdict(growthOf([{ n: 1, cost: 100 }]))).toBe('One step says nothing of growth.');
  });
});
