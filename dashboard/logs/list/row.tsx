import { Link, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { costTitle, EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { formatCount, formatDuration } from '#dashboard/components/values/number-format.ts';
import { formatUsd } from '#dashboard/components/values/usd-format.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';

export const rowHeights = { wide: 41, narrow: 61 };

/** Fixed columns, since each row is a grid of its own. */
export const columnClasses =
  'grid-cols-[8.5rem_minmax(8rem,2.35fr)_3rem_4.375rem_3.25rem_5.5rem_4.25rem_5rem_minmax(5rem,1fr)_minmax(4rem,1.05fr)] gap-x-3 px-5';

interface RowProps {
  entry: ListedLogEntry;
  organizationId: string;
  /** The row's number in the list; the heading is row 1. */
  rowIndex: number;
  top: number;
  isWide: boolean;
  /** Whether Tab reaches the row; arrow keys reach the others from it. */
  isTabStop: boolean;
  isNew: boolean;
  keyName: string;
  formatTime: Intl.DateTimeFormat;
}

/** A request as a table row, which is a link as a whole. On narrow screens, it has two lines. */
export const Row = memo(function Row({ entry, rowIndex, top, isWide, isNew, ...props }: RowProps) {
  return (
    <tr
      data-id={entry.id}
      aria-rowindex={rowIndex}
      style={{ top, height: isWide ? rowHeights.wide : rowHeights.narrow }}
      className={classNames(
        'absolute inset-x-0 border-t border-line transition-colors has-[a:hover]:bg-hover',
        'has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
        // Narrow lists have no headings above.
        !isWide && rowIndex === 2 && 'border-transparent',
        isNew && 'duration-[2500ms] starting:bg-accent-soft',
        isWide
          ? `grid items-center ${columnClasses}`
          : 'grid grid-cols-[minmax(0,1fr)_auto] content-center gap-x-4 px-4',
      )}
    >
      {isWide ? <WideCells entry={entry} {...props} /> : <NarrowCells entry={entry} {...props} />}
    </tr>
  );
});

type CellsProps = Pick<RowProps, 'entry' | 'organizationId' | 'isTabStop' | 'keyName' | 'formatTime'>;

function WideCells({ entry, keyName, ...link }: CellsProps) {
  const { input_tokens, output_tokens, time_to_first_token_ms: firstTokenMs } = entry;
  return (
    <>
      <td className="truncate tabular-nums">
        <EntryLink entry={entry} {...link} />
      </td>
      <td className="truncate">
        <ModelName entry={entry} />
      </td>
      <td>
        <StatusCode entry={entry} />
      </td>
      <FigureCell text={input_tokens === null ? null : formatCount(input_tokens)} />
      <FigureCell text={output_tokens === null ? null : formatCount(output_tokens)} />
      <Cost entry={entry} />
      <FigureCell text={firstTokenMs === null ? null : formatDuration(firstTokenMs)} />
      <FigureCell text={formatDuration(entry.latency_ms)} />
      <td className={classNames('truncate pl-4', entry.user_id === null && 'text-muted')}>
        {entry.user_id ?? '–'}
      </td>
      <td className="truncate">{keyName}</td>
    </>
  );
}

function NarrowCells({ entry, keyName: _, ...link }: CellsProps) {
  return (
    <>
      <td className="order-1 truncate font-medium">
        <ModelName entry={entry} />
      </td>
      <Cost entry={entry} className="order-2" />
      <td className="order-3 flex items-center gap-2 truncate text-[0.8125rem] text-muted tabular-nums">
        <EntryLink entry={entry} {...link} />
        {entry.outcome !== 'completed' && <StatusCode entry={entry} />}
      </td>
      <td className="order-4 text-right text-[0.8125rem] whitespace-nowrap text-muted tabular-nums">
        {entry.total_tokens !== null && `${formatCount(entry.total_tokens)} tokens · `}
        {formatDuration(entry.latency_ms)}
      </td>
    </>
  );
}

/** Covers the row. */
function EntryLink({
  entry,
  organizationId,
  isTabStop,
  formatTime,
}: Pick<RowProps, 'entry' | 'organizationId' | 'isTabStop' | 'formatTime'>) {
  const search = useSearch({ from: '/shell/organizations/$organizationId/logs' });
  return (
    <Link
      to="/organizations/$organizationId/logs/$logId"
      params={{ organizationId, logId: entry.id }}
      search={search}
      state={{ isFromLogs: true }}
      preload={false}
      tabIndex={isTabStop ? 0 : -1}
      className="outline-none after:absolute after:inset-0"
    >
      <span className="sr-only">Request of </span>
      {formatTime.format(new Date(entry.created_at))}
    </Link>
  );
}

function ModelName({ entry: { model, provider } }: { entry: ListedLogEntry }) {
  if (model === null) return <span className="text-muted">–</span>;
  return (
    <>
      {provider !== null && <span className="font-normal text-muted">{provider}/</span>}
      {model}
    </>
  );
}

function Cost({ entry, className }: { entry: ListedLogEntry; className?: string }) {
  return (
    <td title={costTitle(entry)} className={classNames('truncate text-right tabular-nums', className)}>
      <EntryCost entry={entry}>{formatUsd(entry.cost_usd)}</EntryCost>
    </td>
  );
}

function FigureCell({ text }: { text: string | null }) {
  return (
    <td className={classNames('truncate text-right tabular-nums', text === null && 'text-muted')}>
      {text ?? '–'}
    </td>
  );
}
