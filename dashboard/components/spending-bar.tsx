import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { classNames } from './class-names.ts';
import { formatCount } from './values/number-format.ts';
import { formatDateTime } from './values/time-format.ts';

const fills: Record<SpendingLevel, string> = {
  normal: 'fill-accent',
  // The text colour would be too dark for an area.
  high: 'fill-[light-dark(#e0930a,#eebb4d)]',
  exceeded: 'fill-danger-solid',
};

/** Classes for the percentage beside the bar. */
export const percentColours: Record<SpendingLevel, string> = {
  normal: '',
  high: 'text-warning',
  exceeded: 'text-danger',
};

interface SpendingBarProps {
  budget: BudgetSummary;
  /** Such as "h-1.5 w-full". */
  className: string;
}

/** Shows the spent part of a budget, and in a lighter colour the reserved part. The text beside it says the same. */
export function SpendingBar({ budget, className }: SpendingBarProps) {
  const { spent, reserved } = barShares(budget);
  const fill = fills[spendingLevel(budget)];
  return (
    <svg
      aria-hidden
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      className={classNames('block overflow-hidden rounded-full bg-selected', className)}
    >
      <rect width={spent} height="1" className={fill} />
      <rect x={spent} width={reserved} height="1" className={fill} opacity="0.35" />
    </svg>
  );
}

type Spending = Pick<BudgetSummary, 'amount_usd' | 'spent_usd' | 'reserved_usd' | 'spent_percent'>;

type SpendingLevel = 'normal' | 'high' | 'exceeded';

export function spendingLevel({ spent_percent: percent }: Spending): SpendingLevel {
  if (percent === null || percent < 80) return 'normal';
  return percent < 100 ? 'high' : 'exceeded';
}

/** The parts of a bar in percent of its width. For drawing only: binary numbers are precise enough. */
export function barShares({ amount_usd, spent_usd, reserved_usd }: Spending): {
  spent: number;
  reserved: number;
} {
  const share = (part: string | null) => (Math.max(0, Number(part ?? 0)) / Number(amount_usd)) * 100;
  const spent = Math.min(100, visible(share(spent_usd)));
  return { spent, reserved: Math.min(100 - spent, visible(share(reserved_usd))) };
}

/** An amount above zero is wide enough to be seen. */
function visible(share: number): number {
  return share > 0 ? Math.max(share, 1.5) : 0;
}

/** @param organizationName for the organization's own budgets */
export function ownerName(budget: BudgetSummary, organizationName: string): string {
  if (budget.api_key_id === null) return organizationName;
  return budget.api_key_name ?? budget.api_key_id;
}

export function periodAdjective({ period }: Pick<BudgetSummary, 'period'>): 'daily' | 'monthly' {
  return period === 'day' ? 'daily' : 'monthly';
}

/** Returns text such as "12 requests were refused". */
export function refusedText(count: number): string {
  return count === 1 ? '1 request was refused' : `${formatCount(count)} requests were refused`;
}

/** Explains refusals by a budget that is not spent. */
export function refusalReason(count: number): string {
  return `${count === 1 ? 'it' : 'each'} might have cost more than was left`;
}

/** Returns text such as "Resets 1 Dec 2026, 00:00 UTC". Periods are those of UTC, where they begin at midnight. */
export function resetText(periodEnd: string, locale?: Intl.LocalesArgument): string {
  return `Resets ${formatDateTime(new Date(periodEnd), locale, 'UTC')}`;
}
