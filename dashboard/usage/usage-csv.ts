/** A report over time as comma-separated values: a line for each period and group, with exact amounts. */

import { saveCsv } from '#dashboard/api/download.ts';
import { filterOfGroup } from '#dashboard/filters/cost-filters.ts';
import { figureNames, figuresOf } from '#dashboard/metrics/group-list/csv.ts';
import { localDate } from '#dashboard/range/range.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { csvLine } from '#lambdas/platform/csv.ts';

/**
 * Without groups, a line for each period. With groups, those that have requests in the period, and a line for the groups
 * that are not listed, whose `is_other` is true. A group without a value has an empty field.
 */
export function usageCsv(report: CostReport, keyNames: ReadonlyMap<string, string>): string {
  const { group_by: group, time_zone: timeZone } = report;
  const nameColumns = group === 'api_key' ? ['api_key_name'] : [];
  const groupNames = group === null ? [] : ['is_other', filterOfGroup[group], ...nameColumns];
  const header = ['period_start', 'period_end', 'time_zone', ...groupNames, ...figureNames];
  const lines = report.series.flatMap(({ start, end, totals, groups, other }) => {
    const period = [start, end, timeZone];
    if (group === null) return [[...period, ...figuresOf(totals)]];
    const nameOf = (value: string | null) =>
      group === 'api_key' ? [value === null ? null : (keyNames.get(value) ?? null)] : [];
    return [
      ...groups.map(({ value, totals: own }) => [
        ...period,
        false,
        value,
        ...nameOf(value),
        ...figuresOf(own),
      ]),
      ...(other ? [[...period, true, null, ...nameOf(null), ...figuresOf(other.totals)]] : []),
    ];
  });
  return [header, ...lines].map((line) => csvLine(line)).join('');
}

/** Returns text such as "usage-by-model-2026-10-24-to-2026-11-23.csv": the days of the first and the last period. */
export function usageFileName({ group_by: group, series, time_zone: timeZone }: CostReport): string {
  const dates = [series[0], series.at(-1)].map((period) =>
    period === undefined ? '' : localDate(new Date(period.start), timeZone),
  );
  return `usage${group === null ? '' : `-by-${filterOfGroup[group].replaceAll('_', '-')}`}-${dates.join('-to-')}.csv`;
}

export function saveUsage(report: CostReport, keyNames: ReadonlyMap<string, string>): void {
  saveCsv(usageCsv(report, keyNames), usageFileName(report));
}
