import { useEffect, useState } from 'react';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { Tooltip } from '../overlay/tooltip.tsx';
import { formatDate, formatDateTime, formatFullTime, formatRelativeTime } from './time-format.ts';

interface TimeProps {
  /** ISO 8601. */
  value: string;
  format?: 'date' | 'date-time' | 'relative';
  /** Lets keyboards reach the tooltip. Leave it out in long lists, where each time would be a stop. */
  focusable?: boolean;
}

/** A time in the user's locale and zone, with the full time and UTC in a tooltip. */
export function Time({ value, format = 'date-time', focusable = false }: TimeProps) {
  const time = new Date(value);
  return (
    <Tooltip
      content={
        <span className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 tabular-nums">
          <span className="text-muted">Local</span>
          <span>{formatFullTime(time)}</span>
          <span className="text-muted">UTC</span>
          <span>{formatFullTime(time, undefined, 'UTC')}</span>
        </span>
      }
    >
      <time
        dateTime={value}
        tabIndex={focusable ? 0 : undefined}
        className="rounded-sm whitespace-nowrap tabular-nums"
      >
        {format === 'relative' ? (
          <RelativeTime time={time} />
        ) : format === 'date' ? (
          formatDate(time)
        ) : (
          formatDateTime(time)
        )}
      </time>
    </Tooltip>
  );
}

function RelativeTime({ time }: { time: Date }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const interval = setInterval(() => setNow(new Date()), minuteMs);
    return () => clearInterval(interval);
  }, []);
  return formatRelativeTime(time, now);
}
