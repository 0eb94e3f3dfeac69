import { useNavigate, useSearch } from '@tanstack/react-router';
import { LoadMore } from '#dashboard/components/feedback/load-more.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import { RateLimitsSection } from '#dashboard/rate-limits/rate-limits-section.tsx';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { type BudgetActions, BudgetRows, BudgetsSkeleton, NoBudgets } from './budget-rows.tsx';
import { BudgetsPanel } from './budgets-panel.tsx';
import { MailNote } from './mail-note.tsx';
import { Outlook } from './outlook.tsx';

export function BudgetsView() {
  return (
    <BudgetsPanel>
      {({ query, budgets, actions, setButton, listRef }) => (
        <Page
          title="Budgets and limits"
          description="Budgets in US dollars for each UTC day or month, and rate limits, of all keys together or of one."
          action={budgets?.length !== 0 && setButton}
        >
          <div ref={listRef} tabIndex={-1} className="flex flex-col gap-10 outline-none">
            {budgets === undefined || budgets.length === 0 ? (
              <Card>
                <QueryStatus query={query} skeleton={<BudgetsSkeleton />} />
                {budgets && <NoBudgets action={setButton} />}
              </Card>
            ) : (
              <BudgetSections budgets={budgets} actions={actions} />
            )}
            {query.hasNextPage && (
              <div className="-mt-6">
                <LoadMore query={query} />
              </div>
            )}
            <p className="-mt-7 px-1 text-[0.8125rem] text-muted">
              {query.data && <MailNote isMailed={query.data.pages.some(({ mail }) => mail.sender)} />}
            </p>
          </div>
          {/* Only below a list whose height is known, so that it does not move. */}
          {!query.isPending && <RateLimits />}
        </Page>
      )}
    </BudgetsPanel>
  );
}

function RateLimits() {
  const { set } = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <RateLimitsSection
      isSettingByLink={set !== undefined}
      onLinkDone={() => void navigate({ to: '.', search: {}, replace: true, resetScroll: false })}
    />
  );
}

interface BudgetSectionsProps {
  budgets: readonly BudgetSummary[];
  actions: BudgetActions | null;
}

function BudgetSections({ budgets, actions }: BudgetSectionsProps) {
  const ownBudgets = budgets.filter(({ api_key_id }) => api_key_id === null);
  const keyBudgets = budgets.filter(({ api_key_id }) => api_key_id !== null);
  return (
    <>
      <Outlook budgets={budgets} />
      {ownBudgets.length > 0 && (
        <Section title="Budgets of the organization" description="The spend of all keys together.">
          <BudgetRows budgets={ownBudgets} actions={actions} />
        </Section>
      )}
      {keyBudgets.length > 0 && (
        <Section
          title="Budgets of keys"
          description="A request must fit the budgets of its key and of the organization."
        >
          <BudgetRows budgets={keyBudgets} actions={actions} />
        </Section>
      )}
    </>
  );
}
