import { useCallback, useSyncExternalStore } from 'react';

interface RowGeometry {
  count: number;
  rowHeight: number;
  /** The distance of the first row from the top of the document, in pixels. */
  offset: number;
  /** The row that exists wherever the list is scrolled: it has the focus. */
  keptIndex: number;
}

/** As many rows exist above and below those in view. */
const overscan = 8;

/** The indexes of the rows in view, and of some around them. All rows have the same height, and the window scrolls. */
export function useVisibleRows({ count, rowHeight, offset, keptIndex }: RowGeometry): number[] {
  const first = useSyncExternalStore(
    onScrollOrResize,
    useCallback(() => Math.floor((window.scrollY - offset) / rowHeight), [offset, rowHeight]),
    () => 0,
  );
  const rowsInView = useSyncExternalStore(
    onScrollOrResize,
    useCallback(() => Math.ceil(window.innerHeight / rowHeight), [rowHeight]),
    () => 0,
  );
  return rowIndexes({ first, rowsInView, count, keptIndex });
}

function onScrollOrResize(onChange: () => void): () => void {
  window.addEventListener('scroll', onChange, { passive: true });
  window.addEventListener('resize', onChange);
  return () => {
    window.removeEventListener('scroll', onChange);
    window.removeEventListener('resize', onChange);
  };
}

interface View extends Pick<RowGeometry, 'count' | 'keptIndex'> {
  /** The first row in view; negative below the top of the page. */
  first: number;
  rowsInView: number;
}

export function rowIndexes({ first, rowsInView, count, keptIndex }: View): number[] {
  const start = Math.max(0, Math.min(first, count) - overscan);
  const end = Math.max(start, Math.min(count, first + rowsInView + 1 + overscan));
  const shown = Array.from({ length: end - start }, (_, index) => start + index);
  if (keptIndex < start && keptIndex < count) return [keptIndex, ...shown];
  return keptIndex >= end && keptIndex < count ? [...shown, keptIndex] : shown;
}
