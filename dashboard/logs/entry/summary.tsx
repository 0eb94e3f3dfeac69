import { useSearch } from '@tanstack/react-router';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { formatDuration } from '#dashboard/components/values/number-format.ts';
import { formatFullTime } from '#dashboard/components/values/time-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import type { EntryProps } from './entry-props.ts';

/** The line below the heading. */
export function Summary({ entry }: EntryProps) {
  const { time_zone: timeZone = 'UTC' } = useSearch({ strict: false });
  return (
    <span className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5 tabular-nums">
      <StatusCode entry={entry} />
      <span>{outcomeLooks[entry.outcome].title}</span>
      <Dot />
      <span className="font-medium text-text">
        <EntryCost entry={entry} unreported="No cost reported">
          {formatExactUsd(entry.cost_usd)}
        </EntryCost>
      </span>
      <Dot />
      <span>{formatDuration(entry.latency_ms)}</span>
      <Dot />
      <time dateTime={entry.created_at}>
        {formatFullTime(new Date(entry.created_at), undefined, timeZone)}
      </time>
    </span>
  );
}

function Dot() {
  return (
    <span aria-hidden className="text-placeholder max-sm:hidden">
      ·
    </span>
  );
}
