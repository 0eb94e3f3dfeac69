import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { topBudgetsQuery } from '#dashboard/api/organizations.ts';
import { classNames } from '#dashboard/components/class-names.ts';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Section } from '#dashboard/components/section.tsx';
import {
  ownerName,
  percentColours,
  periodAdjective,
  refusalReason,
  refusedText,
  resetText,
  SpendingBar,
  spendingLevel,
} from '#dashboard/components/spending-bar.tsx';
import { formatPercent } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { BudgetList, BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { BudgetLink } from '../budget-link.tsx';
import { panelLinkClasses } from './panel-link.ts';

const reloadMs = minuteMs;
export const maxShownBudgets = 3;

/** The budgets of which most is spent, in their present periods, and those that refuse requests although less is spent. */
export function BudgetsPanel() {
  const { id: organizationId } = useOrganization();
  const budgets = useQuery({
    ...topBudgetsQuery(organizationId, maxShownBudgets),
    refetchInterval: reloadMs,
  });
  return (
    <Section
      title="Budgets close to their limit, or refusing requests"
      action={
        <Link
          to="/organizations/$organizationId/budgets"
          params={{ organizationId }}
          className={panelLinkClasses}
        >
          All budgets
        </Link>
      }
    >
      <div className="flex min-h-30 flex-col justify-start px-5 py-1 lg:min-h-71">
        <QueryPanel query={budgets} skeleton={<BudgetsSkeleton />}>
          {(list) => <TopBudgets list={list} />}
        </QueryPanel>
      </div>
    </Section>
  );
}

/** The list begins with the budgets of which most is spent. */
export function TopBudgets({ list: { data, ranking } }: { list: Pick<BudgetList, 'data' | 'ranking'> }) {
  const close = data.filter((budget) => spendingLevel(budget) !== 'normal' || budget.refused_requests > 0);
  return (
    <>
      {close.length > 0 ? (
        <ul>
          {close.map((budget) => (
            <BudgetLine key={`${budget.api_key_id}/${budget.period}`} budget={budget} />
          ))}
        </ul>
      ) : (
        <p className="m-auto text-center text-muted">
          {data.length === 0 ? 'No budgets are set' : 'No budget is close to its limit, or refuses requests'}
        </p>
      )}
      {ranking?.complete === false && (
        <p className="mt-auto py-2 text-[0.8125rem] text-muted">
          Of the organization and its 1,000 newest keys with budgets.
        </p>
      )}
    </>
  );
}

function BudgetLine({ budget }: { budget: BudgetSummary }) {
  const { name } = useOrganization();
  const {
    spent_usd: spent,
    amount_usd: amount,
    spent_percent: percent,
    hard,
    refused_requests: refused,
  } = budget;
  const level = spendingLevel(budget);
  return (
    <li className="-mx-3 border-line py-1 not-first:border-t">
      <BudgetLink budget={budget} className="block rounded-lg px-3 py-2 transition-colors hover:bg-hover">
        <span className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate">
            <span className="font-medium">{ownerName(budget, name)}</span>
            <span className="text-muted"> · {periodAdjective(budget)}</span>
          </span>
          <span className={classNames('font-medium whitespace-nowrap tabular-nums', percentColours[level])}>
            {formatPercent(percent ?? 0)}
          </span>
        </span>
        <SpendingBar budget={budget} className="mt-1.5 h-1.5 w-full" />
        <span className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-[0.8125rem] text-muted tabular-nums">
          <span>
            <Usd amount={spent ?? '0'} /> of <Usd amount={amount} />
            {refused === 0 && level === 'exceeded' && hard && ' · requests are refused'}
          </span>
          <span>{resetText(budget.period_end)}</span>
        </span>
        {refused > 0 && (
          <span className="block text-[0.8125rem] text-danger tabular-nums">
            {refusedText(refused)}: {refusalReason(refused)}
          </span>
        )}
      </BudgetLink>
    </li>
  );
}

function BudgetsSkeleton() {
  return (
    <div className="flex flex-col gap-3 py-3">
      <Skeleton className="h-5 w-40" />
      <Skeleton className="h-1.5 w-full" />
      <Skeleton className="h-5 w-56" />
    </div>
  );
}
