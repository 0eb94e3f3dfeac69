import { classNames } from '#dashboard/components/class-names.ts';
import { costTitle, EntryCost } from '#dashboard/components/request/entry-cost.tsx';
import { isAttempt, requestsOf } from '#dashboard/components/request/outcome.ts';
import { formatCount, formatDuration } from '#dashboard/components/values/number-format.ts';
import { formatAlignedUsd } from '#dashboard/components/values/usd-format.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import type { ColumnName } from './columns.ts';

type FigureColumn = Exclude<ColumnName, 'time' | 'model' | 'status' | 'cost_usd' | 'route' | 'user' | 'key'>;

/** The text of a figure; `null` for one that the request does not have. */
export function figureText(entry: ListedLogEntry, name: FigureColumn): string | null {
  switch (name) {
    case 'input':
      return countText(entry.input_tokens);
    case 'output':
      return countText(entry.output_tokens);
    case 'total_tokens':
      return countText(entry.total_tokens);
    case 'retries':
      // Entries have no zero.
      return entry.outcome === 'rejected' ? null : countText(entry.retries ?? 0);
    case 'time_to_first_token_ms':
      return entry.time_to_first_token_ms === null ? null : formatDuration(entry.time_to_first_token_ms);
    case 'latency_ms':
      return formatDuration(entry.latency_ms);
    default:
      return name satisfies never;
  }
}

function countText(count: number | null): string | null {
  return count === null ? null : formatCount(count);
}

export function FigureCell({ text }: { text: string | null }) {
  return (
    <td className={classNames('truncate text-right tabular-nums', text === null && 'text-muted')}>
      {text ?? '–'}
    </td>
  );
}

/** The model's name, with a note beside it; the provider's only where there is room for both. */
export function ModelName({ entry }: { entry: ListedLogEntry }) {
  const note = noteOf(entry);
  if (note === null) return <ModelText entry={entry} />;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="min-w-0">
        <ModelText entry={entry} />
      </span>
      <span className="shrink-0 text-xs font-normal text-muted tabular-nums">
        <span className="sr-only">, </span>
        {note}
      </span>
    </span>
  );
}

/** How many refused requests share the entry, or the place of an attempt, after which the request was sent to another target. */
function noteOf(entry: ListedLogEntry): string | null {
  if (isAttempt(entry)) return `attempt ${entry.attempt}`;
  const count = requestsOf(entry);
  return count === 1 ? null : `${formatCount(count)} requests`;
}

function ModelText({ entry: { model, provider } }: { entry: ListedLogEntry }) {
  if (model === null) return <span className="text-muted">–</span>;
  return (
    // The lines begin at the bottom, and the last one is in view: the provider is below, unless it fits beside the model.
    <span
      title={fullName(model, provider)}
      className="flex h-5 flex-wrap-reverse content-end overflow-hidden"
    >
      {provider !== null && <span className="font-normal text-muted">{provider}/</span>}
      <span className="max-w-full truncate">{model}</span>
    </span>
  );
}

function fullName(model: string, provider: string | null): string {
  return provider === null ? model : `${provider}/${model}`;
}

/** The cost; `isAligned` on the decimal point, in a column. */
export function CostCell({ entry, isAligned }: { entry: ListedLogEntry; isAligned: boolean }) {
  const { text, fill } = formatAlignedUsd(entry.cost_usd);
  return (
    <td
      title={costTitle(entry)}
      className={classNames('truncate text-right tabular-nums', !isAligned && 'order-2')}
    >
      <EntryCost entry={entry}>
        <span
          data-fill={isAligned ? fill : undefined}
          className={isAligned ? 'after:invisible after:content-[attr(data-fill)]' : undefined}
        >
          {text}
        </span>
      </EntryCost>
    </td>
  );
}
