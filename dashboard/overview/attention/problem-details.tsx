import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { costsQuery } from '#dashboard/api/analytics.ts';
import { resetText } from '#dashboard/components/spending-bar.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRange, useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostGroup } from '#lambdas/accounts/analytics/responses.ts';
import type { Problem } from './problems.ts';

const linkClasses = 'rounded-sm font-medium text-text underline underline-offset-3';

/** More about a problem, with a link to where it is explained or solved. */
export function ProblemDetails({ problem }: { problem: Problem }) {
  const { id: organizationId } = useOrganization();
  const { time_zone } = useRangeSearch();
  const params = { organizationId };
  switch (problem.kind) {
    case 'budget': {
      const { spent_usd: spent, amount_usd: amount, period_end: periodEnd } = problem.budget;
      return (
        <p>
          <Usd amount={spent ?? '0'} /> of <Usd amount={amount} />. {resetText(periodEnd)}.{' '}
          <Link to="/organizations/$organizationId/budgets" params={params} className={linkClasses}>
            Open budgets
          </Link>
        </p>
      );
    }
    case 'projection':
      return (
        <p>
          <Usd amount={problem.projectedUsd} /> of <Usd amount={problem.amountUsd} />, if the rest of the
          month costs as much per hour as the part until now.{' '}
          <Link to="/organizations/$organizationId/billing" params={params} className={linkClasses}>
            Open billing
          </Link>
        </p>
      );
    case 'provider':
      return (
        <p>
          {formatCount(problem.errors)} of {formatCount(problem.requests)} requests ended with an error of the
          provider or a timeout.{' '}
          <Link
            to="/organizations/$organizationId/logs"
            params={params}
            search={{ range: '1h', time_zone, provider: problem.provider, outcome: problem.outcome }}
            className={linkClasses}
          >
            {problem.outcome === 'timeout' ? 'Show its timeouts' : 'Show its errors'}
          </Link>
        </p>
      );
    case 'unpriced':
      return <Unpriced />;
    default:
      return problem satisfies never;
  }
}

const maxModels = 100;
const maxShownModels = 5;

function Unpriced() {
  const { id: organizationId } = useOrganization();
  const { bounds } = useRange();
  // A query of its own, since models without a price are the cheapest of a report.
  const { data } = useQuery(costsQuery(organizationId, { ...bounds, group_by: 'model', limit: maxModels }));
  const groups = data?.groups.filter(({ totals }) => totals.unpriced_requests > 0) ?? [];
  return (
    <>
      <p>
        The operator of this gateway, who has its terminal, can set a price with{' '}
        <code className="font-mono text-text">npm run admin -- price set</code>.
      </p>
      {/* Has its height before the models are there. */}
      <p className="min-h-5">{groups.length > 0 && <ModelLinks groups={groups} />}</p>
    </>
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
              className={linkClasses}
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
