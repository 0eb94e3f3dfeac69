import * as z from 'zod/mini';
import type { ApiKey } from '#lambdas/access/directory.ts';
import {
  type Budget,
  type BudgetPeriod,
  type BudgetScope,
  budgetPeriods,
} from '#lambdas/limits/budgets/budget.ts';
import type { BudgetTables } from '#lambdas/limits/budgets/budgets.ts';
import { type BudgetStatus, findBudgets } from '#lambdas/limits/budgets/status.ts';
import { fromUnits, toUnits, wholePercent } from '#lambdas/platform/money.ts';
import { endOfPeriod, startOfPeriod } from '#lambdas/platform/period.ts';
import type { OrganizationDependencies } from '../call.ts';
import { ownerNames, readOwnerKeys } from '../owners.ts';
import type { BudgetSummary } from '../responses.ts';

export function budgetTables({
  directoryTable,
  budgetCounters,
  now,
}: OrganizationDependencies): BudgetTables {
  return { directoryTable: { ...directoryTable, now }, budgetCounters };
}

export function readBudgets(
  dependencies: OrganizationDependencies,
  scopes: readonly BudgetScope[],
): Promise<BudgetStatus[]> {
  return findBudgets(budgetTables(dependencies), scopes, dependencies.now());
}

/** A budget that has just been set for a new key. */
export function newBudgetStatus(
  scope: BudgetScope,
  period: BudgetPeriod,
  budget: Budget,
  now: Date,
): BudgetStatus {
  return {
    ...budget,
    scope,
    period,
    state: 'activating',
    spentUsd: null,
    reservedUsd: null,
    refusedRequests: 0,
    events: [],
    startMs: startOfPeriod(period, now.getTime()),
    endMs: endOfPeriod(period, now.getTime()),
  };
}

/** In the same order. */
export async function readBudgetSummaries(
  dependencies: Pick<OrganizationDependencies, 'directory'>,
  organizationId: string,
  budgets: readonly BudgetStatus[],
): Promise<BudgetSummary[]> {
  const scopes = budgets.map(({ scope }) => scope);
  const owners = await readOwnerKeys(dependencies, organizationId, { scopes, replacements: 'of revoked' });
  return summarizeBudgets(budgets, owners);
}

/** In the same order. `apiKeys` are those that `readOwnerKeys` reads, the oldest first. */
export function summarizeBudgets(
  budgets: readonly BudgetStatus[],
  apiKeys: readonly ApiKey[],
): BudgetSummary[] {
  const nameOf = ownerNames(apiKeys);
  return budgets.map((budget) => toSummary(budget, nameOf(budget.scope)));
}

function toSummary(budget: BudgetStatus, ownerName: string | null): BudgetSummary {
  const { scope, amountUsd, spentUsd } = budget;
  return {
    api_key_id: scope.keyId,
    api_key_name: ownerName,
    period: budget.period,
    amount_usd: amountUsd,
    hard: budget.hard,
    allow_unpriced: budget.allowsUnpriced,
    state: budget.state,
    period_start: new Date(budget.startMs).toISOString(),
    period_end: new Date(budget.endMs).toISOString(),
    spent_usd: spentUsd,
    reserved_usd: budget.reservedUsd,
    spent_percent: percentOf(budget),
    refused_requests: budget.refusedRequests,
  };
}

/** In whole percent; `null` for a new budget. Corrections of costs can make the spending of a period negative. */
export function percentOf({ spentUsd, amountUsd }: BudgetStatus): number | null {
  return spentUsd === null ? null : wholePercent(spentUsd, amountUsd);
}

const amountPattern = /^\d{1,9}(\.\d{1,6})?$/;
const amountFormat =
  'amount_usd must be an amount of US dollars as text, with at most 9 digits and 6 decimals, such as "250" or "99.50"';

/** Becomes decimal text in the notation of `Usd`. */
const amount = z
  .pipe(
    z.string({ error: amountFormat }).check(z.regex(amountPattern, { error: amountFormat })),
    z.transform((text: string) => fromUnits(toUnits(text))),
  )
  .check(
    z.refine((usd) => usd !== '0', {
      error: 'amount_usd must be more than 0: to refuse all requests of a key, revoke it',
    }),
  );

export const period = z.enum(budgetPeriods, { error: 'period must be day or month' });

/** The fields of a budget in request bodies. */
export const budgetFields = {
  period,
  amount_usd: amount,
  hard: z.boolean({ error: 'hard must be true or false' }),
};
