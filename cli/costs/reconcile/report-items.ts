import { AdminError } from '#cli/errors.ts';
import type { ReportItem } from '#lambdas/costs/reconcile/compare.ts';
import { endOfPeriod, periodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { ReportPage, ReportRow } from './report-format.ts';
import type { ReportQuery } from './report-pages.ts';

interface CostReport {
  items: ReportItem[];
  /** Days of the period of which the report has not even an empty bucket. */
  missingDays: string[];
}

/** Selects the rows of the period and of the project or workspace. */
export function costReportOf(pages: readonly ReportPage[], query: ReportQuery): CostReport {
  const { period } = query;
  const items: ReportItem[] = [];
  const missingDays = new Set(daysOf(period));
  for (const { startMs, rows } of pages.flatMap(({ buckets }) => buckets)) {
    if (startMs < period.startMs || startMs >= period.endMs) continue;
    const date = periodText('day', startMs);
    // A page that is read or saved twice would double its costs.
    if (!missingDays.delete(date)) throw new AdminError(`the cost report contains the day ${date} twice`);
    for (const row of rows.filter((candidate) => isInScope(candidate, query))) {
      const { model, usd } = row;
      items.push({ date, model, name: row.name ?? `(no ${query.format.nameField})`, usd });
    }
  }
  return { items, missingDays: [...missingDays] };
}

function isInScope({ scope }: ReportRow, { scope: selected, format }: ReportQuery): boolean {
  return selected === null || (scope ?? format.nullScope) === selected;
}

function daysOf({ startMs, endMs }: TimeWindow): string[] {
  const days: string[] = [];
  for (let dayMs = startMs; dayMs < endMs; dayMs = endOfPeriod('day', dayMs))
    days.push(periodText('day', dayMs));
  return days;
}
