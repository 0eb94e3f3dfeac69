/** The link of the logs view: its range, filters and whether it follows new requests. */
import { type FilterValues, filterNames, isFilterValue } from '#dashboard/filters/fields.ts';
import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';

export interface LogsSearch extends RangeSearch, FilterValues {
  /** Only with a range up to the present. */
  live?: '1';
}

/** Ignores what is not valid. */
export function parseLogsSearch(search: Record<string, unknown>): LogsSearch {
  const range = parseRangeSearch(search);
  return { ...range, ...parseFilters(search), live: search.live === '1' && isOpen(range) ? '1' : undefined };
}

/** Returns the filters of a link, without those that are not valid. */
export function parseFilters(search: Record<string, unknown>): FilterValues {
  const filters: FilterValues = {};
  for (const name of filterNames) {
    const value = search[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && isFilterValue(name, text)) filters[name] = text;
  }
  return filters;
}

/** Whether the range reaches the present. */
export function isOpen({ range, start, end }: RangeSearch): boolean {
  return start === undefined
    ? range !== 'yesterday' && range !== 'last-week' && range !== 'last-month'
    : end === undefined;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set by links of the list, to which the entry's view then goes back. */
    isFromLogs?: boolean;
  }
}
