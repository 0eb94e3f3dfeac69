import { useQuery } from '@tanstack/react-query';
import { Gauge, Plus } from 'lucide-react';
import { lazy, type ReactNode, useRef, useState } from 'react';
import { budgetListQuery } from '#dashboard/api/queries.ts';
import { Button } from '#dashboard/components/button.tsx';
import { Card } from '#dashboard/components/card.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeleton.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/organization/use-organization.ts';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { BudgetRow } from './budget-row.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

const BudgetDialog = lazy(() =>
  import('./budget-dialog.tsx').then((module) => ({ default: module.BudgetDialog })),
);

/** A budget that is being set takes effect within seconds. */
const activatingReloadMs = 5000;

export function BudgetsView() {
  const organization = useOrganization();
  const budgets = useQuery({
    ...budgetListQuery(organization.id),
    refetchInterval: ({ state }) =>
      state.data?.data.some((budget) => budget.state === 'activating') ? activatingReloadMs : false,
  });
  const [editing, setEditing] = useState<BudgetSummary | 'new' | null>(null);
  const [removing, setRemoving] = useState<BudgetSummary | null>(null);
  const content = useRef<HTMLDivElement>(null);
  const maySet = isAllowed(organization.role, 'manage_budgets');

  const setButton = maySet && (
    <Button variant="primary" onClick={() => setEditing('new')}>
      <Plus aria-hidden />
      Set budget
    </Button>
  );

  return (
    <Page
      title="Budgets"
      description="Limits in US dollars for each UTC day or month, of all keys together or of one."
      action={budgets.data?.data.length !== 0 && setButton}
    >
      <div ref={content} tabIndex={-1} className="flex flex-col gap-10 outline-none">
        {budgets.data === undefined ? (
          <Card>
            <QueryPanel query={budgets} skeleton={<BudgetsSkeleton />}>
              {() => null}
            </QueryPanel>
          </Card>
        ) : budgets.data.data.length === 0 ? (
          <NoBudgets action={setButton} />
        ) : (
          <BudgetSections
            budgets={budgets.data.data}
            actions={maySet ? { change: setEditing, remove: setRemoving } : null}
          />
        )}
        <p className="-mt-7 px-1 text-[0.8125rem] text-muted">
          If the operator of this gateway has set a sender, owners get an e-mail when 50, 80 and 100 % of a
          budget are spent.
        </p>
      </div>
      <OnceOpened open={editing !== null}>
        <BudgetDialog editing={editing} onClose={() => setEditing(null)} budgets={budgets.data?.data ?? []} />
      </OnceOpened>
      <RemoveDialog budget={removing} onClose={() => setRemoving(null)} focusAfter={content} />
    </Page>
  );
}

interface BudgetSectionsProps {
  budgets: readonly BudgetSummary[];
  /** Null if the user may not change budgets. */
  actions: { change: (budget: BudgetSummary) => void; remove: (budget: BudgetSummary) => void } | null;
}

function BudgetSections({ budgets, actions }: BudgetSectionsProps) {
  const list = (shown: readonly BudgetSummary[]) => (
    <ul>
      {shown.map((budget) => (
        <BudgetRow
          key={`${budget.api_key_id}/${budget.period}`}
          budget={budget}
          keyName={budget.api_key_id && (budget.api_key_name ?? budget.api_key_id)}
          actions={actions && { change: () => actions.change(budget), remove: () => actions.remove(budget) }}
        />
      ))}
    </ul>
  );
  const ownBudgets = budgets.filter(({ api_key_id }) => api_key_id === null);
  const keyBudgets = budgets.filter(({ api_key_id }) => api_key_id !== null);
  return (
    <>
      {ownBudgets.length > 0 && (
        <Section title="Organization" description="The spending of all keys together.">
          {list(ownBudgets)}
        </Section>
      )}
      {keyBudgets.length > 0 && (
        <Section
          title="Keys"
          description="A request must fit the budgets of its key and of the organization."
        >
          {list(keyBudgets)}
        </Section>
      )}
    </>
  );
}

function NoBudgets({ action }: { action: ReactNode }) {
  return (
    <Card>
      <EmptyState icon={Gauge} title="No budgets yet" action={action}>
        {action
          ? 'A budget shows how much of an amount is spent. With a hard stop, requests that might exceed it are refused.'
          : 'Admins of this organization can limit what it and its keys may spend.'}
      </EmptyState>
    </Card>
  );
}

/** Two budgets, at their final height. */
function BudgetsSkeleton() {
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
