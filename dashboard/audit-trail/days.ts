import { formatDate } from '#dashboard/components/values/time-format.ts';
import type { AuditRecordSummary } from '#lambdas/accounts/organizations/responses.ts';

interface Day {
  /** "Today", or the date. */
  title: string;
  records: AuditRecordSummary[];
}

/** Groups records, the newest first, by the day in the user's zone. */
export function groupByDay(
  records: readonly AuditRecordSummary[],
  now: Date,
  locale?: Intl.LocalesArgument,
  timeZone?: string,
): Day[] {
  const dateOf = (time: Date) => formatDate(time, locale, timeZone);
  const today = dateOf(now);
  const days: Day[] = [];
  for (const record of records) {
    const date = dateOf(new Date(record.at));
    const title = date === today ? 'Today' : date;
    const last = days.at(-1);
    if (last?.title === title) last.records.push(record);
    else days.push({ title, records: [record] });
  }
  return days;
}
