/** Budgets as text and JSON. */
import type { BudgetStatus } from '#lambdas/limits/budgets/status.ts';
import { usdJson } from '#lambdas/platform/money.ts';
import { scopeJson } from '../keys/scope.ts';
import { textTable } from '../text-table.ts';

export function budgetTable(budgets: readonly BudgetStatus[]): string {
  return textTable(
    [
      'ORGANIZATION',
      'KEY',
      'PERIOD',
      'AMOUNT USD',
      'SPENT USD',
      'RESERVED USD',
      'REFUSED',
      'LIMIT',
      'STATE',
      'ENDS',
      'EVENTS',
    ],
    budgets.map((budget) => [
      budget.scope.organizationId,
      budget.scope.keyId ?? '-',
      budget.period,
      budget.amountUsd,
      budget.spentUsd ?? '-',
      budget.reservedUsd ?? '-',
      String(budget.refusedRequests),
      limitText(budget),
      budget.state,
      new Date(budget.endMs).toISOString(),
      budget.events.map((percent) => `${percent} %`).join(', ') || '-',
    ]),
  );
}

function limitText({ hard, allowsUnpriced }: BudgetStatus): string {
  if (!hard) return 'soft';
  return allowsUnpriced ? 'hard, allows unpriced' : 'hard';
}

export function budgetJson({ scope, period, amountUsd, spentUsd, reservedUsd, ...budget }: BudgetStatus) {
  return {
    ...scopeJson(scope),
    period,
    amount_usd: usdJson(amountUsd),
    hard: budget.hard,
    allow_unpriced: budget.allowsUnpriced,
    state: budget.state,
    period_start: new Date(budget.startMs).toISOString(),
    period_end: new Date(budget.endMs).toISOString(),
    spent_usd: spentUsd === null ? null : usdJson(spentUsd),
    reserved_usd: reservedUsd === null ? null : usdJson(reservedUsd),
    refused_requests: budget.refusedRequests,
    events: budget.events,
  };
}
