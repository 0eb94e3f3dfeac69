import { isGreaterUsd } from '#dashboard/components/values/usd-format.ts';
import type { Projection } from '#lambdas/accounts/analytics/responses.ts';

type Verdict = 'within' | 'above';

/** Whether the projected spending stays within the budget; null without either. */
export function verdictOf({ projected_usd, budget }: Projection): Verdict | null {
  if (projected_usd === null || budget === null) return null;
  return isGreaterUsd(projected_usd, budget.amount_usd) ? 'above' : 'within';
}

/** Positions on the bar in percent of its width. */
interface ProjectionBarShares {
  spent: number;
  /** Ends the projected part; null without a projection. */
  projected: number | null;
  /** Null without a budget. */
  budget: number | null;
}

/** The bar is as wide as the largest amount. For drawing only: binary numbers are precise enough. */
export function barShares({ spent_usd, projected_usd, budget }: Projection): ProjectionBarShares {
  const spent = Math.max(0, Number(spent_usd));
  const projected = projected_usd === null ? null : Math.max(0, Number(projected_usd));
  const limit = budget === null ? null : Number(budget.amount_usd);
  const width = Math.max(spent, projected ?? 0, limit ?? 0);
  const share = (amount: number) => (width === 0 ? 0 : Math.round((amount / width) * 10_000) / 100);
  return {
    spent: share(spent),
    projected: projected === null ? null : share(projected),
    budget: limit === null ? null : share(limit),
  };
}
