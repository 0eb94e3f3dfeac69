import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState } from 'react';
import { costsKey, costsReloadMs } from '#dashboard/api/analytics.ts';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { OldContent, useShown } from '#dashboard/components/feedback/old-content.tsx';
import { PageSkeleton } from '#dashboard/components/feedback/page-skeleton.tsx';
import { lazyComponent, loadCode } from '#dashboard/components/load-code.ts';
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
import { asLoading, overviewQuery } from './queries.ts';
import { Tiles } from './tiles.tsx';
import { firstRequestPollMs, useHasRequests } from './use-has-requests.ts';

const loadFirstRequest = () => loadCode(() => import('./first-request/first-request.tsx'));
const FirstRequest = lazyComponent(loadFirstRequest, 'FirstRequest');

export function OverviewView() {
  const { id: organizationId, first_key_seen: firstKeySeen } = useOrganization();
  const queryClient = useQueryClient();
  const range = useRange();
  const [firstRequest, setFirstRequest] = useState<'not shown' | 'shown' | 'left'>('not shown');
  const report = useQuery({
    ...overviewQuery(organizationId, range),
    // The sums have the first request a moment later than the log.
    refetchInterval: ({ state }) =>
      firstRequest === 'left' && state.data?.totals.requests === 0 ? firstRequestPollMs : costsReloadMs,
  });
  const { shown, isOld } = useShown({ ...range, comparison: comparisonOf(range) }, report);
  const hasRequests = useHasRequests(report.data);
  // Without a key, there is nothing to wait for.
  const isNew = hasRequests === false || (hasRequests === undefined && !firstKeySeen);
  // Until it is left: the first request does not replace it by itself.
  if (isNew && firstRequest === 'not shown') setFirstRequest('shown');
  // The view changes once: either figures or the first steps follow.
  const isUndecided = hasRequests === undefined && report.data !== undefined;
  useEffect(() => {
    if (isUndecided) void loadFirstRequest().catch(() => {});
  }, [isUndecided]);
  if (firstRequest === 'shown') {
    const openOverview = async () => {
      // The reports are from before the request.
      await queryClient.refetchQueries({ queryKey: costsKey(organizationId), type: 'all' });
      scrollTo({ top: 0 });
      setFirstRequest('left');
    };
    return (
      <Suspense fallback={<PageSkeleton title="Overview" />}>
        <FirstRequest onOpenOverview={openOverview} />
      </Suspense>
    );
  }

  const query = isUndecided ? asLoading(report) : report;
  return (
    <Page
      wide
      title="Overview"
      description={
        <>
          {shown.title}, compared with {shown.comparison.title}
          <Completeness queries={[query]} />
        </>
      }
      action={<RangeBar />}
    >
      <div className="flex flex-col gap-8">
        <Attention report={isOld ? undefined : query.data} />
        <Tiles query={query} isOld={isOld} />
        <SpendByModel query={query} isOld={isOld} />
        <div className="grid grid-cols-1 gap-x-6 gap-y-8 lg:grid-cols-2">
          <TopGroups group="api_key" title="Top keys" isHeld={isUndecided} />
          <TopGroups group="prompt_id" title="Top prompts" isHeld={isUndecided} />
          <TopGroups group="user_id" title="Top users" isHeld={isUndecided} />
          <BudgetsPanel />
        </div>
        {/* Below all panels, which it would move when it arrives. */}
        <OldContent isOld={isOld}>
          <UncertainCostNotice report={query.data} />
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
