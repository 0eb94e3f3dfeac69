import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { analyticsPath, logEntryQuery, type TimeBounds } from '#dashboard/api/analytics.ts';
import { get, isNotFound } from '#dashboard/api/client.ts';
import { requestIdsIn, type SearchedIds, searchedIds } from '#dashboard/filters/request-ids.ts';
import { isAtEnd, type SearchPosition, searchOn, startOfSearch } from '#dashboard/filters/request-search.ts';

export type SearchState =
  | { step: 'idle' | 'invalid' }
  | { step: 'searching'; searchedBackTo: string | null }
  | { step: 'paused'; searchedBackTo: string | null; resume: () => void }
  /** `searchAll` searches all entries that are kept; `null` if there is nothing more to search. */
  | { step: 'missing'; searchAll: (() => void) | null }
  | { step: 'failed'; error: Error };

/** The search pauses after this many pages. */
const maxPages = 20;

/** Finds a request by any of its ids: by its own at once, by another one within the range first. */
export function useRequestSearch(
  organizationId: string,
  bounds: TimeBounds,
  onFound: (logId: string) => void,
) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<SearchState>({ step: 'idle' });
  const controller = useRef<AbortController>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const begin = (): AbortSignal => {
    controller.current?.abort();
    const current = new AbortController();
    controller.current = current;
    return current.signal;
  };
  const attempt = async (signal: AbortSignal, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted)
        setState({ step: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  /** @param searched without bounds, all entries that are kept */
  const search = (ids: SearchedIds, searched: TimeBounds, start = startOfSearch(ids)) => {
    const signal = begin();
    let position: SearchPosition = start;
    const pause = () =>
      setState({
        step: 'paused',
        searchedBackTo: position.searchedBackTo,
        resume: () => search(ids, searched, position),
      });
    signal.addEventListener('abort', () => signal.reason === 'stopped' && pause());
    return attempt(signal, async () => {
      for (let pages = 0; pages < maxPages && !isAtEnd(position); pages += 1) {
        setState({ step: 'searching', searchedBackTo: position.searchedBackTo });
        const result = await searchOn(ids, position, (parameters) =>
          get(analyticsPath(organizationId, '/logs', { ...searched, ...parameters }), signal),
        );
        if (signal.aborted) return;
        if (result.logId !== null) {
          setState({ step: 'idle' });
          onFound(result.logId);
          return;
        }
        position = result.position;
      }
      if (!isAtEnd(position)) pause();
      else setState({ step: 'missing', searchAll: isAll(searched) ? null : () => search(ids, {}) });
    });
  };

  const find = (text: string) => {
    const ids = requestIdsIn(text);
    const others = searchedIds(ids);
    const hasOthers = Object.keys(others).length > 0;
    const { logId } = ids;
    if (logId === null && !hasOthers) return setState({ step: 'invalid' });
    if (logId === null) return void search(others, bounds);
    const signal = begin();
    setState({ step: 'searching', searchedBackTo: null });
    void attempt(signal, async () => {
      const isFound = await queryClient.fetchQuery(logEntryQuery(organizationId, logId)).then(
        () => true,
        (error: Error) => {
          if (isNotFound(error)) return false;
          throw error;
        },
      );
      if (signal.aborted) return;
      if (isFound) {
        setState({ step: 'idle' });
        onFound(logId);
      } else if (hasOthers) await search(others, bounds);
      else setState({ step: 'missing', searchAll: null });
    });
  };
  return { state, find, stop: () => controller.current?.abort('stopped') };
}

function isAll({ start, end }: TimeBounds): boolean {
  return start === undefined && end === undefined;
}
