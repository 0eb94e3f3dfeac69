import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useGroupLook } from '#dashboard/charts/group-look.ts';
import { classNames } from '#dashboard/components/class-names.ts';
import { useShown } from '#dashboard/components/feedback/old-content.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { formatCount, formatRequests } from '#dashboard/components/values/number-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { groupTitles } from '#dashboard/metrics/groups.ts';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import { useRange, useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { CostReport, CostTotals } from '#lambdas/accounts/analytics/responses.ts';
import { useComparedSearch } from '../compared-search.ts';
import { asLoading, type TopGroup, topGroupsQuery } from '../queries.ts';
import { panelLinkClasses } from './panel-link.ts';

interface TopGroupsProps {
  group: TopGroup;
  title: string;
  /** Whether the list is shown as loading, since it is not known yet whether it will be. */
  isHeld: boolean;
}

/** The groups that cost most in the range. */
export function TopGroups({ group, title, isHeld }: TopGroupsProps) {
  const { id: organizationId } = useOrganization();
  const range = useRange();
  const report = useQuery(topGroupsQuery(organizationId, range, group));
  const { isOld } = useShown(range, report);
  return (
    <Section
      title={title}
      action={
        <Link
          to="/organizations/$organizationId/usage"
          params={{ organizationId }}
          search={{ ...useComparedSearch(), group, top: '100' }}
          className={panelLinkClasses}
        >
          All {groupTitles[group].many}
        </Link>
      }
    >
      {/* As high as all its lines, so that nothing moves when they arrive. */}
      <div className="flex min-h-71 flex-col justify-start px-2 py-2">
        <QueryPanel
          query={isHeld ? asLoading(report) : report}
          isOld={isOld}
          skeleton={<TopGroupsSkeleton />}
        >
          {(data) => <GroupList report={data} group={group} />}
        </QueryPanel>
      </div>
    </Section>
  );
}

function GroupList({ report, group }: { report: CostReport; group: TopGroup }) {
  const { groups, other, totals } = report;
  const look = useGroupLook(report);
  if (groups.length === 0) return <p className="m-auto text-muted">No requests in this range</p>;
  const whole = Number(totals.cost_usd);
  return (
    <ul>
      {groups.map(({ value, totals: groupTotals }) => (
        <li key={value}>
          <GroupLink group={group} value={value}>
            <GroupLine name={look.name(value)} isMuted={value === null} totals={groupTotals} />
            <ShareBar share={whole === 0 ? 0 : Number(groupTotals.cost_usd) / whole} />
          </GroupLink>
        </li>
      ))}
      {other && (
        <li className="px-3 pt-2 text-muted">
          <GroupLine name={`${formatCount(other.groups)} more`} isMuted totals={other.totals} />
        </li>
      )}
    </ul>
  );
}

interface GroupLinkProps {
  group: TopGroup;
  /** Null for requests without a value, which no link can select. */
  value: string | null;
  children: ReactNode;
}

function GroupLink({ group, value, children }: GroupLinkProps) {
  const { id: organizationId } = useOrganization();
  const rangeSearch = useRangeSearch();
  const comparedSearch = useComparedSearch();
  if (value === null) return <div className="px-3 py-2">{children}</div>;
  const look = {
    params: { organizationId },
    className: 'block rounded-lg px-3 py-2 transition-colors hover:bg-hover',
    children,
  };
  if (group === 'prompt_id') {
    return (
      <Link
        to="/organizations/$organizationId/prompts"
        search={{ ...rangeSearch, prompt_id: value }}
        {...look}
      />
    );
  }
  if (group === 'api_key') {
    return (
      <Link
        to="/organizations/$organizationId/keys/$keyId"
        search={rangeSearch}
        {...look}
        params={{ organizationId, keyId: value }}
      />
    );
  }
  return (
    <Link
      to="/organizations/$organizationId/usage"
      search={{ ...comparedSearch, user_id: value, group: 'model' }}
      {...look}
    />
  );
}

interface GroupLineProps {
  name: string;
  isMuted: boolean;
  totals: CostTotals;
}

function GroupLine({ name, isMuted, totals }: GroupLineProps) {
  return (
    <span className="flex items-baseline gap-3">
      <span
        title={name}
        className={classNames('min-w-0 flex-1 truncate', isMuted ? 'text-muted' : 'font-medium')}
      >
        {name}
      </span>
      <span className="text-[0.8125rem] whitespace-nowrap text-muted tabular-nums">
        {formatRequests(totals.requests)}
      </span>
      <span className="flex min-w-18 items-baseline justify-end gap-1 tabular-nums">
        <UncertaintyMark sum={totals} isPassive />
        <Usd amount={totals.cost_usd} />
      </span>
    </span>
  );
}

function TopGroupsSkeleton() {
  return (
    <div className="flex flex-col">
      {['w-32', 'w-40', 'w-28', 'w-36', 'w-24'].map((width) => (
        <div key={width} className="px-3 py-2">
          <Skeleton className={`h-5 ${width}`} />
          <Skeleton className="mt-1.5 h-1 w-full" />
        </div>
      ))}
    </div>
  );
}

/** Shows a share, from 0 to 1, that the figures beside it imply. */
function ShareBar({ share }: { share: number }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      className="mt-1.5 block h-1 w-full overflow-hidden rounded-full bg-selected"
    >
      <rect width={share * 100} height="1" className="fill-accent" />
    </svg>
  );
}
