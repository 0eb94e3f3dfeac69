/** Projects the cost of the current UTC month. */

import type { Totals } from '#lambdas/costs/rollups/totals.ts';
import type { Budget } from '#lambdas/limits/budgets/budget.ts';
import { elapsedShare, expectedSpend } from '#lambdas/limits/budgets/expected-spend.ts';
import { findBudgetRecord } from '#lambdas/limits/budgets/store.ts';
import { wholePercent } from '#lambdas/platform/money.ts';
import { endOfPeriod, periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { totalsQuery } from '#lambdas/reports/costs/query.ts';
import { summarizeQuery } from '#lambdas/reports/costs/report.ts';
import { type UncertainCosts, uncertainShare } from '#lambdas/request-log/uncertainty.ts';
import type { AnalyticsDependencies } from './call.ts';
import type { Projection } from './responses.ts';

function monthOf(now: Date): TimeWindow {
  const nowMs = now.getTime();
  return { startMs: startOfPeriod('month', nowMs), endMs: endOfPeriod('month', nowMs) };
}

interface ProjectedCosts {
  /** In the current month. */
  spent: UncertainCosts & Pick<Totals, 'cost_usd' | 'unpriced_requests'>;
  /** In RFC 3339. */
  completeUntil: string;
  /** The organization's budget for the month. */
  budget: Budget | null;
}

export function projectMonth({ spent, completeUntil, budget }: ProjectedCosts, now: Date): Projection {
  const { cost_usd: spentUsd, unpriced_requests } = spent;
  const month = monthOf(now);
  const projectedUsd = expectedSpend(spentUsd, month, now.getTime());
  return {
    month: periodText('month', now.getTime()),
    complete_until: completeUntil,
    spent_usd: spentUsd,
    unpriced_requests,
    uncertain_cost_share: uncertainShare(spent),
    elapsed_share: elapsedShare(month, now.getTime()),
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
  const [{ totals, completeUntil }, budgetRecord] = await Promise.all([
    summarizeQuery(reports, organizationId, totalsQuery(monthOf(at))),
    findBudgetRecord(directoryTable, { organizationId, keyId: null }),
  ]);
  return projectMonth({ spent: totals, completeUntil, budget: budgetRecord?.budgets.month ?? null }, at);
}
