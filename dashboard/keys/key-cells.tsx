import type { ReactNode } from 'react';
import { Badge } from '#dashboard/components/badge.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { percentColours, SpendingBar, spendingLevel } from '#dashboard/components/spending-bar.tsx';
import {
  formatCompact,
  formatCount,
  formatPercent,
  formatRequests,
} from '#dashboard/components/values/number-format.ts';
import { Time } from '#dashboard/components/values/time.tsx';
import { formatDayRange, formatMonthDay } from '#dashboard/components/values/time-format.ts';
import { Usd } from '#dashboard/components/values/usd.tsx';
import { KeyLink } from '#dashboard/key-names/key-link.tsx';
import { UncertaintyMark } from '#dashboard/metrics/uncertainty-mark.tsx';
import type {
  ApiKeySummary,
  BudgetSummary,
  CreatorSummary,
} from '#lambdas/accounts/organizations/responses.ts';
import { dayMs } from '#lambdas/platform/duration.ts';

export interface CellProps {
  apiKey: ApiKeySummary;
}

interface NameCellProps extends CellProps {
  /** The key that it replaces, if that is listed too: most probably with the same name. */
  replaced: Pick<ApiKeySummary, 'last_four'> | undefined;
}

export function NameCell({ apiKey: { id, name, last_four: lastFour, state }, replaced }: NameCellProps) {
  return (
    <span className="block @[42rem]:min-w-30">
      <span
        className={classNames('line-clamp-2 wrap-anywhere', state !== 'active' && 'text-muted')}
        title={name.length > 30 ? name : undefined}
      >
        <KeyLink keyId={id} name={name} />
      </span>
      <span className="block font-mono text-xs/5 font-normal text-muted">
        pt_live_…{lastFour}
        {replaced && <span className="block font-sans">replaces …{replaced.last_four}</span>}
      </span>
    </span>
  );
}

export function CreatedCell({ apiKey }: CellProps) {
  return (
    <Lines>
      <Creator creator={apiKey.created_by} />
      <CreatedTime apiKey={apiKey} />
    </Lines>
  );
}

/** Also names somebody else who knows the key, because they have rotated another one to it. */
function CreatedTime({ apiKey }: CellProps) {
  const { created_at: createdAt, created_by: creator, rotated_by: rotator } = apiKey;
  return (
    <>
      <Time value={createdAt} format="date" />
      {rotator && !isSamePerson(rotator, creator) && (
        <span className="block truncate @[42rem]:max-w-34 @[70rem]:max-w-60" title={rotator.name}>
          rotated by {rotator.id === null ? 'an operator' : rotator.name}
        </span>
      )}
    </>
  );
}

function isSamePerson(one: CreatorSummary, other: CreatorSummary): boolean {
  return one.id === other.id && (one.id !== null || one.name === other.name);
}

/** Operators have no user id: their name is the ARN of an AWS identity, which only the audit trail shows in full. */
function Creator({ creator }: { creator: CreatorSummary }) {
  const name = creator.id === null ? 'Operator' : creator.name;
  return (
    <span className="flex min-w-0 items-center gap-1.5 @[42rem]:max-w-34 @[70rem]:max-w-60">
      <Tooltip content={<span className="break-all">{creator.name}</span>}>
        <span className="truncate">{name}</span>
      </Tooltip>
      {!creator.active && <Badge>Left</Badge>}
    </span>
  );
}

export function LastUsedCell({ apiKey, spendSince }: CellProps & { spendSince: string }) {
  return (
    <Tooltip content="By UTC days. The page of the key has the time.">
      <span
        className={classNames(
          'whitespace-nowrap tabular-nums',
          apiKey.last_used === null && 'text-[0.8125rem] text-muted',
        )}
      >
        {lastUsedText(apiKey, spendSince, new Date())}
      </span>
    </Tooltip>
  );
}

export function SpendCell({ apiKey }: CellProps) {
  return (
    <Lines>
      <span className="inline-flex items-center gap-1.5">
        <UncertaintyMark
          sum={{
            unpriced_requests: apiKey.unpriced_requests,
            uncertain_cost_share: apiKey.uncertain_share,
          }}
        />
        <Usd amount={apiKey.spend_usd} />
      </span>
      <span className="tabular-nums">
        {requestsText(apiKey.requests)}
        {apiKey.rejected_requests > 0 && (
          <span className="block">{formatCount(apiKey.rejected_requests)} rejected</span>
        )}
      </span>
    </Lines>
  );
}

export function BudgetsCell({ apiKey: { budgets } }: CellProps) {
  if (budgets.length === 0) return <span className="text-muted">None</span>;
  return (
    <span className="flex min-w-0 flex-col gap-2.5">
      {budgets.map((budget) => (
        <KeyBudget key={budget.period} budget={budget} />
      ))}
    </span>
  );
}

/** In a column as wide as its text, up to a limit at which it wraps. */
const secondLineClasses =
  'inline-block max-w-full text-[0.8125rem] text-muted @[42rem]:w-max @[42rem]:max-w-32';

function KeyBudget({ budget }: { budget: BudgetSummary }) {
  const { spent_percent: percent, amount_usd: amount, period } = budget;
  return (
    <span className="block min-w-0 tabular-nums">
      <span className="flex items-center gap-2">
        <SpendingBar budget={budget} className="h-1.5 w-0 min-w-14 grow" />
        <span className={classNames('whitespace-nowrap', percentColours[spendingLevel(budget)])}>
          {percent === null ? 'New' : formatPercent(percent)}
        </span>
      </span>
      <span className={secondLineClasses}>
        of <Usd amount={amount} /> <span className="whitespace-nowrap">/ {period}</span>
      </span>
    </span>
  );
}

/** A value with a second line in smaller type. */
export function Lines({ children: [first, second] }: { children: [ReactNode, ReactNode] }) {
  return (
    <span className="block min-w-0">
      <span className="block whitespace-nowrap">{first}</span>
      <span className={secondLineClasses}>{second}</span>
    </span>
  );
}

/** Returns text such as "Today", "1–21 Nov", "Never" or "Not since 1 Oct", by UTC days. */
export function lastUsedText(
  { last_used: used, created_at: createdAt }: Pick<ApiKeySummary, 'last_used' | 'created_at'>,
  spendSince: string,
  now: Date,
  locale?: Intl.LocalesArgument,
): string {
  if (used === null) {
    return createdAt < spendSince ? `Not since ${formatMonthDay(spendSince, locale)}` : 'Never';
  }
  if (used === utcDay(now)) return 'Today';
  if (used === utcDay(new Date(now.getTime() - dayMs))) return 'Yesterday';
  const month = used.slice(0, 7);
  const [first, lastOfMonth] = [`${month}-01`, lastDayOf(month)];
  const beforeYesterday = utcDay(new Date(now.getTime() - 2 * dayMs));
  // The time of the list may be a little later than that of the figures.
  const last = beforeYesterday < first ? first : beforeYesterday;
  return formatDayRange(first, last < lastOfMonth ? last : lastOfMonth, locale);
}

/** Returns `2026-10-31` for `2026-10`. */
function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return utcDay(new Date(Date.UTC(year ?? 0, number ?? 0, 0)));
}

function utcDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Returns text such as "48,210 requests", or "12.3M requests" from a million on. */
export function requestsText(count: number, locale?: Intl.LocalesArgument): string {
  return count < 1_000_000 ? formatRequests(count, locale) : `${formatCompact(count, locale)} requests`;
}
