import { Badge } from '#dashboard/components/badge.tsx';
import { formatPercent } from '#dashboard/components/values/number-format.ts';
import { formatMonthDay, formatUtcTime } from '#dashboard/components/values/time-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import type { BudgetForecast } from './forecast.ts';

interface ForecastLineProps {
  budget: BudgetSummary;
  /** Null if there is none yet. */
  forecast: BudgetForecast | null;
}

/** The expected spend at the end of the period, and when the budget is reached before. */
export function ForecastLine({ budget, forecast }: ForecastLineProps) {
  if (forecast === null) return null;
  const { expectedUsd, percent, verdict } = forecast;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted tabular-nums">
      {verdict === 'within' ? (
        // A budget that refuses requests is not well, however little it has spent.
        budget.refused_requests === 0 && <Badge tone="success">Within budget</Badge>
      ) : (
        <Badge tone="warning">{verdict === 'spent' ? 'Spent' : 'Above budget'}</Badge>
      )}
      <span>
        Expected by the end of the {budget.period}: <Usd amount={expectedUsd} /> ({formatPercent(percent)})
        {forecast.reachedAt && `, reached about ${reachedText(budget, forecast.reachedAt)}`}
      </span>
    </p>
  );
}

/** Returns text such as "27 Nov", and of a daily budget "14:30 UTC". */
export function reachedText(
  { period }: BudgetSummary,
  reachedAt: Date,
  locale?: Intl.LocalesArgument,
): string {
  return period === 'day'
    ? `${formatUtcTime(reachedAt, locale)} UTC`
    : formatMonthDay(reachedAt.toISOString().slice(0, 10), locale);
}
