/** Compares the rollups of a day with those of its hours, or those of a month with those of its days. */

import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { RollupPartition } from '../rollups/item.ts';
import { endOfPeriod, type Period } from '../rollups/period.ts';
import { type RollupRow, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { addTotals, noTotals } from '../rollups/totals.ts';
import type { Comparison } from './compare-day.ts';
import { type Difference, isDifferent, mostDifferences } from './differences.ts';
import { joinRows, type RowRun } from './joined-rows.ts';
import type { RepairParts } from './repair-parts.ts';

export interface Span {
  period: 'month' | 'day';
  startMs: number;
}

const partsOf = { month: 'day', day: 'hour' } as const satisfies Record<Span['period'], Period>;

/** Each has a row of up to 31 days in memory, and a connection for each of them. */
const partitionsAtOnce = 4;

export async function compareSums(
  parts: RepairParts,
  comparison: Comparison,
  span: Span,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const partitions = rollupPartitions(comparison).filter(({ period }) => period === span.period);
  await forEachAtOnce(partitions, partitionsAtOnce, async (partition) => {
    parts.job.signal.throwIfAborted();
    for await (const [whole, ...pieces] of joinRows(await runsOf(parts, partition, span))) {
      const difference = compareRow(partition, { span, whole: whole ?? null, pieces });
      if (isDifferent(difference)) differences.push(difference);
      if (differences.length >= mostDifferences) return;
    }
  });
  return differences;
}

/** The rows of the span, and those of each of its parts, in the order of their sort keys. */
async function runsOf(
  { costRollups }: RepairParts,
  partition: RollupPartition,
  { period, startMs }: Span,
): Promise<RowRun[]> {
  const window = { startMs, endMs: endOfPeriod(period, startMs) };
  const piece = { ...partition, period: partsOf[period] };
  const wholes = readRowPages(costRollups, partition, { window });
  // Mostly all pieces are on one page, and need not be asked for one by one.
  const pages = readRowPages(costRollups, piece, { window });
  const first: RollupRow[] = (await pages.next()).value ?? [];
  const { done: isAll } = await pages.next();
  const starts = startsOf(piece.period, window);
  const pieces = starts.map((from) =>
    isAll
      ? [first.filter(({ rollup }) => rollup.startMs === from)]
      : readRowPages(costRollups, piece, {
          window: { startMs: from, endMs: endOfPeriod(piece.period, from) },
        }),
  );
  return [wholes, ...pieces];
}

function startsOf(period: Period, { startMs, endMs }: TimeWindow): number[] {
  const starts: number[] = [];
  for (let from = startMs; from < endMs; from = endOfPeriod(period, from)) starts.push(from);
  return starts;
}

interface Row {
  span: Span;
  whole: RollupRow | null;
  pieces: (RollupRow | null)[];
}

function compareRow({ dimension, writeShard }: RollupPartition, { span, whole, pieces }: Row): Difference {
  const rows = [whole, ...pieces].filter((row) => row !== null);
  const { value = null, provider = '', model = '' } = rows[0]?.rollup ?? {};
  const { period, startMs } = span;
  const expected = pieces.map((row) => row?.rollup.totals ?? noTotals).reduce(addTotals, noTotals);
  return {
    ...{ dimension, period, writeShard, startMs, value, provider, model },
    ...{ comparedWith: partsOf[period], found: whole?.rollup.totals ?? noTotals, expected },
  };
}
