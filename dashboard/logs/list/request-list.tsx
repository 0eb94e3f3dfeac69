import { History, Inbox } from 'lucide-react';
import { Button, LinkButton } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useKeyNames } from '#dashboard/key-names/use-key-names.ts';
import type { Range } from '#dashboard/range/range.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { LogTable } from './log-table.tsx';
import type { LogListState } from './use-log-list.ts';

interface RequestListProps {
  list: LogListState;
  /** The entries of the list, and the ones that have arrived since. */
  entries: readonly ListedLogEntry[];
  arrivals: ReadonlyMap<string, number>;
  range: Range;
  hasFilters: boolean;
}

/** The requests of the range, the newest first, loaded page by page. */
export function RequestList({ list, entries, arrivals, range, hasFilters }: RequestListProps) {
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const keyNames = useKeyNames(entries.map(({ api_key_id: keyId }) => keyId));
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

interface ListEndProps {
  list: LogListState;
  timeZone: string;
  /** Set if the range begins before the oldest entry that is kept. */
  retentionDays: number | null;
}

/** Below the rows: what is being loaded, why it does not go on, or that this is all. */
function ListEnd({ list, timeZone, retentionDays }: ListEndProps) {
  const { query } = list;
  if (query.isFetchNextPageError) {
    return (
      <div className="p-4">
        <Notice
          tone="danger"
          role="alert"
          action={
            <Button size="small" pending={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
              Try again
            </Button>
          }
        >
          {query.error?.message}
        </Notice>
      </div>
    );
  }
  return (
    <p className="flex min-h-12 items-center justify-center gap-3 border-t border-line px-5 text-center text-[0.8125rem] text-muted">
      <EndText list={list} timeZone={timeZone} retentionDays={retentionDays} />
    </p>
  );
}

function EndText({ list, timeZone, retentionDays }: ListEndProps) {
  const { query, isPaused, isSearching, searchedBackTo } = list;
  const position =
    searchedBackTo === null ? null : formatDateTime(new Date(searchedBackTo), undefined, timeZone);
  if (isPaused) {
    return (
      <>
        {position === null ? 'Stopped searching.' : `Searched back to ${position}.`}
        <LinkButton onClick={list.resume}>Continue</LinkButton>
      </>
    );
  }
  if (isSearching) {
    return (
      <>
        <span role="status">{position === null ? 'Searching…' : `Searching back to ${position} …`}</span>
        <LinkButton onClick={list.stop}>Stop</LinkButton>
      </>
    );
  }
  if (query.hasNextPage) return 'Loading…';
  if (retentionDays !== null)
    return `Entries are kept for ${retentionDays} days. Usage has the sums of older requests.`;
  return 'These are all requests of the range.';
}

const widths = ['w-3/5', 'w-1/2', 'w-2/3'];

/** Fills a screen, as a page of entries does. */
function ListSkeleton() {
  return (
    <div className="@container">
      <div className="hidden h-10 @[42rem]:block" />
      {Array.from({ length: 16 }, (_, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          key={row}
          className="flex h-15.25 items-center border-t border-line px-5 first-of-type:border-t-0 @[42rem]:h-10.25"
        >
          <Skeleton className={`h-4 ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  );
}
