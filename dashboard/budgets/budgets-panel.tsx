import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { budgetListQuery } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { LoadMore } from '#dashboard/components/feedback/load-more.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { BudgetList, BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { type BudgetActions, BudgetRows, BudgetsSkeleton, NoBudgets } from './budget-rows.tsx';

const BudgetDialog = lazyComponent(() => import('./budget-dialog.tsx'), 'BudgetDialog');

const RemoveDialog = lazyComponent(() => import('./remove-dialog.tsx'), 'RemoveDialog');

/** A budget that is being set takes effect within seconds. */
const activatingReloadMs = 5000;

interface BudgetsPanelParts {
  query: UseInfiniteQueryResult<InfiniteData<BudgetList>>;
  /** The pages that are loaded; `undefined` before the first one. */
  budgets: readonly BudgetSummary[] | undefined;
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
  const query = useInfiniteQuery({
    ...budgetListQuery(organization.id),
    refetchInterval: ({ state }) =>
      budgetsOf(state.data)?.some((budget) => budget.state === 'activating') ? activatingReloadMs : false,
  });
  const budgets = budgetsOf(query.data);
  const [editing, setEditing] = useState<BudgetSummary | 'new' | null>(useHasDraft('budget') ? 'new' : null);
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
        query,
        budgets,
        actions: maySet ? { change: setEditing, remove: setRemoving } : null,
        setButton,
        listRef,
      })}
      <OnceOpened open={editing !== null}>
        <BudgetDialog editing={editing} onClose={() => setEditing(null)} budgets={budgets ?? []} />
      </OnceOpened>
      <OnceOpened open={removing !== null}>
        <RemoveDialog budget={removing} onClose={() => setRemoving(null)} focusAfter={listRef} />
      </OnceOpened>
    </>
  );
}

function budgetsOf(data: InfiniteData<BudgetList> | undefined): BudgetSummary[] | undefined {
  return data?.pages.flatMap((page) => page.data);
}

export function BudgetsSection() {
  return (
    <BudgetsPanel>
      {({ query, budgets, actions, setButton, listRef }) => (
        <div ref={listRef} tabIndex={-1} className="outline-none">
          <Section
            title="Budgets"
            description="A request must fit the budgets of its key and of the organization."
            action={budgets?.length !== 0 && setButton}
          >
            {budgets === undefined ? (
              <QueryStatus query={query} skeleton={<BudgetsSkeleton />} />
            ) : budgets.length === 0 ? (
              <NoBudgets action={setButton} />
            ) : (
              <BudgetRows budgets={budgets} actions={actions} />
            )}
            {query.hasNextPage && (
              <div className="border-t border-line p-4">
                <LoadMore query={query} />
              </div>
            )}
          </Section>
        </div>
      )}
    </BudgetsPanel>
  );
}
