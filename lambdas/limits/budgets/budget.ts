/** Budgets of organizations and API keys: an amount for each UTC day or month. */
import { toUnits, type Usd } from '#lambdas/platform/money.ts';

export const budgetPeriods = ['day', 'month'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

export interface Budget {
  amountUsd: Usd;
  /** Requests that might exceed a hard budget are refused. The others are only counted. */
  hard: boolean;
  /** Whether a hard budget lets requests through whose price is not known. They are counted with a cost of 0. */
  allowsUnpriced: boolean;
}

export type Budgets = Readonly<Partial<Record<BudgetPeriod, Budget>>>;

/** The owner of a budget: the whole organization if `keyId` is `null`. */
export interface BudgetScope {
  organizationId: string;
  keyId: string | null;
}

/** The percentages of a budget that send an event when they are first reached in a period. */
export const budgetThresholds = [50, 80, 100] as const;
export type BudgetThreshold = (typeof budgetThresholds)[number];

export function isSpent(amountUsd: Usd, percent: number, spentUsd: Usd): boolean {
  return toUnits(spentUsd) * 100n >= toUnits(amountUsd) * BigInt(percent);
}
