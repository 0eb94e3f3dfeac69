/** The expected spend of budgets at the end of their present periods, by the same rule as the projection of Billing. */
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { expectedSpend } from '#lambdas/limits/budgets/expected-spend.ts';
import { compareUsd, wholePercent } from '#lambdas/platform/money.ts';

export interface BudgetForecast {
  expectedUsd: string;
  /** In whole percent of the amount. */
  percent: number;
  verdict: 'within' | 'above' | 'spent';
  /** When the amount is probably reached; `null` unless the verdict is `above`. */
  reachedAt: Date | null;
}

/** Returns `null` while it is too early, or the spend is not known. */
export function forecastOf(budget: BudgetSummary, now: Date): BudgetForecast | null {
  const { amount_usd: amount, spent_usd: spent } = budget;
  const [startMs, endMs] = [Date.parse(budget.period_start), Date.parse(budget.period_end)];
  // The next period may have begun since the budget was loaded.
  const atMs = Math.min(now.getTime(), endMs);
  const expectedUsd = spent === null ? null : expectedSpend(spent, { startMs, endMs }, atMs);
  if (spent === null || expectedUsd === null) return null;
  const forecast = { expectedUsd, percent: wholePercent(expectedUsd, amount) };
  if (compareUsd(spent, amount) >= 0) return { ...forecast, verdict: 'spent', reachedAt: null };
  if (compareUsd(expectedUsd, amount) <= 0) return { ...forecast, verdict: 'within', reachedAt: null };
  const reachedMs = startMs + (endMs - startMs) * (Number(amount) / Number(expectedUsd));
  return { ...forecast, verdict: 'above', reachedAt: new Date(Math.min(reachedMs, endMs - 1)) };
}
