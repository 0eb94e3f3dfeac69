import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { uncertainCostSentences, unpricedSentence } from '#dashboard/metrics/uncertainty.ts';
import { useRange, useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostGroup, CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';

/** Names the uncertain costs in the sum of the range. */
export function PriceNotices({ report }: { report: CostReport | undefined }) {
  if (report === undefined) return null;
  const unpriced = unpricedSentence(report.totals);
  return (
    <>
      {unpriced !== null && <UnpricedNotice title={unpriced} />}
      <UncertainCostNotice totals={report.totals} />
    </>
  );
}

const maxModels = 100;
const maxShownModels = 5;

function UnpricedNotice({ title }: { title: string }) {
  const { id: organizationId } = useOrganization();
  const { bounds } = useRange();
  // A query of its own, since models without a price are the cheapest of a report.
  const { data } = useQuery(costsQuery(organizationId, { ...bounds, group_by: 'model', limit: maxModels }));
  const groups = data?.groups.filter(({ totals }) => totals.unpriced_requests > 0) ?? [];
  return (
    <Notice tone="warning" title={title}>
      <p>
        The operator of this gateway can set a price with{' '}
        <code className="font-mono text-[0.8125rem] text-text">npm run admin -- price set</code>.
      </p>
      {/* Has its height before the models are there. */}
      <p className="min-h-5">{groups.length > 0 && <ModelLinks groups={groups} />}</p>
    </Notice>
  );
}

function ModelLinks({ groups }: { groups: readonly CostGroup[] }) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  const shown = groups.slice(0, maxShownModels);
  return (
    <>
      {groups.length === 1 ? 'Model: ' : 'Models: '}
      {shown.map(({ value: model }, index) => (
        <Fragment key={model}>
          {index > 0 && ', '}
          {model === null ? (
            'unknown'
          ) : (
            <Link
              to="/organizations/$organizationId/logs"
              params={{ organizationId }}
              search={{ ...rangeSearch, model }}
              className="rounded-sm font-medium text-text underline underline-offset-3"
            >
              {model}
            </Link>
          )}
        </Fragment>
      ))}
      {groups.length > shown.length && ` and ${groups.length - shown.length} more`}
    </>
  );
}

function UncertainCostNotice({ totals }: { totals: CostTotals }) {
  const [first, ...others] = uncertainCostSentences(totals, formatUsd);
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
