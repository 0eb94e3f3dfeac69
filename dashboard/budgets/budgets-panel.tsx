import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, type ReactNode, type RefObject, useRef, useState } from 'react';
import { budgetListQuery } from '#dashboard/api/queries.ts';
import { Button } from '#dashboard/components/button.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { BudgetList, BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import type { BudgetActions } from './budget-rows.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

const BudgetDialog = lazy(() =>
  import('./budget-dialog.tsx').then((module) => ({ default: module.BudgetDialog })),
);

/** A budget that is being set takes effect within seconds. */
const activatingReloadMs = 5000;

interface BudgetsPanelParts {
  budgets: UseQueryResult<BudgetList>;
  /** Null if the user may not change budgets. */
  actions: BudgetActions | null;
  /** Null likewise. */
  setButton: ReactNode;
  /** For the element around the list, which takes the focus when a budget has been removed. */
  listRef: RefObject<HTMLDivElement | null>;
}

/** The budgets of the organization and its keys, and what changes them. The view arranges the parts. */
export function BudgetsPanel({ children }: { children: (parts: BudgetsPanelParts) => ReactNode }) {
  const organization = useOrganization();
  const budgets = useQuery({
    ...budgetListQuery(organization.id),
    refetchInterval: ({ state }) =>
      state.data?.data.some((budget) => budget.state === 'activating') ? activatingReloadMs : false,
  });
  const [editing, setEditing] = useState<BudgetSummary | 'new' | null>(null);
  const [removing, setRemoving] = useState<BudgetSummary | null>(null);
  const listRef = useRef<HTMLDivElement>(null);
  const maySet = isAllowed(organization.role, 'manage_budgets');

  const setButton = maySet ? (
    <Button variant="primary" onClick={() => setEditing('new')}>
      <Plus aria-hidden />
      Set budget
    </Button>
  ) : null;

  return (
    <>
      {children({
        budgets,
        actions: maySet ? { change: setEditing, remove: setRemoving } : null,
        setButton,
        listRef,
      })}
      <OnceOpened open={editing !== null}>
        <BudgetDialog editing={editing} onClose={() => setEditing(null)} budgets={budgets.data?.data ?? []} />
      </OnceOpened>
      <RemoveDialog budget={removing} onClose={() => setRemoving(null)} focusAfter={listRef} />
    </>
  );
}
