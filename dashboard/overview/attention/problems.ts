/** Problems of an organization, as far as its figures tell. */
import {
  ownerName,
  periodAdjective,
  refusalReason,
  refusedText,
  spendingLevel,
} from '#dashboard/components/spending-bar.tsx';
import { formatCount, formatPercent, formatShare } from '#dashboard/components/values/number-format.ts';
import { unpricedSentence } from '#dashboard/metrics/uncertainty.ts';
import type { CostGroup, CostTotals, Projection } from '#lambdas/accounts/analytics/responses.ts';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';

/** A budget of which little is left. */
interface BudgetProblem {
  kind: 'budget';
  title: string;
  isUrgent: boolean;
  budget: BudgetSummary;
}

/** A month whose projected cost is above the budget. */
interface ProjectionProblem {
  kind: 'projection';
  title: string;
  isUrgent: false;
  projectedUsd: string;
  amountUsd: string;
}

/** A provider of which a remarkable share of requests failed. */
interface ProviderProblem {
  kind: 'provider';
  title: string;
  isUrgent: true;
  provider: string;
  errors: number;
  /** How most of them ended. */
  outcome: 'provider_error' | 'timeout';
  requests: number;
}

/** Requests of the range that have no known price. */
interface UnpricedProblem {
  kind: 'unpriced';
  title: string;
  isUrgent: false;
}

export type Problem = BudgetProblem | ProjectionProblem | ProviderProblem | UnpricedProblem;

/** @param organizationName for the organization's own budgets */
export function budgetProblems(budgets: readonly BudgetSummary[], organizationName: string): BudgetProblem[] {
  return budgets.flatMap((budget): BudgetProblem[] => {
    const level = spendingLevel(budget);
    const refused = budget.refused_requests;
    if (level === 'normal' && refused === 0) return [];
    const isUrgent = (level === 'exceeded' && budget.hard) || refused > 0;
    return [{ kind: 'budget', title: budgetTitle(budget, organizationName), isUrgent, budget }];
  });
}

function budgetTitle(budget: BudgetSummary, organizationName: string): string {
  const { hard, refused_requests: refused } = budget;
  const level = spendingLevel(budget);
  const [owner, period] = [ownerName(budget, organizationName), periodAdjective(budget)];
  if (refused > 0 && level !== 'exceeded')
    return `${refusedText(refused)} by the ${period} budget of ${owner}: ${refusalReason(refused)}`;
  const spent = `${owner} has spent ${formatPercent(budget.spent_percent ?? 0)} of its ${period} budget`;
  if (refused > 0) return `${spent}: ${refusedText(refused)}`;
  // Before the first refusal, that of all requests is to be expected.
  return level === 'exceeded' && hard ? `${spent}: its requests are refused` : spent;
}

/** Null while the projection is within the budget, or unknown. */
export function projectionProblem({
  projected_usd: projectedUsd,
  budget,
}: Projection): ProjectionProblem | null {
  const percent = budget?.projected_percent ?? null;
  if (projectedUsd === null || budget === null || percent === null || percent <= 100) return null;
  return {
    kind: 'projection',
    title: `This month is projected at ${formatPercent(percent)} of its budget`,
    isUrgent: false,
    projectedUsd,
    amountUsd: budget.amount_usd,
  };
}

/** Null if all requests have a known price. */
export function unpricedProblem(totals: CostTotals): UnpricedProblem | null {
  const title = unpricedSentence(totals);
  return title === null ? null : { kind: 'unpriced', title, isUrgent: false };
}

const minErrors = 3;
const minErrorShare = 0.1;

/** @param groups by provider, of about an hour; the providers with the most errors come first */
export function providerProblems(groups: readonly CostGroup[]): ProviderProblem[] {
  return groups
    .flatMap(({ value, totals }) => {
      const { requests, provider_error_requests: failed, timeout_requests: timeouts } = totals;
      const errors = failed + timeouts;
      const share = errors / requests;
      if (value === null || errors < minErrors || share < minErrorShare) return [];
      const outcome = timeouts > failed ? ('timeout' as const) : ('provider_error' as const);
      return [{ provider: value, errors, outcome, requests, share }];
    })
    .sort((one, other) => other.errors - one.errors)
    .map(({ provider, errors, outcome, requests, share }) => ({
      kind: 'provider',
      title: `${provider} fails: ${formatShare(share)} of ${formatCount(requests)} requests in the last hour`,
      isUrgent: true,
      provider,
      errors,
      outcome,
      requests,
    }));
}
