import { Link } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '#dashboard/components/badge.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { ChangeMenu } from '#dashboard/components/overlay/change-menu.tsx';
import {
  percentColours,
  refusalReason,
  refusedText,
  resetText,
  SpendingBar,
  spendingLevel,
} from '#dashboard/components/spending-bar.tsx';
import { formatPercent } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { refusedSearch } from '#dashboard/filters/logs-search.ts';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type BudgetForecast, forecastOf } from './forecast.ts';
import { ForecastLine } from './forecast-line.tsx';

export interface BudgetActions {
  change: (budget: BudgetSummary) => void;
  remove: (budget: BudgetSummary) => void;
}

interface BudgetRowsProps {
  budgets: readonly BudgetSummary[];
  /** Null if the user may not change budgets. */
  actions: BudgetActions | null;
}

export function BudgetRows({ budgets, actions }: BudgetRowsProps) {
  const now = new Date();
  return (
    <ul>
      {budgets.map((budget) => (
        <BudgetRow
          key={`${budget.api_key_id}/${budget.period}`}
          budget={budget}
          forecast={forecastOf(budget, now)}
          keyName={budget.api_key_id && (budget.api_key_name ?? budget.api_key_id)}
          actions={actions && { change: () => actions.change(budget), remove: () => actions.remove(budget) }}
        />
      ))}
    </ul>
  );
}

/** @param action the button that sets a budget; `null` if the user may not */
export function NoBudgets({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={Gauge} title="No budgets yet" action={action}>
      {action
        ? 'A budget shows how much of an amount is spent. With a hard limit, requests that might exceed it are refused.'
        : 'Admins of this organization can limit what it and its keys may spend.'}
    </EmptyState>
  );
}

/** Two budgets, at their final height. */
export function BudgetsSkeleton() {
  return (
    <div className="divide-y divide-line">
      {['w-40', 'w-56'].map((width) => (
        <div key={width} className="flex h-33 flex-col justify-center gap-3 px-5">
          <Skeleton className={`h-4 ${width}`} />
          <Skeleton className="h-2 w-full" />
          <Skeleton className="h-4 w-48" />
          <Skeleton className="h-4 w-64 max-w-full" />
        </div>
      ))}
    </div>
  );
}

interface BudgetRowProps {
  budget: BudgetSummary;
  forecast: BudgetForecast | null;
  /** The key; `null` for the organization itself. */
  keyName: string | null;
  /** Without, the budget cannot be changed. */
  actions: { change: () => void; remove: () => void } | null;
}

/** A budget with its progress in the present period. */
function BudgetRow({ budget, forecast, keyName, actions }: BudgetRowProps) {
  const periodName = budget.period === 'day' ? 'Daily' : 'Monthly';
  return (
    <li className="flex flex-col gap-2.5 border-line px-5 py-4 not-first:border-t">
      <div className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
          <h3 className="max-w-full min-w-0 font-medium wrap-anywhere">
            {keyName === null || budget.api_key_id === null ? (
              `${periodName} budget`
            ) : (
              <KeyLink keyId={budget.api_key_id} name={keyName} />
            )}
            {keyName !== null && <span className="font-normal text-muted"> · {periodName}</span>}
          </h3>
          <Enforcement budget={budget} />
        </div>
        <Percent budget={budget} />
        {actions && (
          <div className="-my-1.5 -mr-1.5">
            <ChangeMenu
              label={`Actions for the ${periodName.toLowerCase()} budget of ${keyName ?? 'the organization'}`}
              {...actions}
            />
          </div>
        )}
      </div>
      <SpendingBar budget={budget} className="h-2 w-full" />
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5">
        <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
          <Progress budget={budget} />
          {budget.refused_requests > 0 && <Refusals budget={budget} />}
        </div>
        <p className="text-[0.8125rem] text-muted tabular-nums">{resetText(budget.period_end)}</p>
      </div>
      <ForecastLine budget={budget} forecast={forecast} />
    </li>
  );
}

function Percent({ budget }: { budget: BudgetSummary }) {
  if (budget.spent_percent === null) return null;
  return (
    <p
      className={classNames(
        'font-medium whitespace-nowrap tabular-nums',
        percentColours[spendingLevel(budget)],
      )}
    >
      {formatPercent(budget.spent_percent ?? 0)}
    </p>
  );
}

function Enforcement({ budget: { hard, allow_unpriced: allowsUnpriced, state } }: { budget: BudgetSummary }) {
  return (
    <>
      {hard ? <Badge tone="accent">Hard limit</Badge> : <Badge>No hard limit</Badge>}
      {allowsUnpriced && <Badge>Allows unpriced models</Badge>}
      {state === 'activating' && <Badge tone="warning">Activating</Badge>}
    </>
  );
}

function Progress({ budget }: { budget: BudgetSummary }) {
  const { spent_usd: spent, reserved_usd: reserved, amount_usd: amount } = budget;
  if (spent === null) {
    return (
      <p className="text-[0.8125rem] text-muted tabular-nums">
        <span className="text-sm font-medium text-text">
          <Usd amount={amount} />
        </span>{' '}
        takes effect within 30 seconds
      </p>
    );
  }
  return (
    <p className="text-[0.8125rem] text-muted tabular-nums">
      <span className="text-sm font-medium text-text">
        <Usd amount={spent} />
      </span>{' '}
      of <Usd amount={amount} />
      {reserved !== null && reserved !== '0' && (
        <>
          {' '}
          · <Usd amount={reserved} /> reserved
        </>
      )}
    </p>
  );
}

/** Leads to the requests that were refused in the period. */
function Refusals({ budget }: { budget: BudgetSummary }) {
  const { id: organizationId } = useOrganization();
  const { refused_requests: count } = budget;
  return (
    <p className="text-[0.8125rem] text-danger tabular-nums">
      <Link
        to="/organizations/$organizationId/logs"
        params={{ organizationId }}
        search={refusedSearch(budget)}
        className="rounded-sm underline underline-offset-2"
      >
        {refusedText(count)}
      </Link>
      : {refusalReason(count)}
    </p>
  );
}
