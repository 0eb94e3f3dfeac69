import { type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type ColumnName, columnsFor, gridTemplate, type ListRoom } from './columns.ts';

interface ShownColumns {
  /** Null where rows have two lines instead. */
  names: readonly ColumnName[] | null;
  template: string;
  /** The element whose width the columns divide. */
  container: RefObject<HTMLDivElement | null>;
  /** Invisible texts of all lengths that a time has, to be put inside of `container`. */
  measure: ReactNode;
}

/** Chooses the columns for the width of the list, and for the times of the reader's locale. */
export function useColumns(
  formatTime: Intl.DateTimeFormat,
  { figures, sort, hasRoutes }: Pick<ListRoom, 'figures' | 'sort' | 'hasRoutes'>,
): ShownColumns {
  const container = useRef<HTMLDivElement>(null);
  const times = useRef<HTMLDivElement>(null);
  const [{ widthRem, timeRem }, setRoom] = useState({ widthRem: 0, timeRem: 0 });
  useLayoutEffect(() => {
    const read = () => {
      // Rounded so that nothing is cut for a fraction of a pixel.
      const room = {
        widthRem: Math.floor(widthInRem(container.current) * 16) / 16,
        timeRem: Math.ceil(widthInRem(times.current) * 16) / 16,
      };
      setRoom((last) => (last.widthRem === room.widthRem && last.timeRem === room.timeRem ? last : room));
    };
    read();
    // Also when the page's font has been loaded.
    const observer = new ResizeObserver(read);
    for (const { current } of [container, times]) if (current) observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const names = useMemo(
    () => columnsFor({ widthRem, timeRem, figures, sort, hasRoutes }),
    [widthRem, timeRem, figures, sort, hasRoutes],
  );
  const samples = useMemo(() => sampleTimes.map((time) => formatTime.format(time)), [formatTime]);
  return {
    names,
    template: names === null ? '' : gridTemplate(names, timeRem),
    container,
    measure: (
      <div
        ref={times}
        aria-hidden
        className="invisible absolute h-0 overflow-hidden whitespace-nowrap tabular-nums"
      >
        {samples.map((text) => (
          <div key={text}>{text}</div>
        ))}
      </div>
    ),
  };
}

/** Two days of each month, before and after noon in every zone. */
const sampleTimes = Array.from({ length: 12 }, (_, month) => [
  new Date(Date.UTC(2026, month, 22, 10, 48, 48)),
  new Date(Date.UTC(2026, month, 28, 22, 48, 48)),
]).flat();

function widthInRem(element: HTMLElement | null): number {
  if (element === null) return 0;
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return element.getBoundingClientRect().width / remPx;
}
