import { describe, expect, it } from 'vitest';
import { pointsChange, ratioChange, relativeChange } from '#dashboard/overview/tile-figures.ts';

describe('A change against the preceding range', () => {
  it.each([
    [0.1244, { direction: 'up', text: '12.4%', tone: 'bad' }],
    [-0.5, { direction: 'down', text: '50%', tone: 'good' }],
    [2.5, { direction: 'up', text: '250%', tone: 'bad' }],
    [0.0002, { direction: 'none', text: '0%', tone: 'neutral' }],
  ])('of %d of a figure that should be low is %j', (change, expected) => {
    expect(relativeChange(change, 'bad', 'en')).toEqual(expected);
  });

  it('of spending is neither good nor bad', () => {
    expect(relativeChange(0.3, 'neutral', 'en')?.tone).toBe('neutral');
  });

  it('of shares is in percentage points', () => {
    expect(pointsChange(0.0131, 0.0171, 'bad', 'en')).toEqual({
      direction: 'down',
      text: '0.4 pt',
      tone: 'good',
    });
  });

  it('is unknown without a figure to compare with', () => {
    expect(relativeChange(ratioChange(5, 0), 'bad')).toBe(null);
    expect(ratioChange(5, null)).toBe(null);
    expect(pointsChange(0.1, null, 'bad')).toBe(null);
    expect(ratioChange(5, 4)).toBe(0.25);
  });
});
