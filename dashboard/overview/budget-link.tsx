import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { refusedSearch } from '#dashboard/filters/logs-search.ts';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';

interface BudgetLinkProps {
  budget: BudgetSummary;
  className: string;
  children: ReactNode;
}

/** Leads to the requests that a budget has refused, or to all budgets if it has refused none. */
export function BudgetLink({ budget, ...look }: BudgetLinkProps) {
  const { id: organizationId } = useOrganization();
  const params = { organizationId };
  return budget.refused_requests > 0 ? (
    <Link to="/organizations/$organizationId/logs" params={params} search={refusedSearch(budget)} {...look} />
  ) : (
    <Link to="/organizations/$organizationId/budgets" params={params} {...look} />
  );
}
