import { useQuery } from '@tanstack/react-query';
import { History, Inbox } from 'lucide-react';
import { useMemo } from 'react';
import { keyListQuery } from '#dashboard/api/queries.ts';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { Range } from '#dashboard/range/range.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { ListEnd } from './list-end.tsx';
import { ListSkeleton } from './list-skeleton.tsx';
import { LogTable } from './log-table.tsx';
import type { LogListState } from './use-log-list.ts';

interface RequestListProps {
  list: LogListState;
  /** Those of the list and those that have arrived since. */
  entries: readonly ListedLogEntry[];
  arrivals: ReadonlyMap<string, number>;
  range: Range;
  hasFilters: boolean;
}

/** The requests of the range, the newest first, loaded page by page. */
export function RequestList({ list, entries, arrivals, range, hasFilters }: RequestListProps) {
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const keys = useQuery(keyListQuery(organizationId));
  const keyNames = useMemo(() => new Map(keys.data?.data.map(({ id, name }) => [id, name])), [keys.data]);
  const { query } = list;
  const keptSinceMs = Date.now() - retentionDays * dayMs;
  const isBefore = (time: string | undefined) => time !== undefined && Date.parse(time) < keptSinceMs;
  return (
    <Card>
      <div
        aria-busy={query.isPlaceholderData}
        className={query.isPlaceholderData ? 'opacity-60 transition-opacity' : undefined}
      >
        {query.isLoadingError || query.isPending ? (
          <QueryStatus query={query} skeleton={<ListSkeleton />} />
        ) : entries.length === 0 && !query.hasNextPage ? (
          <Empty retentionDays={isBefore(range.bounds.end) ? retentionDays : null} hasFilters={hasFilters} />
        ) : (
          <>
            <LogTable
              organizationId={organizationId}
              entries={entries}
              arrivals={arrivals}
              isComplete={!query.hasNextPage}
              timeZone={range.timeZone}
              keyNames={keyNames}
              onEndReached={list.loadMore}
            />
            <ListEnd
              list={list}
              timeZone={range.timeZone}
              retentionDays={isBefore(range.bounds.start) ? retentionDays : null}
            />
          </>
        )}
      </div>
    </Card>
  );
}

function Empty({ retentionDays, hasFilters }: { retentionDays: number | null; hasFilters: boolean }) {
  if (retentionDays !== null) {
    return (
      <EmptyState icon={History} title="The entries of this range have expired">
        Entries are kept for {retentionDays} days. Their sums remain, in the chart and in Usage.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Inbox}
      title={hasFilters ? 'No request matches the filters' : 'No requests in this range'}
    >
      {hasFilters
        ? 'Values must match exactly. Remove a filter, or choose a longer range.'
        : 'Choose a longer range. Requests appear here a second after they end.'}
    </EmptyState>
  );
}
