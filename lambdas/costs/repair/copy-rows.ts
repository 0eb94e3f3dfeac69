/** Copies rollups of the time whose entries have expired into the generation that is being built. */

import { allTime } from '#lambdas/platform/time-window.ts';
import type { RowAdditions } from '../rollups/increments.ts';
import { partitionOf, type RollupPartition } from '../rollups/item.ts';
import { type Period, periodText, startOfPeriod } from '../rollups/period.ts';
import type { RollupKey } from '../rollups/rollup.ts';
import { type RollupRow, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import type { CostRollupWriter } from '../rollups/writer.ts';
import type { CopyProgress, Rebuild } from './rebuild-state.ts';
import type { RepairParts } from './repair-parts.ts';

export interface Copying {
  organizationId: string;
  /** The generation that is read. */
  generation: number;
  rebuild: Rebuild;
  logShards: number;
  writer: CostRollupWriter;
  /** `false` when the rebuild is not under way any more. */
  save(progress: CopyProgress): Promise<boolean>;
}

/** The rows know what was copied into them, so that nothing is twice, however often this is stopped. */
const source = 'copy';

/** Whether all was copied; if not, the rebuild is not under way any more. Goes on where it was stopped. */
export async function copyRows(parts: RepairParts, copying: Copying): Promise<boolean> {
  const { copied } = copying.rebuild;
  if (copied?.partition === null) return true;
  const partitions = rollupPartitions(copying);
  const names = partitions.map(partitionOf);
  const first = copied === null ? 0 : names.indexOf(copied.partition);
  for (const [index, partition] of partitions.entries()) {
    if (index < first) continue;
    const after = index === first ? (copied?.after ?? undefined) : undefined;
    const window = { startMs: allTime.startMs, endMs: copying.rebuild.countsFromMs };
    for await (const rows of readRowPages(parts.costRollups, partition, { window, after })) {
      parts.job.report(
        `${copying.organizationId}: copying rows of before the oldest entries (${names[index]})`,
      );
      await copying.writer.add(source, additionsOf(copying, partition, rows));
      const last = rows.at(-1);
      if (last === undefined) continue;
      if (!(await copying.save({ partition: partitionOf(partition), after: last.sk }))) return false;
      parts.job.signal.throwIfAborted();
    }
  }
  return copying.save({ partition: null, after: null });
}

/**
 * Rows of whole periods are what they were. The month in which counting begins is neither copied nor counted as a whole:
 * its days of before are added to what is counted of it.
 */
function additionsOf(copying: Copying, partition: RollupPartition, rows: RollupRow[]): RowAdditions[] {
  const { countsFromMs } = copying.rebuild;
  const { period } = partition;
  const wholeToMs = startOfPeriod(period, countsFromMs);
  const monthFromMs = startOfPeriod('month', countsFromMs);
  const additions = new Map<string, RowAdditions>();
  const add = (row: RollupRow, target: Period) => {
    const key = keyOf(row, { ...partition, period: target });
    const name = JSON.stringify(key);
    const sum = additions.get(name) ?? { generation: copying.rebuild.generation, key, additions: [] };
    const { startMs, totals } = row.rollup;
    sum.additions.push({ sequenceNumber: periodText(period, startMs), totals });
    additions.set(name, sum);
  };
  for (const row of rows) {
    if (row.rollup.startMs < wholeToMs) add(row, period);
    if (period === 'day' && row.rollup.startMs >= monthFromMs) add(row, 'month');
  }
  return [...additions.values()];
}

function keyOf(
  { rollup }: RollupRow,
  { organizationId, dimension, period, writeShard }: RollupPartition,
): RollupKey {
  const { startMs, value, provider, model } = rollup;
  const periodStart = periodText(period, startMs);
  return { organizationId, dimension, period, writeShard, periodStart, value, provider, model };
}
