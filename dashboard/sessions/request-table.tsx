import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { useRange } from '#dashboard/range/range-bar.tsx';
import type { CallerSessionRequest } from '#lambdas/accounts/analytics/responses.ts';
import { RequestRow } from './request-row.tsx';
import { cumulativeUncertainty } from './uncertain-costs.ts';

const columns: readonly { title: string; className: string }[] = [
  { title: '#', className: 'w-18 pl-5 text-right' },
  { title: 'Time', className: 'w-48' },
  { title: 'Model', className: '' },
  { title: 'Status', className: 'w-36' },
  { title: 'Input', className: 'w-24 text-right' },
  { title: 'Output', className: 'w-24 text-right' },
  { title: 'Latency', className: 'w-24 text-right' },
  { title: 'Cost', className: 'w-28 text-right' },
  { title: 'Cumulative', className: 'w-28 pr-5 text-right' },
];

const estimatedRowHeight = 45;

/** The requests of a session. Only the rows on the screen exist: there can be 1,000. */
export function RequestTable({ requests }: { requests: readonly CallerSessionRequest[] }) {
  const { timeZone } = useRange();
  const uncertain = useMemo(() => cumulativeUncertainty(requests), [requests]);
  const container = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(container.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: requests.length,
    estimateSize: () => estimatedRowHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (index) => requests[index]?.id ?? index,
  });
  const rows = virtualizer.getVirtualItems();
  const [first, last] = [rows[0], rows.at(-1)];
  return (
    <div ref={container} className="@container">
      <table
        aria-label="Requests"
        aria-rowcount={requests.length + 1}
        className="block w-full table-fixed text-left @[54rem]:table"
      >
        <thead className="sr-only @[54rem]:not-sr-only @[54rem]:table-header-group">
          <tr aria-rowindex={1}>
            {columns.map(({ title, className }) => (
              <th
                key={title}
                scope="col"
                className={`h-10 px-3 text-xs font-medium whitespace-nowrap text-muted ${className}`}
              >
                {title === 'Time' ? `Time (${zoneTitle(timeZone)})` : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block @[54rem]:table-row-group">
          <Space height={first ? first.start - offset : 0} />
          {rows.map(({ index }) => {
            const [request, sum] = [requests[index], uncertain[index]];
            return (
              request &&
              sum && (
                <RequestRow
                  key={request.id}
                  rowRef={virtualizer.measureElement}
                  index={index}
                  request={request}
                  uncertain={sum}
                  timeZone={timeZone}
                />
              )
            );
          })}
          <Space height={last ? virtualizer.getTotalSize() - (last.end - offset) : 0} />
        </tbody>
      </table>
    </div>
  );
}

/** Has the height of the rows that are not there. */
function Space({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="block @[54rem]:table-row">
      <td colSpan={columns.length} className="block p-0 @[54rem]:table-cell" style={{ height }} />
    </tr>
  );
}
