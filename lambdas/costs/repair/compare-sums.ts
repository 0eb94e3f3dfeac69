/** Compares daily rollups with the sums of hourly ones, and monthly rollups with the sums of daily ones. */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { endOfPeriod, type Period } from '#lambdas/platform/period.ts';
import { unnamedOperation } from '#lambdas/request-log/operation.ts';
import type { CostRollupsTable, RollupPartition } from '../rollups/item.ts';
import { type RollupRow, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { noTotals, sumTotals } from '../rollups/totals.ts';
import type { Comparison } from './compare-entries.ts';
import type { RepairDependencies } from './complete-entries.ts';
import { type Difference, isDifferent, maxDifferences } from './difference.ts';
import { type JoinedRow, mergeJoinRows, type RowSequence } from './row-cursors.ts';

/** A period whose rows are sums of the rows of a shorter period. */
export interface ParentPeriod {
  period: 'month' | 'day';
  startMs: number;
}

const childPeriods = { month: 'day', day: 'hour' } as const satisfies Record<ParentPeriod['period'], Period>;

/** Each keeps a page and a connection for up to 31 days. */
const maxConcurrentPartitions = 4;

export async function compareSums(
  { costRollups, job }: RepairDependencies,
  comparison: Comparison,
  parent: ParentPeriod,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const partitions = rollupPartitions(comparison).filter(({ period }) => period === parent.period);
  await forEachConcurrently(partitions, maxConcurrentPartitions, async (partition) => {
    job.signal.throwIfAborted();
    for await (const [parentRow = null, ...childRows] of mergeJoinRows(
      await rowSequences(costRollups, partition, parent),
    )) {
      const difference = compareRow(partition, parent, parentRow, childRows);
      if (isDifferent(difference)) differences.push(difference);
      if (differences.length >= maxDifferences) return;
    }
  });
  return differences;
}

/** The rows of the parent period, followed by the rows of each child period, in the order of their sort keys. */
async function rowSequences(
  costRollups: CostRollupsTable,
  partition: RollupPartition,
  { period, startMs }: ParentPeriod,
): Promise<RowSequence[]> {
  const window = { startMs, endMs: endOfPeriod(period, startMs) };
  const childPartition = { ...partition, period: childPeriods[period] };
  const parentRows = readRowPages(costRollups, partition, { window });
  // Usually all child periods fit on one page and need no queries of their own.
  const pages = readRowPages(costRollups, childPartition, { window });
  const firstPage: RollupRow[] = (await pages.next()).value ?? [];
  const { done: isSinglePage } = await pages.next();
  const sequences: RowSequence[] = [parentRows];
  for (let from = startMs; from < window.endMs; from = endOfPeriod(childPartition.period, from)) {
    const childWindow = { startMs: from, endMs: endOfPeriod(childPartition.period, from) };
    sequences.push(
      isSinglePage
        ? [firstPage.filter(({ rollup }) => rollup.startMs === from)]
        : readRowPages(costRollups, childPartition, { window: childWindow }),
    );
  }
  return sequences;
}

function compareRow(
  { dimension, writeShard }: RollupPartition,
  { period, startMs }: ParentPeriod,
  parentRow: RollupRow | null,
  childRows: JoinedRow,
): Difference {
  const rows = [parentRow, ...childRows].filter((row) => row !== null);
  const {
    value = null,
    provider = '',
    operation = unnamedOperation,
    serviceTier = null,
    model = '',
  } = rows[0]?.rollup ?? {};
  const expected = sumTotals(childRows.map((row) => row?.rollup.totals ?? noTotals));
  return {
    dimension,
    period,
    writeShard,
    startMs,
    value,
    provider,
    operation,
    serviceTier,
    model,
    comparedWith: childPeriods[period],
    actual: parentRow?.rollup.totals ?? noTotals,
    expected,
  };
}
