import { useEffect, useState } from 'react';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { Tooltip } from '../overlay/tooltip.tsx';
import { formatDate, formatDateTime, formatFullTime, formatRelativeTime } from './time-format.ts';
import { isUtc, useTimeZone, zoneTitle } from './time-zone.ts';

interface TimeProps {
  /** ISO 8601. */
  value: string;
  format?: 'date' | 'date-time' | 'relative';
  /** Lets keyboards reach the tooltip. Leave it out in long lists, where each time would be a stop. */
  focusable?: boolean;
}

/** A time in the zone of the view, with the full time, the zone and UTC in a tooltip. */
export function Time({ value, format = 'date-time', focusable = false }: TimeProps) {
  const timeZone = useTimeZone();
  const time = new Date(value);
  return (
    <Tooltip content={<TimeInZones time={time} timeZone={timeZone} />}>
      <time
        dateTime={value}
        tabIndex={focusable ? 0 : undefined}
        className="rounded-sm whitespace-nowrap tabular-nums"
      >
        {format === 'relative' ? (
          <RelativeTime time={time} />
        ) : format === 'date' ? (
          formatDate(time, undefined, timeZone)
        ) : (
          formatDateTime(time, undefined, timeZone)
        )}
      </time>
    </Tooltip>
  );
}

/** The full time in the zone, and in UTC if that is another one: the content of a tooltip. */
export function TimeInZones({ time, timeZone }: { time: Date; timeZone: string }) {
  const zones = isUtc(timeZone) ? ['UTC'] : [timeZone, 'UTC'];
  return (
    <span className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 tabular-nums">
      {zones.map((zone) => (
        <span key={zone} className="contents">
          <span className="text-muted">{zoneTitle(zone)}</span>
          <span>{formatFullTime(time, undefined, zone)}</span>
        </span>
      ))}
    </span>
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
