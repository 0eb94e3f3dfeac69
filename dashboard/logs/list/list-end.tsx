import { Button, LinkButton } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { type FigureName, figureTitles } from '#dashboard/filters/figures.ts';
import type { LogList } from '#lambdas/accounts/analytics/responses.ts';
import { pausedText, searchingText } from '../search-text.ts';
import { type LogListState, maxSortedEntries } from './use-log-list.ts';

interface ListEndProps {
  list: LogListState;
  timeZone: string;
  /** The figure that the list is sorted by. */
  sort: FigureName | undefined;
  hasFilters: boolean;
  /** Set if the range begins before the oldest entry that is kept. */
  retentionDays: number | null;
}

/** Below the rows: what is being loaded, why it does not go on, or that this is all. */
export function ListEnd(props: ListEndProps) {
  const { query } = props.list;
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
      <EndText {...props} />
    </p>
  );
}

function EndText({ list, timeZone, sort, hasFilters, retentionDays }: ListEndProps) {
  const { query, isPaused, isSearching, searchedBackTo } = list;
  if (isPaused) {
    return (
      <>
        {pausedText(searchedBackTo, timeZone)}
        <LinkButton onClick={list.resume}>Continue</LinkButton>
      </>
    );
  }
  if (isSearching) {
    return (
      <>
        <span role="status">{searchingText(searchedBackTo, timeZone)}</span>
        <LinkButton onClick={list.stop}>Stop</LinkButton>
      </>
    );
  }
  if (query.hasNextPage) return 'Loading…';
  if (list.sorted !== null && sort !== undefined) {
    return (
      <>
        {sortedEndText(list.entries.length, list.sorted, sort, hasFilters)}
        {list.sorted.more_matches && list.showMore && (
          <LinkButton onClick={list.showMore}>Show up to {formatCount(maxSortedEntries)}</LinkButton>
        )}
      </>
    );
  }
  if (retentionDays !== null)
    return `Entries are kept for ${retentionDays} days. Usage has the sums of older requests.`;
  return endText(hasFilters);
}

export function endText(hasFilters: boolean): string {
  return `These are all requests of the range${hasFilters ? matchingText : ''}.`;
}

const matchingText = ' that match the filters';

const sortedTitles: Record<FigureName, string> = {
  cost_usd: 'with a cost',
  latency_ms: 'with a latency',
  time_to_first_token_ms: 'with a first token',
  total_tokens: 'with tokens',
  retries: 'that were sent to a provider',
};

/** A list that is sorted by a figure has only requests with it. */
export function sortedEndText(
  listed: number,
  { more_matches: hasMore, searched_back_to: searchedBackTo }: NonNullable<LogList['sorted']>,
  sort: FigureName,
  hasFilters: boolean,
): string {
  if (hasMore) {
    return `These are the first ${formatCount(listed)} by ${figureTitles[sort].toLowerCase()}. There are more.`;
  }
  const searched = searchedBackTo === null ? 'of the range' : 'that were searched';
  return `These are all requests ${searched} ${sortedTitles[sort]}${hasFilters ? matchingText : ''}.`;
}
