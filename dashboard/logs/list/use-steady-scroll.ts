import { useLayoutEffect, useRef } from 'react';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';

interface Rows {
  rowHeight: number;
  /** The distance of the first row from the top of the document, in pixels. */
  offset: number;
}

/** Keeps the rows in view where they are when entries are added above them. At the top of the list, new ones are shown. */
export function useSteadyScroll(entries: readonly ListedLogEntry[], { rowHeight, offset }: Rows): void {
  const previous = useRef(entries);
  useLayoutEffect(() => {
    const before = previous.current;
    previous.current = entries;
    const firstIndex = Math.floor((window.scrollY - offset) / rowHeight);
    const first = before[firstIndex];
    if (before === entries || first === undefined || firstIndex < 1) return;
    const index = entries.findIndex(({ id }) => id === first.id);
    if (index > firstIndex) window.scrollBy(0, (index - firstIndex) * rowHeight);
  }, [entries, rowHeight, offset]);
}
