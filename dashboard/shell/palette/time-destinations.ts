import { dateFormat, type Locale } from '#dashboard/components/values/locale.ts';
import { zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { addDays, localDate } from '#dashboard/range/range.ts';
import { instantOfClock } from '#dashboard/range/zone.ts';
import { hourMs } from '#lambdas/platform/duration.ts';
import type { Destination } from './destination.ts';
import { parseTypedTime } from './typed-time.ts';

interface Present {
  now: Date;
  /** The zone in which people type times. */
  timeZone: string;
  locale?: Locale;
}

/** The logs of a day, or of the hour from a time on. */
export function timeDestinations(
  organizationId: string,
  text: string,
  { now, timeZone, locale }: Present,
): Destination[] {
  const typed = parseTypedTime(text, localDate(now, timeZone));
  if (typed === null) return [];
  const { date, clock } = typed;
  const toDestination = (bounds: { start: string; end: string }, title: string): Destination => ({
    id: `time/${bounds.start}`,
    kind: 'Logs',
    title: `Logs of ${title}`,
    detail: zoneTitle(timeZone),
    link: {
      to: '/organizations/$organizationId/logs',
      params: { organizationId },
      search: { ...bounds, time_zone: timeZone },
    },
  });
  if (clock === null) {
    const format = dateFormat({ dateStyle: 'full', timeZone: 'UTC' }, locale);
    return [toDestination({ start: date, end: addDays(date, 1) }, format.format(new Date(date)))];
  }
  const start = instantOfClock(new Date(`${date}T${clock}:00Z`), timeZone);
  const end = new Date(start.getTime() + hourMs);
  const format = dateFormat({ dateStyle: 'medium', timeStyle: 'short', timeZone }, locale);
  return [
    toDestination({ start: start.toISOString(), end: end.toISOString() }, format.formatRange(start, end)),
  ];
}
