import { describe, expect, it } from 'vitest';
import { columnsFor, gridTemplate } from '#dashboard/logs/list/columns.ts';

describe('The columns of the list', () => {
  it('are all of them where they fit', () => {
    expect(columnsFor({ widthRem: 75, timeRem: 9.5 })).toEqual([
      ...['time', 'model', 'status', 'input', 'output', 'cost_usd', 'time_to_first_token_ms', 'latency_ms'],
      ...['user', 'key'],
    ]);
  });

  it('are fewer in a narrow list, the least important ones are left out first', () => {
    const shown = (widthRem: number) => columnsFor({ widthRem, timeRem: 9.5 });
    expect(shown(66)).not.toContain('input');
    expect(shown(66)).toContain('key');
    expect(shown(60)).toEqual([
      ...['time', 'model', 'status', 'output', 'cost_usd', 'time_to_first_token_ms', 'latency_ms', 'user'],
    ]);
    expect(shown(42)).toEqual(['time', 'model', 'status', 'cost_usd', 'latency_ms']);
    expect(shown(38)).toBeNull();
  });

  it('make room for the times of the locale', () => {
    expect(columnsFor({ widthRem: 41, timeRem: 9.5 })).not.toBeNull();
    expect(columnsFor({ widthRem: 41, timeRem: 14 })).toBeNull();
  });

  it('never become smaller than what can be read', () => {
    expect(gridTemplate(['time', 'model', 'status', 'user'], 9.5)).toBe(
      '9.5rem minmax(11rem, 2.35fr) 3rem minmax(6.5rem, 1fr)',
    );
  });
});
