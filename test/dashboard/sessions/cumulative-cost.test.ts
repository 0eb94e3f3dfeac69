import { describe, expect, it } from 'vitest';
import { stepPoints } from '#dashboard/sessions/cumulative-cost.tsx';

describe('stepPoints', () => {
  it('rise from the lower left to the upper right corner with each request', () => {
    expect(stepPoints(['0.25', '0.25', '1'])).toEqual([
      [0, 100],
      [1000 / 3, 75],
      [2000 / 3, 75],
      [1000, 0],
    ]);
  });

  it('stay at the bottom if nothing is charged', () => {
    expect(stepPoints(['0'])).toEqual([
      [0, 100],
      [1000, 100],
    ]);
  });
});
