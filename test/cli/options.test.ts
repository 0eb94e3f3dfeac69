import { expect, it } from 'vitest';
import { windowBound } from '#cli/options.ts';

it.each([
  ['1960-01-01T00:00:00Z', 0],
  ['2026-01-31T09:30:00+01:00', Date.UTC(2026, 0, 31, 8, 30)],
  // The last whole month that a log id can represent.
  ['9999-12-31T00:00:00Z', Date.UTC(9999, 11)],
])('clamps the window bound %s to the range of log ids', (text, expectedMs) => {
  expect(windowBound.parse(text)).toBe(expectedMs);
});
