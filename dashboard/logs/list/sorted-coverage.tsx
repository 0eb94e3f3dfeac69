import type { TimeBounds } from '#dashboard/api/analytics.ts';
import { LinkButton } from '#dashboard/components/button.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import { type Range, rangeInstants } from '#dashboard/range/range.ts';
import type { LogList } from '#lambdas/accounts/analytics/responses.ts';

type Sorted = NonNullable<LogList['sorted']>;
type Bounds = Pick<TimeBounds, 'start' | 'end'>;

interface SortedCoverageProps {
  sorted: Sorted;
  range: Range;
  onRangeChange: (bounds: Bounds) => void;
}

/** Says which requests a sorted list covers, if these are not all of the range, and offers both parts as ranges. */
export function SortedCoverage({ sorted, range, onRangeChange }: SortedCoverageProps) {
  const parts = partsOfRange(sorted, range);
  if (parts === null) return null;
  const time = formatDateTime(new Date(parts.dividedAt), undefined, range.timeZone);
  return (
    <p
      role="status"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-5 py-2.5 text-[0.8125rem] text-muted"
    >
      <span>
        Sorted among the {formatCount(sorted.searched_entries)} newest requests, since {time}
      </span>
      <LinkButton onClick={() => onRangeChange(parts.newer)}>Show only these</LinkButton>
      <LinkButton onClick={() => onRangeChange(parts.older)}>Continue before {time}</LinkButton>
    </p>
  );
}

/** Divides the range where the search has ended; `null` if it has reached the range's start. */
export function partsOfRange(
  { searched_back_to: dividedAt }: Pick<Sorted, 'searched_back_to'>,
  { bounds, timeZone }: Pick<Range, 'bounds' | 'timeZone'>,
): { dividedAt: string; newer: Bounds; older: Bounds } | null {
  if (dividedAt === null) return null;
  // Both bounds of a range are dates, or both are times.
  const { start, end } = rangeInstants(bounds, new Date(), timeZone);
  return {
    dividedAt,
    newer: { start: dividedAt, end: bounds.end === undefined ? undefined : end.toISOString() },
    older: { start: start.toISOString(), end: dividedAt },
  };
}
