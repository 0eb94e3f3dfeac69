import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { MouseEvent } from 'react';
import { logEntryQuery } from '#dashboard/api/analytics.ts';
import { isNotFound } from '#dashboard/api/client.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { BackLink, Page } from '#dashboard/components/page.tsx';
import { EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { formatDuration } from '#dashboard/components/values/number-format.ts';
import { formatFullTime } from '#dashboard/components/values/time-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useTimeZone } from '#dashboard/range/zone.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import { AttemptsSection } from './entry/attempts.tsx';
import { CostSection } from './entry/cost-section.tsx';
import type { EntryProps } from './entry/entry-props.ts';
import { FactSections } from './entry/fact-sections.tsx';
import { Failure } from './entry/failure.tsx';
import { TimelineSection } from './entry/timeline.tsx';

/** A request: what it cost and why, and what took its time. */
export function EntryView() {
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const { logId } = useParams({ from: '/shell/organizations/$organizationId/logs/$logId' });
  const query = useQuery(logEntryQuery(organizationId, logId));
  const entry = query.data;
  return (
    <Page
      title={entry?.model ?? 'Request'}
      back={<BackToLogs />}
      description={entry && <Summary entry={entry} />}
    >
      {isNotFound(query.error) ? (
        <Card>
          <EmptyState icon={SearchX} title="There is no log entry with this ID">
            Entries are kept for {retentionDays} days after the request, and appear about a second after it
            ends.
          </EmptyState>
        </Card>
      ) : entry ? (
        <Entry entry={entry} />
      ) : (
        <Card>
          <QueryStatus query={query} skeleton={<EntrySkeleton />} />
        </Card>
      )}
    </Page>
  );
}

function Entry({ entry }: { entry: LogEntryDetails }) {
  return (
    <>
      <Failure entry={entry} />
      <AttemptsSection entry={entry} />
      <TimelineSection entry={entry} />
      <CostSection entry={entry} />
      <FactSections entry={entry} />
    </>
  );
}

function EntrySkeleton() {
  return (
    <div className="flex flex-col gap-4 p-5">
      <Skeleton className="h-5 w-2/5" />
      <Skeleton className="h-8 w-full" />
      <Skeleton className="h-5 w-3/5" />
    </div>
  );
}

/** The line below the heading. */
function Summary({ entry }: EntryProps) {
  const timeZone = useTimeZone();
  return (
    <span className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5 tabular-nums">
      <StatusCode entry={entry} />
      <span>{outcomeLooks[entry.outcome].title}</span>
      <Dot />
      <span className="font-medium text-text">
        <EntryCost entry={entry} unreported="No cost reported">
          {formatExactUsd(entry.cost_usd)}
        </EntryCost>
      </span>
      <Dot />
      <span>{formatDuration(entry.latency_ms)}</span>
      <Dot />
      <time dateTime={entry.created_at}>
        {formatFullTime(new Date(entry.created_at), undefined, timeZone)}
      </time>
    </span>
  );
}

function Dot() {
  return (
    <span aria-hidden className="text-placeholder max-sm:hidden">
      ·
    </span>
  );
}

/** Leads to the list that the entry was opened from: to its position there, if that is the entry of the history before. */
function BackToLogs() {
  const { id: organizationId } = useOrganization();
  const search = useSearch({ from: '/shell/organizations/$organizationId/logs/$logId' });
  const isFromLogs = useLocation({ select: ({ state }) => state.isFromLogs === true });
  const { history } = useRouter();
  const goBack = (event: MouseEvent) => {
    if (!isFromLogs || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    history.back();
  };
  return (
    <BackLink
      link={
        <Link
          to="/organizations/$organizationId/logs"
          params={{ organizationId }}
          search={search}
          onClick={goBack}
        />
      }
    >
      Logs
    </BackLink>
  );
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set by links of the list, to which the entry's view then goes back. */
    isFromLogs?: boolean;
  }
}
