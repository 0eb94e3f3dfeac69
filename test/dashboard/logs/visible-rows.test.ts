import { describe, expect, it } from 'vitest';
import { rowIndexes } from '#dashboard/logs/list/visible-rows.ts';

const from = (start: number, end: number) => Array.from({ length: end - start }, (_, index) => start + index);

describe('The rows that exist', () => {
  const view = { rowsInView: 20, count: 1000, keptIndex: 500 };

  it('are those in view, and eight above and below', () => {
    expect(rowIndexes({ ...view, first: 490 })).toEqual(from(482, 519));
  });

  it('begin and end with the list', () => {
    expect(rowIndexes({ ...view, first: -10, keptIndex: 0 })).toEqual(from(0, 19));
    expect(rowIndexes({ ...view, first: 985, keptIndex: 999 })).toEqual(from(977, 1000));
    expect(rowIndexes({ ...view, first: 0, count: 3, keptIndex: 0 })).toEqual([0, 1, 2]);
    expect(rowIndexes({ ...view, first: 0, count: 0, keptIndex: 0 })).toEqual([]);
  });

  it('include the one with the focus, in the order of the list', () => {
    expect(rowIndexes({ ...view, first: 100 })).toEqual([...from(92, 129), 500]);
    expect(rowIndexes({ ...view, first: 900 })).toEqual([500, ...from(892, 929)]);
  });

  it('are the last ones of a list that has become shorter than it is scrolled', () => {
    expect(rowIndexes({ ...view, first: 900, count: 100, keptIndex: 0 })).toEqual([0, ...from(92, 100)]);
  });
});
