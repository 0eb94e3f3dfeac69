import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ReceiptText } from 'lucide-react';
import { statementQuery } from '#dashboard/api/analytics.ts';
import { Badge } from '#dashboard/components/badge.tsx';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Card, Heading } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Statement } from '#lambdas/accounts/analytics/responses.ts';
import { MonthChoice, type MonthChoiceProps } from './month-choice.tsx';
import { monthTitle } from './months.ts';
import { KeyCostTable, ModelTable, StatementTotals } from './statement-sections.tsx';

/** The spending of a month by model and by key, with exact amounts. */
export function MonthDetails({ month, months, onMonthChange }: MonthChoiceProps) {
  const { id: organizationId } = useOrganization();
  const statement = useQuery(statementQuery(organizationId, month));
  return (
    <section aria-labelledby="month-details" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-64 items-center gap-2.5">
          <Heading id="month-details">Spend by model and key</Heading>
          {statement.data?.final === false && <Badge>Preliminary</Badge>}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <MonthChoice month={month} months={months} onMonthChange={onMonthChange} />
          <Link
            to="/organizations/$organizationId/billing/statements/$month"
            params={{ organizationId, month }}
            className={buttonClasses()}
          >
            Statement
          </Link>
        </div>
      </div>
      {statement.data === undefined ? (
        <Card>
          <QueryStatus query={statement} skeleton={<TableSkeleton rows={4} />} />
        </Card>
      ) : (
        <Content statement={statement.data} />
      )}
    </section>
  );
}

function Content({ statement }: { statement: Statement }) {
  if (statement.totals.requests === 0) {
    return (
      <Card>
        <EmptyState icon={ReceiptText} title="No requests">
          There were no requests in {monthTitle(statement.month)}.
        </EmptyState>
      </Card>
    );
  }
  return (
    <>
      <Card>
        <div className="p-5">
          <StatementTotals statement={statement} />
        </div>
      </Card>
      <div className="grid grid-cols-1 items-start gap-3 xl:grid-cols-2">
        <Card>
          <ModelTable statement={statement} compact />
        </Card>
        <Card>
          <KeyCostTable statement={statement} compact />
        </Card>
      </div>
    </>
  );
}
