import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { ReportChart, ReportChartSkeleton } from '#dashboard/charts/report-chart.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { BackLink, Page } from '#dashboard/components/page.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useKeyName } from '#dashboard/key-names/use-key-names.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { RangeBar, useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';

const route = getRouteApi('/shell/organizations/$organizationId/keys/$keyId');

/** A key: its use, spend and budgets, and what can be done with it. */
export function KeyPage() {
  const { id: organizationId } = useOrganization();
  const { keyId } = route.useParams();
  const range = useRange();
  const name = useKeyName(keyId);
  const report = useQuery(
    costsQuery(organizationId, {
      ...range.bounds,
      api_key_id: keyId,
      group_by: 'model',
      limit: 8,
      interval: range.interval,
    }),
  );
  return (
    <Page
      title={name?.name ?? keyId}
      back={
        <BackLink link={<Link to="/organizations/$organizationId/keys" params={{ organizationId }} />}>
          API keys
        </BackLink>
      }
      description={<Completeness queries={[report]} />}
      action={<RangeBar />}
      wide
    >
      <Section title="Spend by model">
        <QueryPanel query={report} skeleton={<ReportChartSkeleton />}>
          {(data) => <SpendChart report={data} />}
        </QueryPanel>
      </Section>
    </Page>
  );
}

function SpendChart({ report }: { report: CostReport }) {
  const look = useGroupLook(report);
  return <ReportChart label="Spend by model" report={report} metric="cost" look={look} />;
}
