import { Gauge } from 'lucide-react';
import type { ReactNode } from 'react';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { BudgetRow } from './budget-row.tsx';

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
  return (
    <ul>
      {budgets.map((budget) => (
        <BudgetRow
          key={`${budget.api_key_id}/${budget.period}`}
          budget={budget}
          keyName={budget.api_key_id && (budget.api_key_name ?? budget.api_key_id)}
          actions={actions && { change: () => actions.change(budget), remove: () => actions.remove(budget) }}
        />
      ))}
    </ul>
  );
}

/** @param action the button that sets a budget; null if the user may not */
export function NoBudgets({ action }: { action: ReactNode }) {
  return (
    <EmptyState icon={Gauge} title="No budgets yet" action={action}>
      {action
        ? 'A budget shows how much of an amount is spent. With a hard stop, requests that might exceed it are refused.'
        : 'Admins of this organization can limit what it and its keys may spend.'}
    </EmptyState>
  );
}

/** Two budgets, at their final height. */
export function BudgetsSkeleton() {
  return (
    <div className="divide-y divide-line">
      {['w-40', 'w-56'].map((width) => (
        <div key={width} className="flex h-26 flex-col justify-center gap-3 px-5">
          <Skeleton className={`h-4 ${width}`} />
          <Skeleton className="h-2 w-full" />
          <Skeleton className="h-4 w-48" />
        </div>
      ))}
    </div>
  );
}
