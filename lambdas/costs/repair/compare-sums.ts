/** Compares the rollups of a day with those of its hours, or those of a month with those of its days. */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { CostRollupsTable, RollupPartition } from '../rollups/item.ts';
import { endOfPeriod, type Period } from '../rollups/period.ts';
import { type RollupRow, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { addTotals, noTotals } from '../rollups/totals.ts';
import type { Comparison } from './compare-entries.ts';
import type { RepairDependencies } from './complete-entries.ts';
import { type Difference, isDifferent, maxDifferences } from './difference.ts';
import { type JoinedRows, joinRows, type RowRun } from './row-cursors.ts';

/** A period whose rows are sums of the rows of a shorter period. */
export interface Span {
  period: 'month' | 'day';
  startMs: number;
}

const pieceOf = { month: 'day', day: 'hour' } as const satisfies Record<Span['period'], Period>;

/** Each keeps a row of up to 31 days in memory, and a connection for each of them. */
const partitionsAtOnce = 4;

export async function compareSums(
  { costRollups, job }: RepairDependencies,
  comparison: Comparison,
  span: Span,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const partitions = rollupPartitions(comparison).filter(({ period }) => period === span.period);
  await forEachConcurrently(partitions, partitionsAtOnce, async (partition) => {
    job.signal.throwIfAborted();
    for await (const [whole = null, ...pieces] of joinRows(await runsOf(costRollups, partition, span))) {
      const difference = compareRow(partition, span, whole, pieces);
      if (isDifferent(difference)) differences.push(difference);
      if (differences.length >= maxDifferences) return;
    }
  });
  return differences;
}

/** The rows of the span, and those of each of its pieces, in the order of their sort keys. */
async function runsOf(
  costRollups: CostRollupsTable,
  partition: RollupPartition,
  { period, startMs }: Span,
): Promise<RowRun[]> {
  const window = { startMs, endMs: endOfPeriod(period, startMs) };
  const piece = { ...partition, period: pieceOf[period] };
  const wholes = readRowPages(costRollups, partition, { window });
  // Usually all pieces fit on one page and need not be queried one by one.
  const pages = readRowPages(costRollups, piece, { window });
  const first: RollupRow[] = (await pages.next()).value ?? [];
  const { done: isAll } = await pages.next();
  const runs: RowRun[] = [wholes];
  for (let from = startMs; from < window.endMs; from = endOfPeriod(piece.period, from)) {
    const ofPiece = { startMs: from, endMs: endOfPeriod(piece.period, from) };
    runs.push(
      isAll
        ? [first.filter(({ rollup }) => rollup.startMs === from)]
        : readRowPages(costRollups, piece, { window: ofPiece }),
    );
  }
  return runs;
}

function compareRow(
  { dimension, writeShard }: RollupPartition,
  { period, startMs }: Span,
  whole: RollupRow | null,
  pieces: JoinedRows,
): Difference {
  const rows = [whole, ...pieces].filter((row) => row !== null);
  const { value = null, provider = '', model = '' } = rows[0]?.rollup ?? {};
  const expected = pieces.map((row) => row?.rollup.totals ?? noTotals).reduce(addTotals, noTotals);
  return {
    ...{ dimension, period, writeShard, startMs, value, provider, model },
    ...{ comparedWith: pieceOf[period], found: whole?.rollup.totals ?? noTotals, expected },
  };
}
