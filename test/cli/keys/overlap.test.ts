import { describe, expect, it } from 'vitest';
import { parseOverlap } from '#cli/keys/overlap.ts';

describe('an overlap', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['90d', 7_776_000_000],
    ['7776000s', 7_776_000_000],
  ])('can be %s', (text, milliseconds) => {
    expect(parseOverlap(text)).toBe(milliseconds);
  });

  it.each([
    '',
    '1',
    '-1h',
    '1.5h',
    '1 h',
    ' 1h',
    '1h\n',
    '1w',
    '91d',
    '7776001s',
    'h',
    '1hh',
    '٣d',
    '99999999s',
  ])('cannot be %j', (text) => {
    expect(() => parseOverlap(text)).toThrow('It is 0, or a whole number of s, m, h or d, at most 90d.');
  });
});
