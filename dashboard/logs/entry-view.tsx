import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { logEntryQuery } from '#dashboard/api/analytics.ts';
import { isNotFound } from '#dashboard/api/client.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import { BackToLogs } from './entry/back-to-logs.tsx';
import { CostSection } from './entry/cost-section.tsx';
import { FactSections } from './entry/fact-sections.tsx';
import { Failure } from './entry/failure.tsx';
import { Summary } from './entry/summary.tsx';
import { TimelineSection } from './entry/timeline-section.tsx';

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
