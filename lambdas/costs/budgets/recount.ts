/**
 * Counts again what the periods of a budget have cost.
 *
 * A recount starts at a time in the near future. What was written before is read from the rollups, what is written from then
 * on comes from the stream. So no entry is missed or counted twice, although requests continue.
 */
import { listSharingKeyIds } from '#lambdas/access/keys/replacements.ts';
import type { BudgetScope } from '#lambdas/limits/budgets/budget.ts';
import { beginItemRecount } from '#lambdas/limits/counters/change.ts';
import { type CounterItems, kindOfPeriod, recountedPeriods } from '#lambdas/limits/counters/counter.ts';
import { secondMs } from '#lambdas/platform/duration.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import { maxEntryWriteMs } from '#lambdas/request-log/durations.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import { findCompleteUntil } from '../completeness.ts';
import { findRollupState, mayHaveUncountedReprice, repriceDelayMs } from '../rollups/state.ts';
import { isScheduledInTime, scheduledStartMs } from '../scheduled-start.ts';
import type { BudgetDependencies } from './dependencies.ts';
import { periodCost } from './period-costs.ts';

/** After this time, what was written before the recount is usually counted: its write has ended, and counting takes seconds. */
const recountGraceMs = maxEntryWriteMs + 6 * secondMs;
const completenessPollMs = 1000;

/** Continues the recount if all items have the same start, and starts another one otherwise. */
export async function ensureRecount(
  dependencies: BudgetDependencies,
  items: CounterItems,
): Promise<CounterItems> {
  const [{ recountFromMs: startMs }] = items;
  const isStarted = startMs !== null && items.every(({ recountFromMs }) => recountFromMs === startMs);
  return isStarted ? items : beginRecount(dependencies, items);
}

/** All items have the start before it comes. Otherwise a batch of the stream may have missed it. */
export async function beginRecount(
  { budgetCounters, now }: BudgetDependencies,
  items: CounterItems,
): Promise<CounterItems> {
  for (;;) {
    const fromMs = scheduledStartMs(now());
    // The first one last: an incomplete start is repeated.
    for (const item of items.toReversed()) await beginItemRecount(budgetCounters, item, fromMs);
    if (!isScheduledInTime(fromMs, now())) continue;
    const [first, ...others] = items.map((item) => ({ ...item, recountFromMs: fromMs }));
    if (first !== undefined) return [first, ...others];
  }
}

export interface Recount {
  fromMs: number;
  /** The sums for all items, by period; `null` if a rebuild of the rollups makes another recount necessary. */
  costs: ReadonlyMap<string, Usd> | null;
}

/** Waits until the recount has started and the rollups have counted what was written before; `null` if there is none. */
export async function awaitRecountedCosts(
  dependencies: BudgetDependencies,
  scope: BudgetScope,
  [{ recountFromMs }]: CounterItems,
): Promise<Recount | null> {
  if (recountFromMs === null) return null;
  const { now, wait, costRollups } = dependencies;
  const { organizationId, keyId } = scope;
  const remainingMs = recountFromMs + recountGraceMs - now().getTime();
  if (remainingMs > 0) await wait(remainingMs);
  for (;;) {
    const state = await findRollupState(costRollups, organizationId);
    const logShards = await dependencies.logShardsOf(organizationId);
    // The rows of a rebuild that began later include entries that were written since the recount.
    if (state.cutoverMs > recountFromMs) return { fromMs: recountFromMs, costs: null };
    // Entries that are restored from then on come from the stream.
    const shards = shardsOf(organizationId, logShards);
    const completeUntilMs = await findCompleteUntil(dependencies, state, shards, recountFromMs);
    const mayBeRepriced = mayHaveUncountedReprice(state, now(), repriceDelayMs);
    if (completeUntilMs < recountFromMs || mayBeRepriced) {
      await wait(completenessPollMs);
      continue;
    }
    const keyIds =
      keyId === null ? null : await listSharingKeyIds(dependencies.directoryTable, { organizationId, keyId });
    const { generation } = state;
    const costs = new Map<string, Usd>();
    for (const period of recountedPeriods(recountFromMs)) {
      const query = { organizationId, keyIds, generation, logShards, atMs: parsePeriodText(period) };
      costs.set(period, await periodCost(costRollups, query, kindOfPeriod(period), recountFromMs));
    }
    const after = await findRollupState(costRollups, organizationId);
    if (after.generation === generation) return { fromMs: recountFromMs, costs };
  }
}
