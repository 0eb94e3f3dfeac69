import { Link, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import { classNames } from '#dashboard/components/class-names.ts';
import { outcomeLooks } from '#dashboard/components/request/outcome.ts';
import { StatusCode } from '#dashboard/components/request/status-code.tsx';
import { ForeignText, withCodes } from '#dashboard/components/values/foreign-text.tsx';
import { formatCount, formatDuration } from '#dashboard/components/values/number-format.ts';
import { type FigureName, figureTitles } from '#dashboard/filters/figures.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { CostCell, FigureCell, figureText, ModelName } from './cells.tsx';
import { type ColumnName, isStacked } from './columns.ts';

/** In pixels; `null` is a row of two lines without columns. */
export function rowHeightOf(columns: readonly ColumnName[] | null): number {
  if (columns === null) return 61;
  return isStacked(columns) ? 53 : 41;
}

interface RowProps {
  entry: ListedLogEntry;
  organizationId: string;
  /** The row's number in the list; the heading is row 1. */
  rowIndex: number;
  top: number;
  /** Null for a row of two lines. */
  columns: readonly ColumnName[] | null;
  /** Whether Tab reaches the row; arrow keys reach the others from it. */
  isTabStop: boolean;
  isNew: boolean;
  keyName: string;
  /** The figure that the list is sorted by, which a row of two lines has instead of the tokens. */
  sort: FigureName | undefined;
  formatTime: Intl.DateTimeFormat;
}

/** The tracks are those of `--log-columns`. */
export const wideRowClasses = 'grid grid-cols-(--log-columns) items-center gap-x-3 px-5';

/** A request as a table row, which is a link as a whole. On narrow screens, it has two lines. */
export const Row = memo(function Row({ entry, rowIndex, top, columns, isNew, ...props }: RowProps) {
  return (
    <tr
      data-id={entry.id}
      aria-rowindex={rowIndex}
      style={{ top, height: rowHeightOf(columns) }}
      className={classNames(
        'absolute inset-x-0 border-t border-line transition-colors has-[a:hover]:bg-hover',
        'has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
        // Narrow lists have no headings above.
        !columns && rowIndex === 2 && 'border-transparent',
        isNew && 'duration-[2500ms] starting:bg-accent-soft',
        columns ? wideRowClasses : 'grid grid-cols-[minmax(0,1fr)_auto] content-center gap-x-4 px-4',
      )}
    >
      {columns ? (
        columns.map((name) => (
          <Cell key={name} name={name} entry={entry} isStacked={isStacked(columns)} {...props} />
        ))
      ) : (
        <NarrowCells entry={entry} {...props} />
      )}
    </tr>
  );
});

type CellsProps = Pick<
  RowProps,
  'entry' | 'organizationId' | 'isTabStop' | 'keyName' | 'sort' | 'formatTime'
>;

function Cell({
  name,
  entry,
  isStacked: hasUser,
  keyName,
  sort: _,
  ...link
}: CellsProps & { name: ColumnName; isStacked: boolean }) {
  switch (name) {
    case 'time':
      return (
        <td className="truncate tabular-nums">
          <EntryLink entry={entry} {...link} />
        </td>
      );
    case 'model':
      return (
        <td className="min-w-0">
          <ModelName entry={entry} />
          {hasUser && <UserBelow user={entry.user_id} />}
        </td>
      );
    case 'status':
      return (
        <td title={statusTitle(entry)}>
          <StatusCode entry={entry} />
        </td>
      );
    case 'cost_usd':
      return <CostCell entry={entry} isAligned />;
    case 'route':
      return <NameCell text={entry.route} />;
    case 'user':
      return <NameCell text={entry.user_id} />;
    case 'key':
      return (
        <td title={keyName} className="truncate">
          <bdi>{keyName}</bdi>
        </td>
      );
    default:
      return <FigureCell text={figureText(entry, name)} />;
  }
}

function NameCell({ text }: { text: string | null }) {
  return (
    <td
      title={text === null ? undefined : withCodes(text)}
      className={classNames('truncate pl-2', text === null && 'text-muted')}
    >
      {text === null ? '–' : <ForeignText>{text}</ForeignText>}
    </td>
  );
}

function UserBelow({ user }: { user: string | null }) {
  if (user === null) return null;
  return (
    <span title={withCodes(user)} className="block truncate text-xs text-muted">
      <span className="sr-only">User: </span>
      <ForeignText>{user}</ForeignText>
    </span>
  );
}

function NarrowCells({ entry, keyName: _, sort, ...link }: CellsProps) {
  return (
    <>
      <td className="order-1 min-w-0 font-medium">
        <ModelName entry={entry} />
      </td>
      <CostCell entry={entry} isAligned={false} />
      <td className="order-3 flex items-center gap-2 truncate text-[0.8125rem] text-muted tabular-nums">
        <EntryLink entry={entry} {...link} />
        {entry.outcome !== 'completed' && (
          <span title={statusTitle(entry)}>
            <StatusCode entry={entry} />
          </span>
        )}
      </td>
      <td className="order-4 text-right text-[0.8125rem] whitespace-nowrap text-muted tabular-nums">
        {narrowFigures(entry, sort)}
      </td>
    </>
  );
}

/** The outcome, which the status is coloured by, with the error's code, and its message if it is the gateway's own. */
export function statusTitle({
  outcome,
  error_code: code,
  error_message: message,
}: Pick<ListedLogEntry, 'outcome' | 'error_code' | 'error_message'>): string {
  const error = [code, message].filter((text) => text !== null).join(': ');
  const { title } = outcomeLooks[outcome];
  return error === '' ? title : `${title}: ${error}`;
}

/** Returns text such as "1,500 tokens · 5.12 s", or "First token 480 ms · 5.12 s" in a list that is sorted by it. */
export function narrowFigures(entry: ListedLogEntry, sort: FigureName | undefined): string {
  const latency = formatDuration(entry.latency_ms);
  if (sort === 'time_to_first_token_ms' || sort === 'retries')
    return `${figureTitles[sort]} ${figureText(entry, sort) ?? '–'} · ${latency}`;
  return entry.total_tokens === null ? latency : `${formatCount(entry.total_tokens)} tokens · ${latency}`;
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
