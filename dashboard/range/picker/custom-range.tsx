import { useId, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { localDate, type Range, resolveRange } from '../range.ts';
import { Calendar } from './calendar.tsx';
import { boundsOf, daysOf, type Moments, momentsOf, momentsOfDays } from './moments.ts';

interface CustomRangeProps {
  range: Range;
  /** Whether the range can be applied as it is, before anything is chosen. */
  isSuggestion?: boolean;
  /** Dates or instants; the end is exclusive. */
  onApply: (bounds: { start: string; end: string }) => void;
}

interface Choice {
  moments: Moments;
  /** Whether the first of two days is chosen. */
  isHalf: boolean;
}

/** A calendar in which the first and the last day are chosen, and their times. */
export function CustomRange({ range, isSuggestion = false, onApply }: CustomRangeProps) {
  const [now] = useState(() => new Date());
  const [chosen, setChosen] = useState<Choice | null>(null);
  // Another zone can have another day.
  const { moments, isHalf } = chosen ?? { moments: momentsOf(range, now), isHalf: false };
  const bounds = boundsOf(moments, range.timeZone);
  const mayApply = chosen !== null || isSuggestion;
  const days = daysOf(bounds === null ? momentsOf(range, now) : moments);
  const setMoments = (changed: Partial<Moments>) =>
    setChosen({ moments: { ...moments, ...changed }, isHalf: false });
  return (
    <div className="flex flex-col gap-3">
      <Calendar
        key={range.timeZone}
        selected={isHalf ? { first: days.first, last: null } : days}
        today={localDate(now, range.timeZone)}
        onSelect={(span) => setChosen({ moments: momentsOfDays(span), isHalf: span.last === null })}
      />
      <form
        noValidate
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (mayApply && bounds !== null) onApply(bounds);
        }}
      >
        <p className="text-[0.8125rem] text-muted">Days and times in {zoneTitle(range.timeZone)}</p>
        <MomentField label="From" value={moments.from} onChange={(from) => setMoments({ from })} />
        <MomentField label="To" value={moments.to} onChange={(to) => setMoments({ to })} />
        <div className="flex min-h-8 items-center justify-between gap-3">
          <p role="status" className="text-[0.8125rem] text-muted tabular-nums">
            {textOf(mayApply, bounds, range, now)}
          </p>
          <Button type="submit" size="small" variant="primary" disabled={!mayApply || bounds === null}>
            Apply
          </Button>
        </div>
      </form>
    </div>
  );
}

function textOf(
  mayApply: boolean,
  bounds: { start: string; end: string } | null,
  { timeZone }: Range,
  now: Date,
): string {
  if (!mayApply) return 'Choose days, or type times';
  if (bounds === null) return 'The range must end after it begins';
  return resolveRange({ ...bounds, time_zone: timeZone }, now).title;
}

interface MomentFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function MomentField({ label, value, onChange }: MomentFieldProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-3">
      <label htmlFor={id} className="w-10 shrink-0 text-[0.8125rem] text-muted">
        {label}
      </label>
      <input
        id={id}
        type="datetime-local"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 min-w-0 flex-1 rounded-md border border-control bg-raised px-2 text-base shadow-card focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 sm:text-[0.8125rem]"
      />
    </div>
  );
}
