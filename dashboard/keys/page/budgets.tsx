import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { budgetListQuery } from '#dashboard/api/organizations.ts';
import { BudgetRows } from '#dashboard/budgets/budget-rows.tsx';
import { Button, buttonClasses } from '#dashboard/components/button.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeyDetails } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';

const BudgetDialog = lazyComponent(() => import('#dashboard/budgets/budget-dialog.tsx'), 'BudgetDialog');

/** The budgets that limit a key: its own, and those of the organization. */
export function KeyBudgets({ apiKey: { id, name, state, budgets } }: { apiKey: ApiKeyDetails }) {
  const organization = useOrganization();
  const list = useInfiniteQuery(budgetListQuery(organization.id));
  const [isSetting, setSetting] = useState(useHasDraft('budget'));
  const maySet = state === 'active' && isAllowed(organization.role, 'manage_budgets');
  const isShared = budgets.some(({ api_key_id: owner }) => owner !== id);
  // The first of the list.
  const ofAll = list.data?.pages[0]?.data.filter(({ api_key_id: owner }) => owner === null) ?? [];
  return (
    <Section
      title="Budgets"
      description={
        isShared
          ? 'Those of the key that it has replaced: rotations share them.'
          : 'A request must fit the budgets of its key and of the organization.'
      }
      action={
        <div className="flex flex-wrap gap-2">
          <Link
            to="/organizations/$organizationId/budgets"
            params={{ organizationId: organization.id }}
            className={buttonClasses({ size: 'small' })}
          >
            All budgets
          </Link>
          {maySet && budgets.length === 0 && (
            <Button size="small" onClick={() => setSetting(true)}>
              <Plus aria-hidden />
              Set budget
            </Button>
          )}
        </div>
      }
    >
      {budgets.length > 0 ? (
        <BudgetRows budgets={budgets} actions={null} />
      ) : (
        <p className="px-5 py-4 text-muted">The key has no budget of its own.</p>
      )}
      {ofAll.length > 0 && (
        <div className="border-t border-line">
          <p className="px-5 pt-4 text-[0.8125rem] text-muted">
            All keys of <bdi>{organization.name}</bdi> together, so this one too:
          </p>
          <BudgetRows budgets={ofAll} actions={null} />
        </div>
      )}
      <OnceOpened open={isSetting}>
        <BudgetDialog
          editing={isSetting ? 'new' : null}
          onClose={() => setSetting(false)}
          budgets={ofAll}
          owner={{ value: id, label: name }}
        />
      </OnceOpened>
    </Section>
  );
}
