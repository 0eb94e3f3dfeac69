import { describe, expect, it } from 'vitest';
import {
  formatChange,
  formatCompact,
  formatCount,
  formatDuration,
  formatPoints,
  formatRoundDuration,
  formatRoundShare,
  formatShare,
} from '#dashboard/components/values/number-format.ts';

describe('Numbers', () => {
  it.each([
    [formatCount(1_234_567, 'en'), '1,234,567'],
    [formatCompact(412_345_678, 'en'), '412M'],
    [formatCompact(1_234_567, 'en-GB'), '1.23M'],
    [formatShare(0.1234, 'en'), '12.3%'],
    [formatShare(0.02, 'en'), '2.0%'],
    [formatShare(0.00123, 'en'), '0.12%'],
    [formatShare(0.00001, 'en'), '<0.01%'],
    [formatShare(0, 'en'), '0%'],
    [formatRoundShare(0.02, 'en'), '2%'],
    [formatChange(0.0345, 'en'), '3.5%'],
    [formatChange(2.345, 'en'), '235%'],
    [formatChange(321.87, 'en'), '>999%'],
    [formatPoints(0.0042, 'en'), '0.42 pt'],
    [formatDuration(8.64, 'en'), '8.6 ms'],
    [formatDuration(845.3, 'en'), '845 ms'],
    [formatDuration(999.9, 'en'), '1.00 s'],
    [formatDuration(1324, 'en'), '1.32 s'],
    [formatDuration(16_930, 'en'), '16.9 s'],
    [formatDuration(77_200, 'en'), '1 min 17 s'],
    [formatDuration(180_000, 'en'), '3 min'],
    [formatRoundDuration(1500, 'en'), '1.5 s'],
    [formatDuration(3_725_000, 'en'), '1 h 2 min'],
  ])('are written such as %s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
