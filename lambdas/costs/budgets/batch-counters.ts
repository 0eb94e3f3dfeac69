/** Settles the budgets of a batch of stream records: the pending cost of each log entry becomes a part of what is spent. */
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { notifyThresholds, type SendBudgetEvents } from '#lambdas/limits/budgets/events.ts';
import type { CounterItem } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import { coverDeficits } from '#lambdas/limits/counters/rebalance.ts';
import {
  type BudgetCountersTable,
  findCounterItem,
  findCounterItems,
  settleRecords,
} from '#lambdas/limits/counters/table.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { errorFields, log } from '#lambdas/platform/telemetry/log.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type Dimension, type RollupKey, totalsDimension } from '../rollups/rollup.ts';
import type { RollupRecord } from '../rollups/row-updates.ts';
import {
  keyScope,
  organizationScope,
  refusingPeriod,
  reservedItemIndex,
  type StateOf,
  scopesOf,
  settlementOf,
} from './record-settlement.ts';

export interface SettlementDependencies {
  budgetCounters: BudgetCountersTable;
  sendEvents: SendBudgetEvents;
  now(): Date;
}

/** The counters of a batch, as they were when it arrived. */
export interface BatchCounters {
  /** When the recount of the row's budget started; `null` if none is in progress, or the row has no budget. */
  recountFromMsOf(record: RollupRecord, key: RollupKey): number | null;
  /** Idempotent, like the additions to rows. */
  settle(shardId: string): Promise<void>;
}

export async function findBatchCounters(
  dependencies: SettlementDependencies,
  records: readonly RollupRecord[],
  stateOf: StateOf,
): Promise<BatchCounters> {
  const counters = new Map<string, CounterItem>();
  const scopes = scopesOf(records, stateOf);
  const find = async (key: string) => {
    const counter = await findCounterItem(dependencies.budgetCounters, key);
    if (counter !== null) counters.set(key, counter);
  };
  await forEachConcurrently(new Set(scopes.map((scope) => counterKey(scope))), maxConnections, find);
  const others = records.flatMap(({ entry }) => otherItemKeys(entry, counters));
  await forEachConcurrently(new Set(others), maxConnections, find);

  return {
    recountFromMsOf({ entry }, { dimension, period }) {
      if (period !== 'day' && period !== 'month') return null;
      const scope = scopeOfRow(entry, dimension);
      return (scope && counters.get(counterKey(scope))?.recountFromMs) ?? null;
    },
    settle: (shardId) =>
      forEachConcurrently(scopes, maxConnections, (scope) =>
        settleScope(dependencies, { scope, counters, records, stateOf, shardId }),
      ),
  };
}

interface ScopeBatch {
  scope: BudgetScope;
  counters: ReadonlyMap<string, CounterItem>;
  records: readonly RollupRecord[];
  stateOf: StateOf;
  shardId: string;
}

async function settleScope(dependencies: SettlementDependencies, batch: ScopeBatch): Promise<void> {
  const { scope, counters, records, shardId } = batch;
  const { budgetCounters, now } = dependencies;
  const first = counters.get(counterKey(scope));
  if (first === undefined) return;
  const isInScope = ({ entry }: RollupRecord) =>
    counterKey(scope.keyId === null ? organizationScope(entry) : keyScope(entry)) === first.key;
  const scopeRecords = records.filter(isInScope);
  const byItem = Map.groupBy(scopeRecords, ({ entry }) =>
    // Without a reservation always the first item, however many there are: a redelivered record must not move.
    counterKey(scope, reservedItemIndex(entry, scope, first) ?? 0),
  );
  let settledFirst: CounterItem | null = first;
  for (const [key, itemRecords] of byItem) {
    const counter = counters.get(key);
    if (counter?.id !== first.id) continue;
    const settled = await settleRecords(budgetCounters, counter, {
      source: shardId,
      records: itemRecords.map((record) => settlementOf(record, scope, first, batch.stateOf)),
      now: now(),
    });
    if (key === first.key) settledFirst = settled;
  }
  if (settledFirst === null) return;
  const items = await findCounterItems(budgetCounters, scope, settledFirst);
  await coverDeficits(budgetCounters, items, now());
  const refusingPeriods = new Set(
    scopeRecords.flatMap((record) => refusingPeriod(record, scope, settledFirst) ?? []),
  );
  try {
    await notifyThresholds(dependencies, { scope, items, refusingPeriods });
  } catch (error) {
    // The next batch sends it again: the costs of all organizations must not wait for one event.
    log.error('budget_event_not_sent', { organization_id: scope.organizationId, ...errorFields(error) });
  }
}

/** The budgets that count the rows of the dimension; `null` if none do. */
function scopeOfRow(entry: LogEntry, dimension: Dimension): BudgetScope | null {
  switch (dimension) {
    case totalsDimension:
      return organizationScope(entry);
    case 'api_key':
      return keyScope(entry);
    default:
      return null;
  }
}

/** The keys of further items of the counters in which the request has reserved. */
function otherItemKeys(entry: LogEntry, counters: ReadonlyMap<string, CounterItem>): string[] {
  return [organizationScope(entry), keyScope(entry)].flatMap((scope) => {
    const first = counters.get(counterKey(scope));
    const index = first === undefined ? null : reservedItemIndex(entry, scope, first);
    return index === null || index === 0 ? [] : [counterKey(scope, index)];
  });
}
