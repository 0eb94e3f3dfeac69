/** The effect of one stream record on the counters of its organization and key. */
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { type CounterItem, kindOfPeriod } from '#lambdas/limits/counters/counter.ts';
import { counterKey, counterName } from '#lambdas/limits/counters/keys.ts';
import type { SettlementRecord } from '#lambdas/limits/counters/table.ts';
import { subtractUsd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { RollupRecord } from '../rollups/row-updates.ts';
import { generationsAt, type RollupState } from '../rollups/state.ts';

export type StateOf = (organizationId: string) => RollupState | undefined;

export function organizationScope({ organization_id: organizationId }: LogEntry): BudgetScope {
  return { organizationId, keyId: null };
}

/** Keys that were rotated share the budgets of the first one. */
export function keyScope({
  organization_id: organizationId,
  budget_key_id,
  api_key_id,
}: LogEntry): BudgetScope {
  return { organizationId, keyId: budget_key_id ?? api_key_id };
}

/** The scopes of the records that may have budgets, each once. */
export function scopesOf(records: readonly RollupRecord[], stateOf: StateOf): BudgetScope[] {
  const scopes = new Map<string, BudgetScope>();
  for (const { entry } of records) {
    const { organization = false, keys = false } = stateOf(entry.organization_id)?.counters ?? {};
    const candidates = [
      ...(organization ? [organizationScope(entry)] : []),
      ...(keys ? [keyScope(entry)] : []),
    ];
    for (const scope of candidates) scopes.set(counterKey(scope), scope);
  }
  return [...scopes.values()];
}

/** The item that holds the reservation; `null` if the request has reserved nothing from this counter. */
export function reservedItemIndex(entry: LogEntry, scope: BudgetScope, counter: CounterItem): number | null {
  if (entry.reserved_usd === null) return null;
  const index = lastPartOf(entry, scope, counter);
  return index === null ? null : Number(index);
}

/** The index of the item with the reservation, or the period that refused it; `null` for another counter. */
function lastPartOf({ budget_counters }: LogEntry, scope: BudgetScope, counter: CounterItem): string | null {
  const prefix = `${counterName(scope, counter)}/`;
  return budget_counters?.find((name) => name.startsWith(prefix))?.slice(prefix.length) ?? null;
}

export function settlementOf(
  record: RollupRecord,
  scope: BudgetScope,
  counter: CounterItem,
  stateOf: StateOf,
): SettlementRecord {
  const { entry, before, writtenAtMs, sequenceNumber } = record;
  const state = stateOf(entry.organization_id);
  // A rebuild has counted the others, and the recount after it includes them.
  const isCounted = state !== undefined && generationsAt(state, writtenAtMs).includes(state.generation);
  const isNew = before === null;
  const refusedPeriod = refusedPeriodOf(record, scope, counter);
  const isReserved = isNew && reservedItemIndex(entry, scope, counter) !== null;
  return {
    sequenceNumber,
    createdAtMs: Date.parse(entry.created_at),
    writtenAtMs,
    costUsd: isCounted ? subtractUsd(entry.cost_usd, before?.cost_usd ?? '0') : '0',
    pendingUsd: (isReserved && entry.pending_usd) || '0',
    ...(refusedPeriod !== null && { refusedPeriod }),
    isReplayed: false,
  };
}

/** The period of the counter that has refused the request, such as `2026-11`; `null` if none has. */
function refusedPeriodOf(
  { entry, before }: RollupRecord,
  scope: BudgetScope,
  counter: CounterItem,
): string | null {
  return before !== null || entry.reserved_usd !== null ? null : lastPartOf(entry, scope, counter);
}

/**
 * Like `refusedPeriodOf`, but `null` also for an amount that is no longer in effect: its entry can be counted seconds after a
 * change, which often is the response to such refusals.
 */
export function refusingPeriod(
  record: RollupRecord,
  scope: BudgetScope,
  counter: CounterItem,
): string | null {
  const period = refusedPeriodOf(record, scope, counter);
  if (period === null) return null;
  return Date.parse(record.entry.created_at) < counter.amountsFromMs[kindOfPeriod(period)] ? null : period;
}
