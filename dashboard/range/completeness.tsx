import type { UseQueryResult } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { serverTimeMs } from '#dashboard/api/server-clock.ts';
import { completeText, countingOf, lagText } from './counting.ts';
import { useTimeZone } from './zone.ts';

interface CompletenessProps {
  /** The queries of the view's reports; while they load, nothing is said about them. */
  queries: readonly UseQueryResult<{ complete_until: string }>[];
}

/**
 * Tells up to when the figures of a view are complete, and warns if counting lags by more than a minute. It consists of
 * text only, for the description of a `Page`, and keeps its height.
 */
export function Completeness({ queries }: CompletenessProps) {
  const timeZone = useTimeZone();
  const counting = countingOf(
    queries.flatMap(({ data, dataUpdatedAt, isPlaceholderData }) =>
      data === undefined || isPlaceholderData
        ? []
        : [{ completeUntil: data.complete_until, fetchedAtMs: serverTimeMs(dataUpdatedAt) }],
    ),
  );
  const options = { timeZone, now: new Date() };
  return (
    // On phones, the warning takes two lines.
    <span className="block min-h-10 text-[0.8125rem] tabular-nums sm:min-h-5">
      {counting?.lagMs === null && <span className="text-muted">{completeText(counting, options)}</span>}
      <span role="status">
        {counting !== null && counting.lagMs !== null && (
          <span className="flex items-start gap-1.5 font-medium text-warning">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            {lagText(counting.completeUntil, counting.lagMs, options)}
          </span>
        )}
      </span>
    </span>
  );
}
