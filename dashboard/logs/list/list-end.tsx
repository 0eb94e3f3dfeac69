import { Button, LinkButton } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import type { LogListState } from './use-log-list.ts';

interface ListEndProps {
  list: LogListState;
  timeZone: string;
  /** Set if the range begins before the oldest entry that is kept. */
  retentionDays: number | null;
}

/** Below the rows: what is being loaded, why it does not go on, or that this is all. */
export function ListEnd({ list, timeZone, retentionDays }: ListEndProps) {
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
