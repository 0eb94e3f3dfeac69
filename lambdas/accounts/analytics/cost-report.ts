/** A summary of costs in the dashboard's form: arranged alike for totals, groups and periods, with money as text. */

import { maxPercentileError } from '#lambdas/costs/rollups/histogram.ts';
import type { Totals } from '#lambdas/costs/rollups/totals.ts';
import { meanUsd, relativeChange } from '#lambdas/platform/money.ts';
import type { GroupList } from '#lambdas/reports/costs/groups/group-list.ts';
import { reportCosts } from '#lambdas/reports/costs/report.ts';
import type { CostSummary } from '#lambdas/reports/costs/summary.ts';
import { daysJson, totalsJson, windowJson } from '#lambdas/reports/costs/summary-json.ts';
import { jsonResponse } from '../http/response.ts';
import { type AnalyticsHandler, type AnalyticsRoute, analyticsRoute } from './call.ts';
import { resolveLocalDates } from './local-bounds.ts';
import type { CostGroup, CostReport, CostTotals, OtherCosts } from './responses.ts';

function toCostReport(summary: CostSummary): CostReport {
  const { totals, window, timeZone, completeUntil, previous, grouping, series, countsRejected } = summary;
  const toTotals = (each: Totals) => costTotals(each, countsRejected.totals);
  const toGroupTotals = (each: Totals) => costTotals(each, countsRejected.groups);
  return {
    window: windowJson(window),
    time_zone: timeZone,
    complete_until: completeUntil,
    max_percentile_error: maxPercentileError,
    totals: toTotals(totals),
    previous: previous && {
      window: windowJson(previous.window),
      totals: toTotals(previous.totals),
      cost_change: relativeChange(previous.totals.cost_usd, totals.cost_usd),
      days: daysJson(previous),
      ...groupListJson(previous.groups, toGroupTotals),
    },
    group_by: grouping?.by ?? null,
    ...groupListJson(grouping, toGroupTotals),
    interval: series?.interval ?? null,
    series: (series?.elements ?? []).map(({ start, end, totals: own, groups }) => ({
      start,
      end,
      totals: toTotals(own),
      ...groupListJson(groups, toGroupTotals),
    })),
  };
}

function costTotals(totals: Totals, countsRejected: boolean): CostTotals {
  const { requests } = totals;
  return {
    ...totalsJson(totals, { countsRejected, usd: (amount) => amount }),
    mean_cost_usd: requests === 0 ? null : meanUsd(totals.cost_usd, requests),
  };
}

function groupListJson(
  list: GroupList | null,
  toTotals: (totals: Totals) => CostTotals,
): { groups: CostGroup[]; other: OtherCosts | null } {
  if (list === null) return { groups: [], other: null };
  const { groups, other } = list;
  return {
    groups: groups.map(({ value, totals }) => ({ value, totals: toTotals(totals) })),
    other: other && { groups: other.groups, totals: toTotals(other.totals) },
  };
}

/** `GET /dashboard/api/analytics/{organization}/costs` */
const getCosts: AnalyticsHandler<CostReport> = async ({ organization, query }, { reports }) =>
  jsonResponse(await reportCosts(reports, organization.id, resolveLocalDates(query), toCostReport));

export const costRoutes: readonly AnalyticsRoute[] = [analyticsRoute('/costs', getCosts)];
