import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { projectionQuery } from '#dashboard/api/analytics.ts';
import { BudgetsSection } from '#dashboard/budgets/budgets-panel.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { TimeZoneContext } from '#dashboard/components/values/time-zone.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { MonthDetails } from './month-details.tsx';
import { recentMonths } from './months.ts';
import { ProjectionCard } from './projection-card.tsx';
import { monthlyCostsQuery, SpendByMonth } from './spend-by-month.tsx';
import { StatementList } from './statement-list.tsx';

const route = getRouteApi('/shell/organizations/$organizationId/billing');

export function BillingView() {
  const { organizationId } = route.useParams();
  const navigate = route.useNavigate();
  const [months] = useState(() => recentMonths(new Date(), 12));
  const { month = months[0] } = route.useSearch();
  const projection = useQuery(projectionQuery(organizationId));
  const costs = useQuery(monthlyCostsQuery(organizationId, months));
  const showMonth = (chosen: string) =>
    navigate({ search: { month: chosen }, replace: true, resetScroll: false });
  return (
    <TimeZoneContext value="UTC">
      <Page
        wide
        title="Billing"
        description={
          <>
            Spend by the prices of the gateway: an estimate, not an invoice of the providers. Days and months
            are those of UTC.
            <Completeness queries={[projection, costs]} />
          </>
        }
      >
        <ProjectionCard />
        <SpendByMonth months={months} onMonthChange={showMonth} />
        <MonthDetails month={month} months={months} onMonthChange={showMonth} />
        <BudgetsSection />
        <StatementList months={months} />
      </Page>
    </TimeZoneContext>
  );
}
