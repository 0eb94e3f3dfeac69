import { describe, expect, it } from 'vitest';
import { growthOf, verdict } from '../../../bench/scale/growth.ts';

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

  it('is linear or better while each costs no more than in the step before, or little more', () => {
    const growth = growthOf([
      { n: 1, cost: 100 },
      { n: 10, cost: 1000 },
      { n: 100, cost: 10_900 },
    ]);

    expect(verdict(growth)).toBe('Linear or better: the highest ratio of a step to the one before is 1.09.');
  });

  it('is worse than linear where each costs more', () => {
    const growth = growthOf([
      { n: 1, cost: 100 },
      { n: 1000, cost: 115_000 },
      { n: 2000, cost: 240_000 },
    ]);

    expect(verdict(growth)).toBe(
      '**Worse than linear** at 1,000: the highest ratio of a step to the one before is 1.15.',
    );
  });

  it('takes more than one step', () => {
    expect(verdict(growthOf([{ n: 1, cost: 100 }]))).toBe('One step says nothing of growth.');
  });
});
