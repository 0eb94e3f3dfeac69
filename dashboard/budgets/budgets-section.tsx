import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { BudgetRows, BudgetsSkeleton, NoBudgets } from './budget-rows.tsx';
import { BudgetsPanel } from './budgets-panel.tsx';

export function BudgetsSection() {
  return (
    <BudgetsPanel>
      {({ budgets, actions, setButton, listRef }) => (
        <div ref={listRef} tabIndex={-1} className="outline-none">
          <Section
            title="Budgets"
            description="A request must fit the budgets of its key and of the organization."
            action={budgets.data?.data.length !== 0 && setButton}
          >
            <QueryPanel query={budgets} skeleton={<BudgetsSkeleton />}>
              {({ data }) =>
                data.length === 0 ? (
                  <NoBudgets action={setButton} />
                ) : (
                  <BudgetRows budgets={data} actions={actions} />
                )
              }
            </QueryPanel>
          </Section>
        </div>
      )}
    </BudgetsPanel>
  );
}
