/** The link of the logs view: its range, filters and whether it follows new requests. */
import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';
import { isOutcome } from './outcome.ts';

/** In the order of the menu and of the chips. They are the names of the API's parameters. */
export const filterNames = [
  'model',
  'provider',
  'api_key_id',
  'prompt_id',
  'session_id',
  'user_id',
  'outcome',
  'status',
  'error_code',
  'service_tier',
] as const;

export type FilterName = (typeof filterNames)[number];

export type LogFilters = { [Name in FilterName]?: string };

export interface LogsSearch extends RangeSearch, LogFilters {
  /** Only with a range up to the present. */
  live?: '1';
}

/** Ignores what is not valid. */
export function parseLogsSearch(search: Record<string, unknown>): LogsSearch {
  const range = parseRangeSearch(search);
  return { ...range, ...filtersOf(search), live: search.live === '1' && isOpen(range) ? '1' : undefined };
}

/** Returns the filters of a link, without those that are not valid. */
export function filtersOf(search: Record<string, unknown>): LogFilters {
  const filters: LogFilters = {};
  for (const name of filterNames) {
    const value = search[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && isFilterValue(name, text)) filters[name] = text;
  }
  return filters;
}

function isFilterValue(name: FilterName, value: string): boolean {
  if (name === 'outcome') return isOutcome(value);
  if (name === 'status') return isStatus(value);
  return value !== '';
}

export function isStatus(text: string): boolean {
  return /^[1-5]\d\d$/.test(text);
}

/** Whether the range reaches the present. */
export function isOpen({ range, start, end }: RangeSearch): boolean {
  return start === undefined ? range !== 'yesterday' && range !== 'last-month' : end === undefined;
}
