/** Finds the time from which on an organization's log entries are complete: none of them has expired. */

import type { Directory } from '#lambdas/access/directory.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import { readLogEntryExtent } from '#lambdas/request-log/table/existence.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import type { CostRollupsTable } from '../rollups/item.ts';
import { endOfPeriod, type Period, startOfPeriod } from '../rollups/period.ts';
import { totalsDimension } from '../rollups/rollup.ts';
import { firstRowStart, type OrganizationGeneration, rollupPartitions } from '../rollups/rows.ts';

/** The tables, the clock and the job of a check or a rebuild of rollups. */
export interface RepairDependencies {
  directory: Pick<Directory, 'logShardsOf'>;
  logEntries: LogEntriesTable;
  costRollups: CostRollupsTable;
  /** By the clock of the tables, which is measured again with every response. */
  now(): Date;
  job: Pick<LongJob, 'signal' | 'report' | 'wait'>;
}

export interface CompleteEntries {
  /** When the oldest entry that is left was created. */
  oldestMs: number;
  /** Entries from here on are complete, and stay so for the margin: the start of a day, or 0 when none has expired. */
  fromMs: number;
  /** When the first of them may expire. */
  untilMs: number;
}

const partitionsAtOnce = 25;

/**
 * `null` when there are no entries. `marginMs` is how long the entries have to stay: the time it may take to read them.
 *
 * Entries have expired when a row of the totals starts before the oldest of them, and some are about to when the oldest
 * is nearly as old as entries get. Then the day of the oldest one is not complete, and the next one is.
 */
export async function findCompleteEntries(
  { logEntries, costRollups, now }: RepairDependencies,
  generation: OrganizationGeneration,
  marginMs: number,
): Promise<CompleteEntries | null> {
  // Rows first: each of them then has its entry among those that are read, unless that has expired.
  const firstRows = await firstRowsOfTotals(costRollups, generation);
  const extent = await readLogEntryExtent(logEntries, generation.organizationId, generation.logShards);
  if (extent === null) return null;
  const { oldestMs, minLifetimeMs: shortestLifeMs } = extent;
  // A retention of a day or two leaves no room for the whole margin.
  const margin = Math.min(marginMs, shortestLifeMs / 4);
  const staysFromMs = now().getTime() + margin - shortestLifeMs;
  const hasExpired = firstRows.some(({ period, startMs }) => startMs < startOfPeriod(period, oldestMs));
  const isWhole = !hasExpired && oldestMs > staysFromMs;
  const fromMs = isWhole ? 0 : endOfPeriod('day', Math.max(oldestMs, staysFromMs));
  // The time of expiry is cut to whole seconds.
  return { oldestMs, fromMs, untilMs: Math.max(fromMs, oldestMs) + shortestLifeMs - 1000 };
}

async function firstRowsOfTotals(
  costRollups: CostRollupsTable,
  generation: OrganizationGeneration,
): Promise<{ period: Period; startMs: number }[]> {
  const firstRows: { period: Period; startMs: number }[] = [];
  const totals = rollupPartitions(generation).filter(({ dimension }) => dimension === totalsDimension);
  await forEachConcurrently(totals, partitionsAtOnce, async (partition) => {
    const startMs = await firstRowStart(costRollups, partition);
    if (startMs !== null) firstRows.push({ period: partition.period, startMs });
  });
  return firstRows;
}
