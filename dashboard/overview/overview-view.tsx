import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { costsQuery, costsReloadMs } from '#dashboard/api/analytics.ts';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { OldContent, useShown } from '#dashboard/components/feedback/old-content.tsx';
import { PageSkeleton } from '#dashboard/components/feedback/page-skeleton.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { uncertainCostSentences } from '#dashboard/metrics/uncertainty.ts';
import { comparisonOf } from '#dashboard/range/comparison.ts';
import { Completeness } from '#dashboard/range/completeness.tsx';
import { RangeBar, useRange } from '#dashboard/range/range-bar.tsx';
import type { CostReport } from '#lambdas/accounts/analytics/responses.ts';
import { Attention } from './attention/attention.tsx';
import { BudgetsPanel } from './panels/budgets-panel.tsx';
import { SpendByModel } from './panels/spend-by-model.tsx';
import { TopGroups } from './panels/top-groups.tsx';
import { Tiles } from './tiles.tsx';
import { firstRequestPollMs, useHasRequests } from './use-has-requests.ts';

const FirstRequest = lazy(() =>
  import('./first-request/first-request.tsx').then((module) => ({ default: module.FirstRequest })),
);

const maxModels = 8;

export function OverviewView() {
  const { id: organizationId } = useOrganization();
  const range = useRange();
  const comparison = comparisonOf(range);
  const [firstRequest, setFirstRequest] = useState<'not shown' | 'shown' | 'left'>('not shown');
  const report = useQuery({
    ...costsQuery(
      organizationId,
      {
        ...range.bounds,
        interval: range.interval,
        group_by: 'model',
        limit: maxModels,
        compare: comparison.secondRange === null ? 'previous' : undefined,
      },
      comparison.secondRange,
    ),
    // The sums have the first request a moment later than the log.
    refetchInterval: ({ state }) =>
      firstRequest === 'left' && state.data?.totals.requests === 0 ? firstRequestPollMs : costsReloadMs,
  });
  const { shown, isOld } = useShown({ ...range, comparison }, report);
  const hasRequests = useHasRequests(report.data);
  // Until it is left: the first request does not replace it by itself.
  if (hasRequests === false && firstRequest === 'not shown') setFirstRequest('shown');
  if (firstRequest === 'shown') {
    const openOverview = async () => {
      // The report is from before the request.
      await report.refetch();
      setFirstRequest('left');
    };
    return (
      <Suspense fallback={<PageSkeleton title="Overview" />}>
        <FirstRequest onOpenOverview={openOverview} />
      </Suspense>
    );
  }

  return (
    <Page
      wide
      title="Overview"
      description={
        <>
          {shown.title}, compared with {shown.comparison.title}
          <Completeness queries={[report]} />
        </>
      }
      action={<RangeBar />}
    >
      <div className="flex flex-col gap-8">
        <Attention report={isOld ? undefined : report.data} />
        <Tiles query={report} isOld={isOld} />
        <SpendByModel query={report} isOld={isOld} />
        <div className="grid grid-cols-1 gap-x-6 gap-y-8 lg:grid-cols-2">
          <TopGroups group="api_key" title="Top keys" />
          <TopGroups group="prompt_id" title="Top prompts" />
          <TopGroups group="user_id" title="Top users" />
          <BudgetsPanel />
        </div>
        {/* Below all panels, which it would move when it arrives. */}
        <OldContent isOld={isOld}>
          <UncertainCostNotice report={report.data} />
        </OldContent>
      </div>
    </Page>
  );
}

/** Names the costs in the sum of the range that are assumed or estimated. */
function UncertainCostNotice({ report }: { report: CostReport | undefined }) {
  const [first, ...others] = report ? uncertainCostSentences(report.totals, formatUsd) : [];
  if (first === undefined) return null;
  return (
    <Notice tone="neutral" title={first}>
      {others.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p>The providers’ invoices may differ.</p>
    </Notice>
  );
}
