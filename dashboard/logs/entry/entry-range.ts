/** The range of links from an entry to other views. */

import { addDays, parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';
import { dayMs } from '#lambdas/platform/duration.ts';

/** The default range of the views. */
const defaultDays = 30;

/** Returns that of the list that the entry was opened from, or else one with the entry: its day, if it is old. */
export function entryRange(search: Record<string, unknown>, createdAt: string, now: Date): RangeSearch {
  const range = parseRangeSearch(search);
  if (range.range !== undefined || range.start !== undefined) return range;
  if (now.getTime() - Date.parse(createdAt) < (defaultDays - 1) * dayMs) return range;
  const date = createdAt.slice(0, 10);
  return { start: date, end: addDays(date, 1) };
}
