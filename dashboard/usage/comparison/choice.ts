/** The choice of a second range that the usage is compared with, which the view's link contains. */
import type { SecondRange } from '#dashboard/api/analytics.ts';
import { earlierRange } from '#dashboard/range/comparison.ts';
import { parseRangeSearch, type Range, rangeInstants, resolveRange } from '#dashboard/range/range.ts';
import { type ComparedOrder, comparedOrders } from './order.ts';

export const comparisonOptions = [
  { value: 'none', label: 'Nothing' },
  { value: 'previous', label: 'As much time before' },
  { value: 'day', label: 'The same hours a day before' },
  { value: 'week', label: 'The same days a week before' },
  { value: 'month', label: 'The same days a month before' },
  { value: 'year', label: 'The same days a year before' },
  { value: 'custom', label: 'Another range' },
] as const;

export type ComparisonChoice = (typeof comparisonOptions)[number]['value'];

/** Without `compare`, the usage is compared with nothing. The bounds are those of a custom range. */
export interface ComparisonSearch {
  compare?: Exclude<ComparisonChoice, 'none'>;
  compare_start?: string;
  compare_end?: string;
  /** The order of the groups; without, the largest change comes first. */
  compare_sort?: ComparedOrder;
}

/** Ignores what is not valid, and bounds without a custom range. */
export function parseComparisonSearch(search: Record<string, unknown>): ComparisonSearch {
  const option = comparisonOptions.find(({ value }) => value === search.compare)?.value ?? 'none';
  if (option === 'none') return {};
  const sort = comparedOrders.find((order) => order === search.compare_sort);
  if (option !== 'custom') return { compare: option, compare_sort: sort };
  const { start, end } = parseRangeSearch({ start: search.compare_start, end: search.compare_end });
  return start === undefined || end === undefined
    ? {}
    : { compare: option, compare_start: start, compare_end: end, compare_sort: sort };
}

/** Returns what a choice changes in the link. Another range has bounds, which are chosen first. */
export function searchOfChoice(choice: Exclude<ComparisonChoice, 'custom'>): ComparisonSearch {
  const compare = choice === 'none' ? undefined : choice;
  return { compare, compare_start: undefined, compare_end: undefined };
}

/** Returns the range from which the choice of another one begins: as much time before. */
export function timeBefore({ bounds, timeZone }: Range, now: Date): Range {
  const { start, end } = rangeInstants(bounds, now, timeZone);
  const earlier = new Date(2 * start.getTime() - end.getTime());
  const second = { start: wholeSeconds(earlier), end: wholeSeconds(start), time_zone: timeZone };
  return resolveRange(second, now);
}

function wholeSeconds(time: Date): string {
  return new Date(Math.floor(time.getTime() / 1000) * 1000).toISOString();
}

export interface ComparisonQuery {
  /** As much time before the range, which the API knows by itself. */
  compare?: 'previous';
  secondRange: SecondRange | null;
}

/** Null without a comparison. */
export function comparisonQuery(search: ComparisonSearch, range: Range): ComparisonQuery | null {
  const { compare } = search;
  if (compare === undefined) return null;
  if (compare === 'previous') return { compare, secondRange: null };
  if (compare !== 'custom') return { secondRange: earlierRange(range, compare) };
  const { bounds, timeZone } = customRange(search, range);
  return {
    secondRange: {
      name: `${bounds.start} ${bounds.end}`,
      boundsAt(now) {
        const { start, end } = rangeInstants(bounds, now, timeZone);
        return { start: start.toISOString(), end: end.toISOString() };
      },
    },
  };
}

/** Returns the second range of a link that has its bounds. */
export function customRange({ compare_start, compare_end }: ComparisonSearch, { timeZone }: Range): Range {
  return resolveRange({ start: compare_start, end: compare_end, time_zone: timeZone }, new Date());
}
