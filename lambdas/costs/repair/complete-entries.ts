/** From when on the entries of an organization are all there. */

import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import { readLogEntryExtent } from '#lambdas/request-log/table/presence.ts';
import { endOfPeriod, type Period, startOfPeriod } from '../rollups/period.ts';
import { firstRowStart, rollupPartitions } from '../rollups/rows.ts';
import type { RepairParts } from './repair-parts.ts';

export interface CompleteEntries {
  /** The oldest entry that is left. */
  oldestMs: number;
  /** Entries from here on are complete, and stay so for the margin: the start of a day, or 0 when none has expired. */
  fromMs: number;
  /** When the first of them may expire. */
  untilMs: number;
}

export interface EntriesInQuestion {
  organizationId: string;
  generation: number;
  logShards: number;
  /** How long the entries have to stay: as long as it may take to read them. */
  marginMs: number;
}

const partitionsAtOnce = 25;

/**
 * `null` when there are no entries.
 *
 * Entries have expired when a row of the totals starts before the oldest of them, and some are about to when the oldest
 * is nearly as old as entries get. Then the day of the oldest one is not complete, the next one is.
 */
export async function findCompleteEntries(
  parts: RepairParts,
  { organizationId, generation, logShards, marginMs }: EntriesInQuestion,
): Promise<CompleteEntries | null> {
  // Rows first: each of them then has its entry among those that are read, unless that has expired.
  const firstRows = await firstRowsOfTotals(parts, { organizationId, generation, logShards });
  const extent = await readLogEntryExtent(parts.logEntries, organizationId, logShards);
  if (extent === null) return null;
  const { oldestMs, shortestLifeMs } = extent;
  // Of an organization whose entries are kept for a day or two, more could not be asked.
  const margin = Math.min(marginMs, shortestLifeMs / 4);
  const staysFromMs = parts.now().getTime() + margin - shortestLifeMs;
  const hasExpired = firstRows.some(({ period, startMs }) => startMs < startOfPeriod(period, oldestMs));
  const isWhole = !hasExpired && oldestMs > staysFromMs;
  const fromMs = isWhole ? 0 : endOfPeriod('day', Math.max(oldestMs, staysFromMs));
  // Entries expire at a whole second.
  return { oldestMs, fromMs, untilMs: Math.max(fromMs, oldestMs) + shortestLifeMs - 1000 };
}

async function firstRowsOfTotals(
  { costRollups }: RepairParts,
  generation: Omit<EntriesInQuestion, 'marginMs'>,
): Promise<{ period: Period; startMs: number }[]> {
  const firstRows: { period: Period; startMs: number }[] = [];
  const totals = rollupPartitions(generation).filter(({ dimension }) => dimension === 'model');
  await forEachAtOnce(totals, partitionsAtOnce, async (partition) => {
    const startMs = await firstRowStart(costRollups, partition);
    if (startMs !== null) firstRows.push({ period: partition.period, startMs });
  });
  return firstRows;
}
