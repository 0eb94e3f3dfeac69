/** Projects the cost of the current UTC month. */

import type { Totals } from '#lambdas/costs/rollups/totals.ts';
import type { Budget } from '#lambdas/limits/budgets/budget.ts';
import { findBudgetRecord } from '#lambdas/limits/budgets/store.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { fromUnits, meanUsd, toUnits, type Usd, wholePercent } from '#lambdas/platform/money.ts';
import { endOfPeriod, type Period, periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { totalsQuery } from '#lambdas/reports/costs/query.ts';
import { summarizeQuery } from '#lambdas/reports/costs/report.ts';
import { type UncertainCosts, uncertainShare } from '#lambdas/request-log/uncertainty.ts';
import type { AnalyticsDependencies } from './call.ts';
import type { Projection } from './responses.ts';

/** The full days before today whose average cost is assumed for each remaining day of the month. */
const averagedDays = 7;
/** On earlier days of the month, there is too little to project from. */
const firstProjectedDay = 4;

interface ProjectionWindows {
  month: TimeWindow;
  averaged: TimeWindow;
}

export function projectionWindows(now: Date): ProjectionWindows {
  const todayMs = startOf('day', now);
  return {
    month: { startMs: startOf('month', now), endMs: endOfPeriod('month', now.getTime()) },
    averaged: { startMs: todayMs - averagedDays * dayMs, endMs: todayMs },
  };
}

function startOf(period: Period, now: Date): number {
  return startOfPeriod(period, now.getTime());
}

interface ProjectedCosts {
  /** In the current month. */
  spent: UncertainCosts & Pick<Totals, 'cost_usd' | 'unpriced_requests'>;
  /** In the full days before today. */
  averagedUsd: Usd;
  /** In RFC 3339. */
  completeUntil: string;
  /** The organization's budget for the month. */
  budget: Budget | null;
}

/** Rounds once, half up, so the projection may differ from the rounded average for each day. */
export function projectMonth(
  { spent, averagedUsd, completeUntil, budget }: ProjectedCosts,
  now: Date,
): Projection {
  const { cost_usd: spentUsd, unpriced_requests } = spent;
  const { month } = projectionWindows(now);
  const daysLeft = (month.endMs - startOf('day', now)) / dayMs - 1;
  const rest = meanUsd(fromUnits(toUnits(averagedUsd) * BigInt(daysLeft)), averagedDays);
  const isProjected = now.getUTCDate() >= firstProjectedDay;
  const projectedUsd = isProjected ? fromUnits(toUnits(spentUsd) + toUnits(rest)) : null;
  return {
    month: periodText('month', now.getTime()),
    complete_until: completeUntil,
    spent_usd: spentUsd,
    unpriced_requests,
    uncertain_cost_share: uncertainShare(spent),
    daily_usd: meanUsd(averagedUsd, averagedDays),
    days_left: daysLeft,
    projected_usd: projectedUsd,
    budget: budget && {
      amount_usd: budget.amountUsd,
      hard: budget.hard,
      projected_percent: projectedUsd === null ? null : wholePercent(projectedUsd, budget.amountUsd),
    },
  };
}

export async function readProjection(
  { reports, directoryTable, now }: Pick<AnalyticsDependencies, 'reports' | 'directoryTable' | 'now'>,
  organizationId: string,
): Promise<Projection> {
  const at = now();
  const windows = projectionWindows(at);
  const summarize = (window: TimeWindow) => summarizeQuery(reports, organizationId, totalsQuery(window));
  const [month, averaged, budgetRecord] = await Promise.all([
    summarize(windows.month),
    summarize(windows.averaged),
    findBudgetRecord(directoryTable, { organizationId, keyId: null }),
  ]);
  const [completeUntil = ''] = [month.completeUntil, averaged.completeUntil].sort();
  const budget = budgetRecord?.budgets.month ?? null;
  const { cost_usd: averagedUsd } = averaged.totals;
  return projectMonth({ spent: month.totals, averagedUsd, completeUntil, budget }, at);
}
