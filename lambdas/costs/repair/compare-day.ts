/** Compares the rollups of the hours and minutes of a day with the entries of that day. */

import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import type { RollupPartition } from '../rollups/item.ts';
import { startOfPeriodText } from '../rollups/period.ts';
import { readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { noTotals } from '../rollups/totals.ts';
import { type Difference, isDifferent, mostDifferences } from './differences.ts';
import { addExpected, type ExpectedRows, rowName } from './expected-rows.ts';
import type { RepairParts } from './repair-parts.ts';
import { type FoundRow, type RowCursor, takeHours } from './row-cursor.ts';

/** Whose rollups are compared. */
export interface Comparison {
  organizationId: string;
  generation: number;
  logShards: number;
  /** How long after an entry was written it has certainly been counted. */
  settleMs: number;
}

export interface DayComparison {
  differences: Difference[];
  entries: number;
  rows: number;
  /** Rows of which an entry was written so lately that it may not have been counted yet. */
  unsettledRows: number;
}

const shardsAtOnce = 8;

/**
 * Rows are read before the entries: so whatever a row has counted is among the entries, and what was written long enough
 * before the row was read is in both.
 *
 * In memory are the totals of the day, and of some shards a page of each of their other rows, or an hour of them when
 * that is more.
 */
export async function compareDay(
  parts: RepairParts,
  comparison: Comparison,
  window: TimeWindow,
): Promise<DayComparison> {
  const { logShards, settleMs } = comparison;
  const result = nothingCompared();
  const partitions = rollupPartitions(comparison).filter(isWithinDay);
  const settledBeforeMs = parts.now().getTime() - settleMs;
  const found = await readTotals(parts, partitions, window);
  const totals: ExpectedRows = new Map();
  await forEachAtOnce(Array.from({ length: logShards }).keys(), shardsAtOnce, (shard) =>
    // The dimensions other than that of the totals have a write shard for each shard.
    compareShard(parts, comparison, {
      ...{ result, totals, shard, window },
      partitions: partitions.filter(
        ({ dimension, writeShard }) => dimension !== 'model' && writeShard === shard,
      ),
    }),
  );
  compareRows(result, { found, expected: totals, settledBeforeMs });
  return result;
}

export function nothingCompared(): DayComparison {
  return { differences: [], entries: 0, rows: 0, unsettledRows: 0 };
}

function isWithinDay({ period }: RollupPartition): boolean {
  return period === 'hour' || period === 'minute';
}

async function readTotals(
  { costRollups }: RepairParts,
  partitions: RollupPartition[],
  window: TimeWindow,
): Promise<FoundRow[]> {
  const totals = partitions.filter(({ dimension }) => dimension === 'model');
  const read = totals.map(async (partition) => {
    const pages = await Array.fromAsync(readRowPages(costRollups, partition, { window }));
    return pages.flat().map((row) => ({ partition, row }));
  });
  return (await Promise.all(read)).flat();
}

interface ShardDay {
  result: DayComparison;
  totals: ExpectedRows;
  shard: number;
  window: TimeWindow;
  partitions: RollupPartition[];
}

async function compareShard(
  parts: RepairParts,
  { organizationId, generation, settleMs }: Comparison,
  { result, totals, shard, window, partitions }: ShardDay,
): Promise<void> {
  const settledBeforeMs = parts.now().getTime() - settleMs;
  const cursors = partitions.map((partition): RowCursor => {
    const pages = readRowPages(parts.costRollups, partition, { window });
    return { partition, pages: pages[Symbol.asyncIterator](), rows: [], hasEnded: false };
  });
  let startMs = window.startMs;
  while (startMs < window.endMs) {
    parts.job.signal.throwIfAborted();
    const { toMs, rows: found } = await takeHours(cursors, { ...window, startMs });
    const groups: ExpectedRows = new Map();
    const range = { organizationId, shard, window: { startMs, endMs: toMs } };
    for await (const page of readLogEntryPages(parts.logEntries, range)) {
      for (const stored of page) addExpected({ totals, groups }, stored, generation);
      result.entries += page.length;
    }
    compareRows(result, { found, expected: groups, settledBeforeMs });
    startMs = toMs;
  }
}

interface Sides {
  found: FoundRow[];
  expected: ExpectedRows;
  settledBeforeMs: number;
}

function compareRows(result: DayComparison, { found, expected, settledBeforeMs }: Sides): void {
  const compare = (row: Omit<Difference, 'comparedWith'>, lastWrittenMs = 0) => {
    const difference = { ...row, comparedWith: 'entries' as const };
    if (lastWrittenMs >= settledBeforeMs) result.unsettledRows += 1;
    else if (result.differences.length < mostDifferences && isDifferent(difference))
      result.differences.push(difference);
  };
  const missing = new Map(expected);
  for (const { partition, row } of found) {
    const sum = missing.get(rowName(row));
    missing.delete(rowName(row));
    const { totals, ...rollup } = row.rollup;
    const { dimension, period, writeShard } = partition;
    const sides = { found: totals, expected: sum?.totals ?? noTotals };
    compare({ dimension, period, writeShard, ...rollup, ...sides }, sum?.lastWrittenMs);
  }
  for (const { key, totals, lastWrittenMs } of missing.values()) {
    const { dimension, period, writeShard, periodStart, value, provider, model } = key;
    const rollup = { startMs: startOfPeriodText(periodStart), value, provider, model };
    compare({ dimension, period, writeShard, ...rollup, found: noTotals, expected: totals }, lastWrittenMs);
  }
  result.rows += found.length;
}
