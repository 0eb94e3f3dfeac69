/** Settles the budgets of a batch of stream records: each reservation is replaced by the cost of its log entry. */
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { notifyThresholds, type SendBudgetEvents } from '#lambdas/limits/budgets/events.ts';
import { type Counter, counterKey } from '#lambdas/limits/counters/counter.ts';
import { coverDeficits } from '#lambdas/limits/counters/rebalance.ts';
import {
  type BudgetCountersTable,
  findCounter,
  findCounterItems,
  settleRecords,
} from '#lambdas/limits/counters/table.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { errorFields, log } from '#lambdas/platform/telemetry/log.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import type { RollupRecord } from '../rollups/increments.ts';
import { type Dimension, type RollupKey, totalsDimension } from '../rollups/rollup.ts';
import {
  keyScope,
  organizationScope,
  refusingPeriod,
  reservedShard,
  type StateOf,
  scopesOf,
  settlementOf,
} from './record-settlement.ts';

export interface BudgetSettlement {
  budgetCounters: BudgetCountersTable;
  sendEvents: SendBudgetEvents;
  now(): Date;
}

/** The counters of a batch, as they were when it arrived. */
export interface BatchCounters {
  /** When the recount of the row's budget started; `null` if none is in progress, or the row has no budget. */
  recountFromMs(record: RollupRecord, key: RollupKey): number | null;
  /** Idempotent, like the additions to rows. */
  settle(shardId: string): Promise<void>;
}

/** The AWS SDK's connection limit. */
const maxConcurrentCounters = 50;

export async function findBatchCounters(
  settlement: BudgetSettlement,
  records: readonly RollupRecord[],
  stateOf: StateOf,
): Promise<BatchCounters> {
  const counters = new Map<string, Counter>();
  const scopes = scopesOf(records, stateOf);
  const find = async (key: string) => {
    const counter = await findCounter(settlement.budgetCounters, key);
    if (counter !== null) counters.set(key, counter);
  };
  await forEachConcurrently(new Set(scopes.map((scope) => counterKey(scope))), maxConcurrentCounters, find);
  const others = records.flatMap(({ entry }) => otherShards(entry, counters));
  await forEachConcurrently(new Set(others), maxConcurrentCounters, find);

  return {
    recountFromMs({ entry }, { dimension, period }) {
      if (period !== 'day' && period !== 'month') return null;
      const scope = scopeOfRow(entry, dimension);
      return (scope && counters.get(counterKey(scope))?.recountFromMs) ?? null;
    },
    settle: (source) =>
      forEachConcurrently(scopes, maxConcurrentCounters, (scope) =>
        settleScope(settlement, { scope, counters, records, stateOf, source }),
      ),
  };
}

interface ScopeBatch {
  scope: BudgetScope;
  counters: ReadonlyMap<string, Counter>;
  records: readonly RollupRecord[];
  stateOf: StateOf;
  source: string;
}

async function settleScope(settlement: BudgetSettlement, batch: ScopeBatch): Promise<void> {
  const { scope, counters, records, source } = batch;
  const { budgetCounters, now } = settlement;
  const first = counters.get(counterKey(scope));
  if (first === undefined) return;
  const isInScope = ({ entry }: RollupRecord) =>
    counterKey(scope.keyId === null ? organizationScope(entry) : keyScope(entry)) === first.key;
  const scopeRecords = records.filter(isInScope);
  const byItem = Map.groupBy(scopeRecords, ({ entry }) =>
    // Without a reservation always the first item, however many there are: a redelivered record must not move.
    counterKey(scope, reservedShard(entry, scope, first) ?? 0),
  );
  let settledFirst: Counter | null = first;
  for (const [key, itemRecords] of byItem) {
    const counter = counters.get(key);
    if (counter?.id !== first.id) continue;
    const settled = await settleRecords(budgetCounters, counter, {
      source,
      records: itemRecords.map((record) => settlementOf(record, scope, first, batch.stateOf)),
      now: now(),
    });
    if (key === first.key) settledFirst = settled;
  }
  if (settledFirst === null) return;
  const items = await findCounterItems(budgetCounters, scope, settledFirst);
  await coverDeficits(budgetCounters, items, now());
  const refusing = new Set(
    scopeRecords.flatMap((record) => refusingPeriod(record, scope, settledFirst) ?? []),
  );
  try {
    await notifyThresholds(settlement, { scope, items, refusing });
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

/** The further items of an organization's counter in which the request has reserved. */
function otherShards(entry: LogEntry, counters: ReadonlyMap<string, Counter>): string[] {
  const scope = organizationScope(entry);
  const first = counters.get(counterKey(scope));
  const shard = first === undefined ? null : reservedShard(entry, scope, first);
  return shard === null || shard === 0 ? [] : [counterKey(scope, shard)];
}
