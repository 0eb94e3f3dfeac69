/** Compares what the counters of an organization's budgets have as spent with its cost rollups. */

import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { listSharingKeyIds } from '#lambdas/access/keys/replacements.ts';
import { type BudgetPeriod, type BudgetScope, budgetPeriods } from '#lambdas/limits/budgets/budget.ts';
import { type BudgetRecord, listBudgetRecords } from '#lambdas/limits/budgets/store.ts';
import { isPeriodOver, periodOfCounter, periodsAt } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import {
  type BudgetCountersTable,
  findCounterItem,
  findCounterItems,
} from '#lambdas/limits/counters/table.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { addUsd, subtractUsd, type Usd } from '#lambdas/platform/money.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import { periodCost } from '../budgets/period-costs.ts';
import type { OrganizationGeneration } from '../rollups/rows.ts';
import { findRollupState } from '../rollups/state.ts';
import type { RepairDependencies } from './complete-entries.ts';
import { finalRecheckDelayMs } from './verify.ts';

export interface CounterDependencies extends Omit<RepairDependencies, 'logEntries'> {
  directoryTable: DirectoryTable;
  budgetCounters: BudgetCountersTable;
}

interface CounterComparison {
  organizationId: string;
  /** The maximum time from the write of an entry until the rollups and the counters include it. */
  settleMs: number;
}

/** A period of a counter. */
export interface CounterDifference {
  scope: BudgetScope;
  period: BudgetPeriod;
  startMs: number;
  /** The sum over all items of the counter; 0 if it is missing. */
  spentUsd: Usd;
  /** The cost of the period in the rollups. */
  expectedUsd: Usd;
}

/**
 * Compares the current day and month of each budget that is in effect. Requests continue meanwhile: a difference is reported
 * only if it is unchanged after all writes in flight have been counted.
 */
export async function compareCounters(
  dependencies: CounterDependencies,
  { organizationId, settleMs }: CounterComparison,
): Promise<CounterDifference[]> {
  const { job, now, directoryTable } = dependencies;
  // The same day and month in each comparison, even if they end in the meantime.
  const periods = periodsAt(now().getTime());
  const compare = async (isIncluded: (record: BudgetRecord) => boolean) => {
    const records = await listBudgetRecords(directoryTable, organizationId);
    return findDifferences(dependencies, organizationId, records.filter(isIncluded), periods);
  };
  let differences = await compare(() => true);
  for (const waitMs of [settleMs, finalRecheckDelayMs, finalRecheckDelayMs]) {
    if (differences.length === 0) return [];
    await job.wait(waitMs, 'until entries in flight have been counted');
    const keys = new Set(differences.map(differenceKey));
    const counters = new Set(differences.map(({ scope }) => counterKey(scope)));
    const current = await compare(({ scope }) => counters.has(counterKey(scope)));
    differences = current.filter((difference) => keys.has(differenceKey(difference)));
  }
  return differences;
}

function differenceKey({ scope, period, spentUsd, expectedUsd }: CounterDifference): string {
  return JSON.stringify([counterKey(scope), period, subtractUsd(spentUsd, expectedUsd)]);
}

const maxConcurrentCounters = 10;

/** In the order of the records. */
async function findDifferences(
  dependencies: CounterDependencies,
  organizationId: string,
  records: readonly BudgetRecord[],
  periods: Record<BudgetPeriod, string>,
): Promise<CounterDifference[]> {
  const { costRollups, directory, now, job } = dependencies;
  const { generation } = await findRollupState(costRollups, organizationId);
  const logShards = await directory.logShardsOf(organizationId);
  const rollups = { organizationId, generation, logShards };
  const differences: CounterDifference[][] = [];
  await forEachConcurrently(records.entries(), maxConcurrentCounters, async ([index, record]) => {
    job.signal.throwIfAborted();
    const { revision, appliedRevision } = record;
    // The counter is about to change, and may not include the whole period yet.
    if (revision !== appliedRevision) return;
    const compared = await Promise.all(
      budgetPeriods
        // A counter removes a period some time after its end.
        .filter((period) => !isPeriodOver(periods[period], now().getTime()))
        .map((period) => comparePeriod(dependencies, rollups, record, period, periods[period])),
    );
    differences[index] = compared.filter(({ spentUsd, expectedUsd }) => spentUsd !== expectedUsd);
  });
  return differences.flat();
}

async function comparePeriod(
  { costRollups, directoryTable, budgetCounters }: CounterDependencies,
  rollups: OrganizationGeneration,
  { scope, counterId }: BudgetRecord,
  period: BudgetPeriod,
  text: string,
): Promise<CounterDifference> {
  const { organizationId, keyId } = scope;
  const startMs = parsePeriodText(text);
  const first = await findCounterItem(budgetCounters, counterKey(scope));
  const counters =
    first === null || first.id !== counterId ? [] : await findCounterItems(budgetCounters, scope, first);
  const spentUsd = counters.map((counter) => periodOfCounter(counter, text).spentUsd).reduce(addUsd, '0');
  const keyIds = keyId === null ? null : await listSharingKeyIds(directoryTable, { organizationId, keyId });
  const expectedUsd = await periodCost(costRollups, { ...rollups, keyIds, atMs: startMs }, period);
  return { scope, period, startMs, spentUsd, expectedUsd };
}
