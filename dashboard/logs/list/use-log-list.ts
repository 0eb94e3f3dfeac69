import { useInfiniteQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { type LogParameters, logsQuery } from '#dashboard/api/analytics.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';

const pageEntries = 100;
/** A list that is sorted by a figure has one page, which can be made as long as this. */
const sortedEntries = 200;
export const maxSortedEntries = 1000;
/** The search pauses after this many pages with hardly any entries, each of which has read thousands. */
const maxSparsePages = 20;

/** The pages that have been loaded of a list. It is loaded again only for another `pinnedAtMs`. */
export function useLogList(organizationId: string, parameters: LogParameters, pinnedAtMs: number) {
  const isSorted = parameters.sort !== undefined;
  const subject = JSON.stringify([parameters, pinnedAtMs]);
  const [longSubject, setLongSubject] = useState<string | null>(null);
  const isLong = subject === longSubject;
  const limit = isSorted ? (isLong ? maxSortedEntries : sortedEntries) : pageEntries;
  const options = logsQuery(organizationId, { ...parameters, limit }, String(pinnedAtMs));
  const query = useInfiniteQuery({
    ...options,
    staleTime: Number.POSITIVE_INFINITY,
    // As long as somebody may read an entry and come back.
    gcTime: 30 * minuteMs,
    placeholderData: (previous) => previous,
  });
  const pages = query.data?.pages;
  const entries = useMemo<readonly ListedLogEntry[]>(() => pages?.flatMap(({ data }) => data) ?? [], [pages]);
  const sparsePages = pages?.filter(({ data }) => data.length < pageEntries / 2).length ?? 0;
  const [allowance, setAllowance] = useState({ pinnedAtMs, pages: maxSparsePages });
  const allowedPages = allowance.pinnedAtMs === pinnedAtMs ? allowance.pages : maxSparsePages;
  const lastPage = pages?.at(-1);
  const mayContinue = query.hasNextPage && !query.isPlaceholderData;
  const isPaused = mayContinue && sparsePages >= allowedPages;
  const isSparse = lastPage !== undefined && lastPage.data.length < pageEntries / 2;

  return {
    query,
    entries,
    isPaused,
    /** Whether the last page had few entries, so that the list goes on by itself. */
    isSearching: mayContinue && isSparse && !isPaused && !query.isFetchNextPageError,
    /** The time to which the search has come; `null` at its end. */
    searchedBackTo: lastPage?.searched_back_to ?? null,
    /** Called when the end of what is loaded comes into view. */
    loadMore() {
      if (mayContinue && !isPaused && !query.isFetching && !query.isFetchNextPageError)
        void query.fetchNextPage();
    },
    stop: () => setAllowance({ pinnedAtMs, pages: sparsePages }),
    /** For `written_after`; `null` while another list is shown, and for one that new requests are not at the top of. */
    tail: query.isPlaceholderData ? null : (pages?.[0]?.tail ?? null),
    /** How far a list is complete that is sorted by a figure; `null` for other lists. */
    sorted: lastPage?.sorted ?? null,
    /** Null if no more can be listed. */
    showMore: isSorted && !isLong ? () => setLongSubject(subject) : null,
    resume: () => setAllowance({ pinnedAtMs, pages: sparsePages + maxSparsePages }),
  };
}

export type LogListState = ReturnType<typeof useLogList>;

/** The present of a list, which is read page by page: its range must not move on meanwhile. */
interface PinnedTime {
  /** The list that it belongs to. */
  subject: string;
  now: Date;
}

/** By the keys of the history's entries, so that going back finds the same list at the same position. */
const pinnedTimes = new Map<string, PinnedTime>();

/** @param subject changes with the range and filters */
export function usePinnedTime(subject: string): { now: Date; renew: () => void } {
  const key = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const [pinned, setPinned] = useState(() => pinnedTimeOf(key, subject));
  const current = pinned.subject === subject ? pinned : pinnedTimeOf(key, subject);
  if (current !== pinned) setPinned(current);
  useEffect(() => {
    pinnedTimes.set(key, current);
  }, [key, current]);
  return { now: current.now, renew: () => setPinned({ subject, now: new Date() }) };
}

function pinnedTimeOf(key: string, subject: string): PinnedTime {
  const pinned = pinnedTimes.get(key);
  return pinned?.subject === subject ? pinned : { subject, now: new Date() };
}
