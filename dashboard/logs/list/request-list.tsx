import { History, Inbox, Search, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import type { TimeBounds } from '#dashboard/api/analytics.ts';
import { Button } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { OldContent } from '#dashboard/components/feedback/old-content.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { figureNames, hasBounds } from '#dashboard/filters/figures.ts';
import { type Conditions, hasIdFilter, type LogsOrder } from '#dashboard/filters/logs-search.ts';
import { useKeyNames } from '#dashboard/key-names/use-key-names.ts';
import { maxPreset, type PresetName, presetTitle, type Range } from '#dashboard/range/range.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { ListEnd } from './list-end.tsx';
import { LogTable } from './log-table.tsx';
import { SortedCoverage } from './sorted-coverage.tsx';
import type { LogListState } from './use-log-list.ts';

interface RequestListProps {
  list: LogListState;
  /** The entries of the list, and the ones that have arrived since. */
  entries: readonly ListedLogEntry[];
  arrivals: ReadonlyMap<string, number>;
  range: Range;
  conditions: Conditions;
  order: LogsOrder;
  onOrderChange: (order: LogsOrder) => void;
  onRangeChange: (bounds: Pick<TimeBounds, 'start' | 'end'>) => void;
  /** Keeps the filters and the order. */
  onLongestRange: () => void;
}

/** The requests of the range, loaded page by page. */
export function RequestList(props: RequestListProps) {
  const { list, entries, arrivals, range, conditions, order, onOrderChange } = props;
  const { id: organizationId, entry_retention_days: retentionDays } = useOrganization();
  const keyNames = useKeyNames(entries.map(({ api_key_id: keyId }) => keyId));
  const { query } = list;
  const keptSinceMs = Date.now() - retentionDays * dayMs;
  const hasFilters = Object.keys(conditions).length > 0;
  const figures = useMemo(
    () => figureNames.filter((name) => name === order.sort || hasBounds(conditions, name)),
    [conditions, order.sort],
  );
  const isBefore = (time: string | undefined) => time !== undefined && Date.parse(time) < keptSinceMs;
  return (
    <Card>
      <OldContent isOld={query.isPlaceholderData}>
        {list.sorted !== null && (
          <SortedCoverage sorted={list.sorted} range={range} onRangeChange={props.onRangeChange} />
        )}
        {query.isLoadingError || query.isPending ? (
          <QueryStatus query={query} skeleton={<ListSkeleton />} />
        ) : entries.length === 0 && !query.hasNextPage ? (
          hasIdFilter(conditions) ? (
            <MissingRequest
              preset={range.preset}
              retentionDays={retentionDays}
              onLongestRange={props.onLongestRange}
            />
          ) : (
            <Empty
              retentionDays={isBefore(range.bounds.end) ? retentionDays : null}
              hasFilters={hasFilters}
            />
          )
        ) : (
          <>
            <LogTable
              organizationId={organizationId}
              entries={entries}
              arrivals={arrivals}
              isComplete={!query.hasNextPage}
              timeZone={range.timeZone}
              keyNames={keyNames}
              order={order}
              onOrderChange={onOrderChange}
              figures={figures}
              onEndReached={list.loadMore}
            />
            <ListEnd
              list={list}
              timeZone={range.timeZone}
              sort={order.sort}
              hasFilters={hasFilters}
              retentionDays={isBefore(range.bounds.start) ? retentionDays : null}
            />
          </>
        )}
      </OldContent>
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

interface MissingRequestProps {
  /** The range that was searched. */
  preset: PresetName | null;
  retentionDays: number;
  onLongestRange: () => void;
}

/** Instead of a list filtered by an id, whose request may be older than the range. */
export function MissingRequest({ preset, retentionDays, onLongestRange }: MissingRequestProps) {
  if (preset === maxPreset) {
    return (
      <EmptyState icon={SearchX} title="No request matches the filters">
        The ID must match exactly. Entries expire after {retentionDays} days, and are not found any more.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={SearchX}
      title="No request of this range matches the filters"
      action={
        <Button onClick={onLongestRange}>
          <Search aria-hidden />
          Search the {presetTitle(maxPreset).toLowerCase()}
        </Button>
      }
    >
      The ID must match exactly. The request may be older than the range.
    </EmptyState>
  );
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
          className="flex h-15.25 items-center border-t border-line px-5 first-of-type:border-t-0 @[42rem]:h-13.25 @[53rem]:h-10.25"
        >
          <Skeleton className={`h-4 ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  );
}
