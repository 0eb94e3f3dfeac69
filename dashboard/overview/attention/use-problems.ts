import { useQuery } from '@tanstack/react-query';
import { costsQuery, projectionQuery } from '#dashboard/api/analytics.ts';
import { topBudgetsQuery } from '#dashboard/api/organizations.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { maxShownBudgets } from '../panels/budgets-panel.tsx';
import {
  budgetProblems,
  type Problem,
  projectionProblem,
  providerProblems,
  unpricedProblem,
} from './problems.ts';

const maxProviders = 20;
const windowStepMs = 10 * minuteMs;

/** Returns what is wrong, the most urgent first. What cannot be loaded is left out: its panels say so. */
export function useProblems(report: CostReport | undefined): Problem[] {
  const { id: organizationId, name } = useOrganization();
  const budgets = useQuery(topBudgetsQuery(organizationId, maxShownBudgets)).data?.data ?? [];
  const hasMonthlyBudget = budgets.some(
    ({ api_key_id: keyId, period }) => keyId === null && period === 'month',
  );
  const projection = useQuery({ ...projectionQuery(organizationId), enabled: hasMonthlyBudget }).data;
  const providers = useQuery(
    costsQuery(organizationId, { start: anHourAgo(), group_by: 'provider', limit: maxProviders }),
  ).data;
  const projected = projection && projectionProblem(projection);
  const unpriced = report && unpricedProblem(report.totals);
  const problems: Problem[] = [
    ...providerProblems(providers?.groups ?? []),
    ...budgetProblems(budgets, name),
    ...(projected ? [projected] : []),
    ...(unpriced ? [unpriced] : []),
  ];
  return problems.sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent));
}

/** Moves on in steps, since the sums of each start are a query of their own. */
function anHourAgo(): string {
  return new Date(Math.floor(Date.now() / windowStepMs) * windowStepMs - hourMs).toISOString();
}
