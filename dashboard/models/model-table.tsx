import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { mainTypes, rateTitle } from '#dashboard/components/values/rates.ts';
import type { ModelSummary } from '#lambdas/accounts/analytics/responses.ts';
import { ModelRow } from './model-row.tsx';

interface ModelTableProps {
  models: readonly ModelSummary[];
  /** The name of the model whose prices are shown in full; `null` for none. */
  expanded: string | null;
  onExpandedChange: (model: string | null) => void;
}

/** An estimate for rows that have not been shown yet. */
const rowHeight = 57;

/** Hundreds of models, of which only those near the screen are in the document. */
export function ModelTable({ models, expanded, onExpandedChange }: ModelTableProps) {
  const start = useRef<HTMLTableSectionElement>(null);
  const top = useTopOf(start);
  const virtualizer = useWindowVirtualizer({
    count: models.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => models[index]?.id ?? index,
    overscan: 4,
    scrollMargin: top,
    // The headings stay at the top.
    scrollPaddingStart: 40,
  });
  const [shownFirst] = useState(() => models.findIndex(({ id }) => id === expanded));
  useLayoutEffect(() => {
    // The model of the link that was opened.
    if (shownFirst > 0) virtualizer.scrollToIndex(shownFirst, { align: 'start' });
  }, [virtualizer, shownFirst]);

  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return (
    <div className="@container">
      <table
        aria-label="Models"
        aria-rowcount={models.length + 1}
        className="block w-full table-fixed text-left @[47rem]:table"
      >
        <Heading />
        <Space ref={start} height={first ? first.start - top : 0} />
        {items.map(({ key, index }) => {
          const model = models[index];
          if (model === undefined) return null;
          const isExpanded = model.id === expanded;
          return (
            <tbody
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className={classNames('block border-line @[47rem]:table-row-group', index > 0 && 'border-t')}
            >
              <ModelRow
                model={model}
                rowIndex={index + 2}
                expanded={isExpanded}
                onToggle={() => onExpandedChange(isExpanded ? null : model.id)}
              />
            </tbody>
          );
        })}
        <Space height={last ? virtualizer.getTotalSize() - (last.end - top) : 0} />
      </table>
    </div>
  );
}

function Heading() {
  return (
    <thead className="sr-only @[47rem]:not-sr-only @[47rem]:table-header-group">
      <tr aria-rowindex={1}>
        <HeadingCell className="@[47rem]:w-auto">Model</HeadingCell>
        {mainTypes.map((type) => (
          <HeadingCell key={type} className="text-right @[47rem]:w-25">
            {rateTitle(type)}
          </HeadingCell>
        ))}
        <HeadingCell className="@[47rem]:w-44">Source, valid since</HeadingCell>
      </tr>
    </thead>
  );
}

function HeadingCell({ className, children }: { className: string; children: string }) {
  return (
    <th
      scope="col"
      className={classNames(
        'h-10 px-4 text-xs font-medium whitespace-nowrap text-muted @[47rem]:sticky @[47rem]:top-0 @[47rem]:z-10 @[47rem]:border-b @[47rem]:border-line @[47rem]:bg-surface first:rounded-tl-xl first:pl-5 last:rounded-tr-xl last:pr-5',
        className,
      )}
    >
      {children}
    </th>
  );
}

/** Stands for the rows outside the screen. */
function Space({ ref, height }: { ref?: RefObject<HTMLTableSectionElement | null>; height: number }) {
  return (
    <tbody ref={ref} aria-hidden className="block @[47rem]:table-row-group">
      <tr className="block @[47rem]:table-row">
        <td colSpan={6} className="block p-0 @[47rem]:table-cell" style={{ height }} />
      </tr>
    </tbody>
  );
}

/** The distance of the element from the top of the page in pixels. */
function useTopOf(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  // After each update, since any may move the element.
  useLayoutEffect(() => {
    if (element.current) setTop(Math.round(element.current.getBoundingClientRect().top + window.scrollY));
  });
  return top;
}
