/** The parts of a view that could not be loaded, so that several are reported by one notice. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useId, useSyncExternalStore } from 'react';

interface Failure {
  error: Error;
  isFetching: boolean;
  retry: () => void;
}

const failures = new Map<string, Failure>();
const listeners = new Set<() => void>();
let snapshot: readonly Failure[] = [];

function changed(): void {
  snapshot = [...failures.values()];
  for (const notify of listeners) notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The failed parts that are shown. */
export function useFailures(): readonly Failure[] {
  return useSyncExternalStore(
    subscribe,
    () => snapshot,
    () => snapshot,
  );
}

/** Reports the part while it has failed. Returns whether others have failed too, whose notice has the details. */
export function useFailure({ data, error, isError, isFetching, refetch }: UseQueryResult): boolean {
  const id = useId();
  const failure = isError && data === undefined ? error : null;
  useEffect(() => {
    if (failure === null) return;
    failures.set(id, { error: failure, isFetching, retry: () => void refetch() });
    changed();
    return () => {
      failures.delete(id);
      changed();
    };
  }, [id, failure, isFetching, refetch]);
  return useFailures().length > 1;
}
