import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { useState } from 'react';
import { statementQuery } from '#dashboard/api/analytics.ts';
import { Button } from '#dashboard/components/button.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { BackLink, Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { DownloadButton } from './download-button.tsx';
import { MonthChoice } from './month-choice.tsx';
import { monthTitle, recentMonths } from './months.ts';
import { StatementSheet } from './printed-statement.tsx';

const route = getRouteApi('/shell/organizations/$organizationId/billing/statements/$month');

/** A month on a page that can be printed. */
export function StatementView() {
  const { organizationId, month } = route.useParams();
  const navigate = route.useNavigate();
  const [months] = useState(() => recentMonths(new Date(), 12));
  const statement = useQuery(statementQuery(organizationId, month));
  return (
    <Page
      wide
      title={`Statement, ${monthTitle(month)}`}
      back={
        <div className="print:hidden">
          <BackLink
            link={
              <Link
                to="/organizations/$organizationId/billing"
                params={{ organizationId }}
                search={{ month }}
              />
            }
          >
            Billing
          </BackLink>
        </div>
      }
      description="What the requests of a month cost, with all decimals."
      action={
        <div className="flex flex-wrap gap-2 print:hidden">
          <MonthChoice
            month={month}
            months={months}
            onMonthChange={(chosen) =>
              navigate({ params: { organizationId, month: chosen }, replace: true, resetScroll: false })
            }
          />
          {statement.data && (
            <>
              <DownloadButton month={month} format="csv" />
              <DownloadButton month={month} format="focus" />
              <Button variant="primary" onClick={() => window.print()}>
                <Printer aria-hidden />
                Print
              </Button>
            </>
          )}
        </div>
      }
    >
      {statement.data === undefined ? (
        <Card>
          <QueryStatus query={statement} skeleton={<TableSkeleton rows={8} />} />
        </Card>
      ) : (
        <StatementSheet statement={statement.data} />
      )}
    </Page>
  );
}
