import { describe, expect, it } from 'vitest';
import {
  expiredWatermarks,
  isCounted,
  parseSortableNumber,
  sortableNumber,
  watermarkAttribute,
  watermarkPosition,
  watermarkValue,
} from '#lambdas/platform/dynamodb/watermark.ts';

const shard = 'shardId-00000001789000000000-0123abcd';
const hour = 100_000;
const at = (hours: number, ms = 0) => new Date(hours * 3_600_000 + ms);
const watermark = (sequenceNumber: string) => watermarkValue(shard, sequenceNumber, at(hour, 59));

describe('Watermarks', () => {
  it('stores the shard in the attribute name, and the sequence number and hour in the value', () => {
    expect(watermarkAttribute(shard)).toBe(`w#${(1_789_000_000_000).toString(36)}-0123abcd`);
    expect(watermark('300000000000000499659')).toBe('141rb9c4jbc2h70r@255s');
    expect(watermarkAttribute('rebuild')).toBe('w#rebuild');
    expect(watermarkValue('rebuild', '018f-id', at(hour))).toBe('07018f-id');
  });

  it('counts records up to and including the watermark, for sequence numbers of any length', () => {
    const numbers = ['9', '10', '99', '100', '101', '9'.repeat(21), `1${'0'.repeat(39)}`];
    for (const [index, number] of numbers.entries()) {
      for (const [other, marked] of numbers.entries())
        expect(isCounted(watermarkPosition(shard, number), watermark(marked))).toBe(index <= other);
      expect(parseSortableNumber(sortableNumber(number))).toBe(number);
    }
  });
});

describe('expiredWatermarks', () => {
  const row = {
    pk: 'w#no',
    requests: 7,
    'w#new': '0215@255s',
    'w#old': '0215@2551',
    'w#rebuild': '36018f',
    other: '0215@1',
  };

  it('returns watermarks that were last updated before the retention of the stream', () => {
    expect(expiredWatermarks(row, at(hour))).toEqual([['w#old', '0215@2551']]);
    expect(expiredWatermarks(row, at(hour - 1, 3_599_999))).toEqual([]);
  });

  it('never returns watermarks of rebuilds', () => {
    expect(expiredWatermarks(row, at(2 * hour)).map(([name]) => name)).toEqual(['w#new', 'w#old']);
  });
});
