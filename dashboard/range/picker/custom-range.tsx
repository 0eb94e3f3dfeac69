import { useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { addDays, localDate, type Range, rangeInstants, resolveRange } from '../range.ts';
import { Calendar, type DateSpan } from './calendar.tsx';

interface CustomRangeProps {
  range: Range;
  /** Dates; the end is exclusive. */
  onApply: (bounds: { start: string; end: string }) => void;
}

/** A calendar in which the first and the last day are chosen. */
export function CustomRange({ range, onApply }: CustomRangeProps) {
  const [now] = useState(() => new Date());
  const [chosen, setChosen] = useState<DateSpan | null>(null);
  const shown = chosen ?? datesOf(range, now);
  const bounds = { start: shown.first, end: addDays(shown.last ?? shown.first, 1) };
  return (
    <div className="flex flex-col gap-3">
      <Calendar
        // Another zone can have another day.
        key={range.timeZone}
        selected={shown}
        today={localDate(now, range.timeZone)}
        onSelect={setChosen}
      />
      <div className="flex min-h-8 items-center justify-between gap-3">
        <p role="status" className="text-[0.8125rem] text-muted tabular-nums">
          {chosen === null ? 'Choose the first and last day' : resolveRange(bounds, now).title}
        </p>
        <Button size="small" variant="primary" disabled={chosen === null} onClick={() => onApply(bounds)}>
          Apply
        </Button>
      </div>
    </div>
  );
}

/** The days of which the range contains a part. */
export function datesOf({ bounds, timeZone }: Range, now: Date): DateSpan {
  const { start, end } = rangeInstants(bounds, now, timeZone);
  return {
    first: localDate(start, timeZone),
    last: localDate(new Date(end.getTime() - 1), timeZone),
  };
}
