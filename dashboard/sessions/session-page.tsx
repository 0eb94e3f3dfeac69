import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { callerSessionQuery } from '#dashboard/api/analytics.ts';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { QueryPanel } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton, TableSkeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { BackLink, Page } from '#dashboard/components/page.tsx';
import { Card, Section } from '#dashboard/components/section.tsx';
import { withCodes } from '#dashboard/components/values/foreign-text.tsx';
import { formatCount, formatRequests } from '#dashboard/components/values/number-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { parseGroupList } from '#dashboard/metrics/group-list/order.ts';
import { parseRangeSearch, type RangeSearch } from '#dashboard/range/range.ts';
import type { CallerSessionReport } from '#lambdas/accounts/analytics/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { CumulativeCost } from './cumulative-cost.tsx';
import { RequestTable } from './request-table.tsx';

/** The requests of a session, and how its cost came about. */
export function SessionPage({ sessionId }: { sessionId: string }) {
  const { id: organizationId } = useOrganization();
  const report = useQuery({ ...callerSessionQuery(organizationId, sessionId), refetchInterval: minuteMs });
  return (
    <Page
      title={withCodes(sessionId)}
      back={
        <BackLink
          link={
            <Link
              to="/organizations/$organizationId/sessions"
              params={{ organizationId }}
              search={(search) => ({
                ...parseRangeSearch({ ...search }),
                ...parseGroupList({ ...search }),
              })}
            />
          }
        >
          Sessions
        </BackLink>
      }
      description="The requests of this session, in the order in which the gateway received them."
      action={
        <Link
          to="/organizations/$organizationId/logs"
          params={{ organizationId }}
          search={(search) => ({
            ...rangeOf(report.data),
            time_zone: parseRangeSearch({ ...search }).time_zone,
            session_id: sessionId,
          })}
          className={buttonClasses()}
        >
          Show in logs
        </Link>
      }
      wide
    >
      {report.data?.data.length === 0 ? (
        <Card>
          <NoRequests sessionId={sessionId} />
        </Card>
      ) : (
        <>
          <Section title="Cumulative cost">
            <QueryPanel query={report} skeleton={<ChartSkeleton />}>
              {({ data }) => <CumulativeCost requests={data} />}
            </QueryPanel>
          </Section>
          <Section title={report.data ? formatRequests(report.data.data.length) : 'Requests'}>
            <QueryPanel query={report} skeleton={<TableSkeleton rows={6} />}>
              {({ data, has_earlier: hasEarlier }) => (
                <>
                  {hasEarlier && <EarlierNotice count={data.length} />}
                  <RequestTable requests={data} />
                </>
              )}
            </QueryPanel>
          </Section>
        </>
      )}
    </Page>
  );
}

/** A session can be older than the range of the link. */
function rangeOf(report: CallerSessionReport | undefined): RangeSearch {
  const start = report?.data[0]?.created_at;
  return start === undefined || report?.has_earlier ? { range: '12m' } : { start };
}

function EarlierNotice({ count }: { count: number }) {
  return (
    <div className="p-3">
      <Notice tone="neutral">
        The newest {formatCount(count)} requests. Earlier ones are in the logs; the cumulative cost counts
        only those listed here.
      </Notice>
    </div>
  );
}

function NoRequests({ sessionId }: { sessionId: string }) {
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  return (
    <EmptyState
      icon={MessagesSquare}
      title="No requests with this session ID"
      action={
        <Link
          to="/organizations/$organizationId/usage"
          params={{ organizationId }}
          search={{ range: '12m', session_id: sessionId }}
          className={buttonClasses({ size: 'small' })}
        >
          Show its usage
        </Link>
      }
    >
      The ID must match exactly. Log entries are kept for {retentionDays} days; what older sessions cost is
      still in their usage.
    </EmptyState>
  );
}

function ChartSkeleton() {
  return (
    <div className="p-5">
      <Skeleton className="h-40 w-full" />
    </div>
  );
}
