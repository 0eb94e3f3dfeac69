import {
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { secondsFormat } from '#dashboard/components/values/time-format.ts';
import type { FigureName } from '#dashboard/filters/figures.ts';
import type { LogsOrder } from '#dashboard/filters/logs-search.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { Headings, NarrowHeadings } from './headings.tsx';
import { Row, rowHeightOf, wideRowClasses } from './row.tsx';
import { useColumns } from './use-columns.tsx';
import { useVisibleRows } from './visible-rows.ts';

interface LogTableProps {
  organizationId: string;
  entries: readonly ListedLogEntry[];
  arrivals: ReadonlyMap<string, number>;
  /** Whether `entries` are all. */
  isComplete: boolean;
  timeZone: string;
  keyNames: ReadonlyMap<string, string>;
  order: LogsOrder;
  onOrderChange: (order: LogsOrder) => void;
  /** The figures that the list is about: it is sorted or filtered by them. */
  figures: readonly FigureName[];
  /** Called when the last rows come near. */
  onEndReached: () => void;
}

const rowsBeforeEnd = 30;

/** The requests as a table. Only the rows in view exist, so that any number can be listed. */
export function LogTable(props: LogTableProps) {
  const { organizationId, entries, arrivals, isComplete, timeZone, keyNames, onEndReached } = props;
  const { order, onOrderChange, figures } = props;
  const formatTime = useMemo(() => secondsFormat(timeZone), [timeZone]);
  const hasRoutes = useMemo(() => entries.some(({ route }) => route !== null), [entries]);
  const columns = useColumns(formatTime, { figures, sort: order.sort, hasRoutes });
  const { names, template, container, measure } = columns;
  const rowHeight = rowHeightOf(names);
  const body = useRef<HTMLTableSectionElement>(null);
  const offset = useTopOffset(body);
  const [activeId, setActiveId] = useState<string | null>(null);
  const activeIndex = useMemo(
    () => Math.max(0, activeId === null ? 0 : entries.findIndex(({ id }) => id === activeId)),
    [entries, activeId],
  );
  const rows = useVisibleRows({ count: entries.length, rowHeight, offset, keptIndex: activeIndex });
  useSteadyScroll(entries, { rowHeight, offset });

  const lastShown = rows.at(-1) ?? 0;
  const isNearEnd = lastShown >= entries.length - rowsBeforeEnd;
  // Again after every page, since a page can be empty.
  useEffect(() => {
    if (isNearEnd) onEndReached();
  }, [isNearEnd, onEndReached]);

  return (
    <div ref={container} style={{ '--log-columns': template } as CSSProperties} className="relative">
      {measure}
      <table
        aria-label="Requests"
        aria-rowcount={isComplete ? entries.length + 1 : -1}
        className="block w-full text-left"
      >
        <thead className={names ? 'sticky top-0 z-10 block rounded-t-xl bg-surface' : 'sr-only'}>
          <tr aria-rowindex={1} className={names ? `h-10 ${wideRowClasses}` : undefined}>
            {names ? (
              <Headings names={names} zone={zoneName(timeZone)} order={order} onOrderChange={onOrderChange} />
            ) : (
              <NarrowHeadings />
            )}
          </tr>
        </thead>
        <tbody
          ref={body}
          onKeyDown={(event) => moveFocus(event, setActiveId)}
          onFocus={({ target }) => setActiveId(rowId(target.closest('tr')))}
          style={{ height: entries.length * rowHeight }}
          className="relative block [overflow-anchor:none]"
        >
          {rows.map((index) => {
            const entry = entries[index];
            return (
              entry && (
                <Row
                  key={entry.id}
                  entry={entry}
                  organizationId={organizationId}
                  rowIndex={index + 2}
                  top={index * rowHeight}
                  columns={names}
                  isTabStop={index === activeIndex}
                  isNew={arrivals.has(entry.id)}
                  keyName={keyNames.get(entry.api_key_id) ?? entry.api_key_id}
                  sort={order.sort}
                  formatTime={formatTime}
                />
              )
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function rowId(row: Element | null): string | null {
  return row?.getAttribute('data-id') ?? null;
}

/** Arrow keys move between the rows, of which Tab reaches one. */
function moveFocus(event: KeyboardEvent, setActiveId: (id: string | null) => void): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = event.target instanceof Element ? event.target.closest('tr') : null;
  const next = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
  if (!next) return;
  event.preventDefault();
  setActiveId(rowId(next));
  next.querySelector('a')?.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

/** Returns text such as "Berlin" for `Europe/Berlin`. */
function zoneName(timeZone: string): string {
  return timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

interface RowGeometry {
  rowHeight: number;
  /** The distance of the first row from the top of the document, in pixels. */
  offset: number;
}

/** Keeps the rows in view where they are when entries are added above them. At the top of the list, new ones are shown. */
function useSteadyScroll(entries: readonly ListedLogEntry[], { rowHeight, offset }: RowGeometry): void {
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

/** Returns the distance of the element from the top of the document, in pixels. */
function useTopOffset(element: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current) setOffset(element.current.getBoundingClientRect().top + window.scrollY);
    };
    measure();
    // The content above the element can change its height whenever the page does.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return offset;
}
