import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';
import { classNames } from '../class-names.ts';
import { barShares, type SpendingLevel, spendingLevel } from './spending.ts';

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
