import { useQuery } from '@tanstack/react-query';
import { projectionQuery } from '#dashboard/api/analytics.ts';
import { Badge } from '#dashboard/components/badge.tsx';
import { Fact } from '#dashboard/components/facts.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { formatPercent, formatShare } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { isGreaterUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import type { Projection } from '#lambdas/accounts/analytics/responses.ts';
import { monthTitle } from './months.ts';

/** The cost of the current month so far, and its projected total. */
export function ProjectionCard() {
  const { id: organizationId } = useOrganization();
  const projection = useQuery(projectionQuery(organizationId));
  const month = projection.data?.month;
  return (
    <Section title="This month" description={month === undefined ? 'In UTC' : `${monthTitle(month)}, in UTC`}>
      <QueryPanel query={projection} skeleton={<ProjectionSkeleton />}>
        {(data) => <Content projection={data} />}
      </QueryPanel>
    </Section>
  );
}

function Content({ projection }: { projection: Projection }) {
  const { spent_usd: spent, projected_usd: projected, elapsed_share: elapsed, budget } = projection;
  return (
    <div className="flex flex-col gap-5 p-5">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-4">
        <Fact look="largeFigure" label="Spend so far">
          <span className="flex items-center gap-1.5">
            <UncertaintyMark sum={projection} />
            <Usd amount={spent} />
          </span>
        </Fact>
        <Fact look="largeFigure" label="Projected at the end">
          {projected === null ? <span className="text-muted">–</span> : <Usd amount={projected} />}
        </Fact>
        <Fact look="largeFigure" label="Monthly budget">
          {budget === null ? <span className="text-muted">None</span> : <Usd amount={budget.amount_usd} />}
        </Fact>
        <Fact look="largeFigure" label="Month elapsed">
          {formatElapsed(elapsed)}
        </Fact>
      </dl>
      <div className="flex flex-col gap-2.5">
        <ProjectionBar projection={projection} />
        <div className="flex flex-col gap-x-6 gap-y-2 sm:flex-row-reverse sm:items-start sm:justify-end">
          <VerdictBadge projection={projection} />
          <Explanation projection={projection} />
        </div>
      </div>
    </div>
  );
}

function VerdictBadge({ projection }: { projection: Projection }) {
  const verdict = verdictOf(projection);
  if (verdict === null) return null;
  return (
    <div className="flex shrink-0 items-center gap-2 sm:ml-auto">
      {verdict === 'within' ? (
        <Badge tone="success">Within budget</Badge>
      ) : (
        <Badge tone="warning">Above budget</Badge>
      )}
      <span className="text-[0.8125rem] text-muted tabular-nums">
        {formatPercent(projection.budget?.projected_percent ?? 0)} of the budget
      </span>
    </div>
  );
}

function Explanation({ projection }: { projection: Projection }) {
  return (
    <p className="text-[0.8125rem] text-muted">
      {projection.projected_usd === null
        ? 'There is no projection in the first tenth of a month.'
        : `Projection: the spend so far divided by the elapsed part of the month, ${formatElapsed(projection.elapsed_share)}, as if the rest cost as much per hour.`}
    </p>
  );
}

/** A month is complete when it has ended, so less than the whole is at most 99.9 %. */
function formatElapsed(share: number): string {
  return formatShare(share < 1 ? Math.min(share, 0.999) : 1);
}

/** At the height of the content. */
function ProjectionSkeleton() {
  return (
    <div className="flex flex-col gap-5 p-5">
      <div className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-4">
        {['w-24', 'w-28', 'w-20', 'w-12'].map((width) => (
          <div key={width} className="flex h-14 flex-col justify-between">
            <Skeleton className="h-4 w-20" />
            <Skeleton className={`h-7 ${width}`} />
          </div>
        ))}
      </div>
      <div className="flex flex-col gap-2.5">
        <Skeleton className="h-2.5 w-full" />
        <Skeleton className="h-5 w-2/3" />
      </div>
    </div>
  );
}

/** Shows what is spent, in a lighter colour what is projected, and a mark at the budget. The text beside it says the same. */
function ProjectionBar({ projection }: { projection: Projection }) {
  const { spent, projected, budget } = barShares(projection);
  const fill = verdictOf(projection) === 'above' ? 'fill-[light-dark(#e0930a,#eebb4d)]' : 'fill-accent';
  return (
    <div className="relative">
      <svg
        aria-hidden
        viewBox="0 0 100 1"
        preserveAspectRatio="none"
        className="block h-2.5 w-full overflow-hidden rounded-full bg-selected"
      >
        {projected !== null && projected > spent && (
          <rect x={spent} width={projected - spent} height="1" className={fill} opacity="0.35" />
        )}
        <rect width={spent} height="1" className={fill} />
      </svg>
      {budget !== null && (
        <span
          aria-hidden
          style={{ left: `${budget}%` }}
          className="absolute -inset-y-1 w-0.5 -translate-x-full rounded-full bg-text"
        />
      )}
    </div>
  );
}

type Verdict = 'within' | 'above';

/** Whether the projected spending stays within the budget; `null` without either. */
export function verdictOf({ projected_usd, budget }: Projection): Verdict | null {
  if (projected_usd === null || budget === null) return null;
  return isGreaterUsd(projected_usd, budget.amount_usd) ? 'above' : 'within';
}

/** Positions on the bar in percent of its width. */
interface ProjectionBarShares {
  spent: number;
  /** Ends the projected part; `null` without a projection. */
  projected: number | null;
  /** Null without a budget. */
  budget: number | null;
}

/** The bar is as wide as the largest amount. For drawing only: binary numbers are precise enough. */
export function barShares({ spent_usd, projected_usd, budget }: Projection): ProjectionBarShares {
  const spent = Math.max(0, Number(spent_usd));
  const projected = projected_usd === null ? null : Math.max(0, Number(projected_usd));
  const limit = budget === null ? null : Number(budget.amount_usd);
  const width = Math.max(spent, projected ?? 0, limit ?? 0);
  const share = (amount: number) => (width === 0 ? 0 : Math.round((amount / width) * 10_000) / 100);
  return {
    spent: share(spent),
    projected: projected === null ? null : share(projected),
    budget: limit === null ? null : share(limit),
  };
}
