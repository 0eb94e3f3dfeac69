import type { Directory } from '#lambdas/access/directory.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { endOfPeriod, type Period, startOfPeriod } from '#lambdas/platform/period.ts';
import { readLogEntryExtent } from '#lambdas/request-log/table/extent.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { totalsDimension } from '../rollups/rollup.ts';
import { type OrganizationGeneration, outermostRowStartMs, rollupPartitions } from '../rollups/rows.ts';

export interface RepairDependencies {
  directory: Pick<Directory, 'logShardsOf'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  /** The time by DynamoDB's clock. */
  now(): Date;
  job: Pick<LongJob, 'signal' | 'report' | 'wait'>;
}

interface CompleteEntries {
  /** The creation time of the oldest remaining entry. */
  oldestMs: number;
  /** Entries created from this time on are complete: 0 when none has expired, otherwise the start of a day. */
  fromMs: number;
  /** The time at which the first of these entries expires. */
  expiresAtMs: number;
}

const maxConcurrentPartitions = 25;

/**
 * Finds the creation time from which an organization's log entries are complete: none has expired, and none expires
 * within `marginMs`, the time that the caller needs to read them. Returns `null` when there are no entries.
 *
 * Entries have expired when a row starts before the oldest entry, and some are about to expire when the
 * oldest entry has nearly reached its lifetime. In both cases the day of the oldest entry is incomplete, and the next
 * day is complete.
 */
export async function findCompleteEntries(
  { logEntries, costRollups, now }: RepairDependencies,
  generation: OrganizationGeneration,
  marginMs: number,
): Promise<CompleteEntries | null> {
  // Reads rows before entries, so that every counted entry is found unless it has expired.
  const firstRows = await findFirstRows(costRollups, generation);
  const extent = await readLogEntryExtent(logEntries, generation.organizationId, generation.logShards);
  if (extent === null) return null;
  const { oldestMs, minLifetimeMs } = extent;
  // A retention of a day or two is too short for the full margin.
  const limitedMarginMs = Math.min(marginMs, minLifetimeMs / 4);
  const retainedFromMs = now().getTime() + limitedMarginMs - minLifetimeMs;
  const hasExpired = firstRows.some(({ period, startMs }) => startMs < startOfPeriod(period, oldestMs));
  const isComplete = !hasExpired && oldestMs > retainedFromMs;
  const fromMs = isComplete ? 0 : endOfPeriod('day', Math.max(oldestMs, retainedFromMs));
  // Expiry times are rounded down to whole seconds.
  return { oldestMs, fromMs, expiresAtMs: Math.max(fromMs, oldestMs) + minLifetimeMs - 1000 };
}

async function findFirstRows(
  costRollups: CostRollupsTable,
  generation: OrganizationGeneration,
): Promise<{ period: Period; startMs: number }[]> {
  const firstRows: { period: Period; startMs: number }[] = [];
  // Totals have the shortest periods, and count every entry.
  const partitions = rollupPartitions(generation).filter(({ dimension }) => dimension === totalsDimension);
  await forEachConcurrently(partitions, maxConcurrentPartitions, async (partition) => {
    const startMs = await outermostRowStartMs(costRollups, partition, 'first');
    if (startMs !== null) firstRows.push({ period: partition.period, startMs });
  });
  return firstRows;
}
