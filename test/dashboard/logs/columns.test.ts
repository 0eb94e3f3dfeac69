import { describe, expect, it } from 'vitest';
import { type ColumnName, columnsFor, gridTemplate, isStacked } from '#dashboard/logs/list/columns.ts';
import { rowHeightOf } from '#dashboard/logs/list/row.tsx';

describe('The columns of the list', () => {
  it('are all of them where they fit', () => {
    expect(columnsFor({ widthRem: 75, timeRem: 9.5, figures: [] })).toEqual([
      ...['time', 'model', 'status', 'input', 'output', 'cost_usd', 'time_to_first_token_ms', 'latency_ms'],
      ...['user', 'key'],
    ]);
  });

  it('are fewer in a narrow list, the least important ones are left out first', () => {
    const shown = (widthRem: number) => columnsFor({ widthRem, timeRem: 9.5, figures: [] });
    expect(shown(66)).toEqual([
      ...['time', 'model', 'status', 'total_tokens', 'cost_usd', 'time_to_first_token_ms', 'latency_ms'],
      ...['user', 'key'],
    ]);
    expect(shown(60)).toEqual([
      ...['time', 'model', 'status', 'total_tokens', 'cost_usd', 'time_to_first_token_ms', 'latency_ms'],
      'user',
    ]);
    expect(shown(54)).toEqual(['time', 'model', 'status', 'total_tokens', 'cost_usd', 'latency_ms', 'user']);
    expect(shown(45)).toEqual(['time', 'model', 'status', 'total_tokens', 'cost_usd', 'latency_ms']);
    expect(shown(42)).toEqual(['time', 'model', 'status', 'cost_usd', 'latency_ms']);
    expect(shown(38)).toBeNull();
  });

  it('include the figures that the list is about', () => {
    const shown = columnsFor({ widthRem: 85, timeRem: 9.5, figures: ['total_tokens', 'retries'] });
    expect(shown?.slice(3)).toEqual([
      ...['input', 'output', 'total_tokens', 'cost_usd', 'time_to_first_token_ms', 'latency_ms', 'retries'],
      ...['user', 'key'],
    ]);
  });

  it('include the route if a request has named one, as long as there is room', () => {
    const shown = (widthRem: number) =>
      columnsFor({ widthRem, timeRem: 9.5, figures: [], hasRoutes: true })?.slice(-3);
    expect(shown(85)).toEqual(['route', 'user', 'key']);
    expect(shown(74)).toEqual(['route', 'user', 'key']);
    expect(shown(66)).toEqual(['latency_ms', 'user', 'key']);
  });

  it('keep the figure by which the list is sorted', () => {
    const room = { widthRem: 50, timeRem: 9.5, figures: ['time_to_first_token_ms'] } as const;
    expect(columnsFor({ ...room, sort: 'time_to_first_token_ms' })).toContain('time_to_first_token_ms');
    expect(columnsFor({ ...room, figures: [] })).not.toContain('time_to_first_token_ms');
  });

  it('make room for the times of the locale', () => {
    expect(columnsFor({ widthRem: 41, timeRem: 9.5, figures: [] })).not.toBeNull();
    expect(columnsFor({ widthRem: 41, timeRem: 14, figures: [] })).toBeNull();
  });

  it('have the user below the model where there is no room for a column', () => {
    expect(isStacked(['time', 'model', 'user'])).toBe(false);
    expect(isStacked(['time', 'model', 'total_tokens'])).toBe(true);
    expect([null, ['model'], ['model', 'user']].map((names) => rowHeightOf(names as ColumnName[]))).toEqual([
      61, 53, 41,
    ]);
    expect(gridTemplate(['time', 'model', 'status'], 9.5)).toBe('9.5rem minmax(8.75rem, 2.35fr) 3rem');
  });

  it('never become smaller than what can be read', () => {
    expect(gridTemplate(['time', 'model', 'status', 'user'], 9.5)).toBe(
      '9.5rem minmax(11rem, 2.35fr) 3rem minmax(6.5rem, 1fr)',
    );
  });
});
