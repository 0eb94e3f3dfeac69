import { findBudgetRecord } from '#lambdas/limits/budget-store.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { readCostReport } from '#lambdas/reports/costs/report.ts';
import type { CostSummary } from '#lambdas/reports/costs/summary.ts';
import type { Projection } from '../responses.ts';
import type { AnalyticsServices } from '../services.ts';
import { projectionWindows, projectMonth } from './projection.ts';

export async function readProjection(
  { reports, directoryTable, now }: Pick<AnalyticsServices, 'reports' | 'directoryTable' | 'now'>,
  organizationId: string,
): Promise<Projection> {
  const at = now();
  const windows = projectionWindows(at);
  const readSummary = ({ startMs, endMs }: TimeWindow): Promise<CostSummary> => {
    const [start, end] = [startMs, endMs].map((ms) => [new Date(ms).toISOString()]);
    return readCostReport(reports, organizationId, { start, end }, (summary) => summary);
  };
  const [month, averaged, budgetRecord] = await Promise.all([
    readSummary(windows.month),
    readSummary(windows.averaged),
    findBudgetRecord(directoryTable, { organizationId, keyId: null }),
  ]);
  const [completeUntil = ''] = [month.completeUntil, averaged.completeUntil].sort();
  const budget = budgetRecord?.budgets.month ?? null;
  const { cost_usd: averagedUsd } = averaged.totals;
  return projectMonth({ spent: month.totals, averagedUsd, completeUntil, budget }, at);
}
