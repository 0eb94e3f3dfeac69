/** Compares the rollups of the hours and minutes of a day with the entries of that day. */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { type CostRollupsTable, itemKey, type RollupPartition } from '../rollups/item.ts';
import { startOfPeriodText } from '../rollups/period.ts';
import { type RollupKey, rollupKeysOf, totalsDimension, totalsOf } from '../rollups/rollup.ts';
import { type OrganizationGeneration, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { addTotals, noTotals, type Totals } from '../rollups/totals.ts';
import type { RepairDependencies } from './complete-entries.ts';
import { type Difference, isDifferent, maxDifferences } from './difference.ts';
import { type FoundRow, type RowCursor, takeHours } from './row-cursors.ts';

/** The rollups that are compared. */
export interface Comparison extends OrganizationGeneration {
  /** How long after it was written an entry has certainly been counted. */
  settleMs: number;
}

export interface DayComparison {
  differences: Difference[];
  entries: number;
  rows: number;
  /** Rows with an entry that was written so recently that it may not have been counted yet. */
  unsettledRows: number;
}

interface ExpectedRow {
  key: RollupKey;
  totals: Totals;
  /** When the newest of its entries was written. */
  lastWrittenMs: number;
}

/** By `rowName`. */
type ExpectedRows = Map<string, ExpectedRow>;

const shardsAtOnce = 8;

/**
 * Rows are read before the entries: so whatever a row has counted is among the entries, and what was written long enough
 * before the row was read is in both.
 *
 * Memory holds the totals of the day, and for some shards one page of each of their other rows, or an hour of them when
 * that is more.
 */
export async function compareDay(
  dependencies: RepairDependencies,
  comparison: Comparison,
  window: TimeWindow,
): Promise<DayComparison> {
  const { now, costRollups } = dependencies;
  const result: DayComparison = { differences: [], entries: 0, rows: 0, unsettledRows: 0 };
  const partitions = rollupPartitions(comparison).filter(
    ({ period }) => period === 'hour' || period === 'minute',
  );
  const settledBeforeMs = now().getTime() - comparison.settleMs;
  const ofTotals = partitions.filter(({ dimension }) => dimension === totalsDimension);
  const found = (
    await Promise.all(ofTotals.map((partition) => readRows(costRollups, partition, window)))
  ).flat();
  const totalRows: ExpectedRows = new Map();
  const shards = Array.from({ length: comparison.logShards }).keys();
  await forEachConcurrently(shards, shardsAtOnce, async (shard) => {
    // Every dimension but that of the totals has a write shard for each shard of the log.
    const ofShard = partitions.filter(
      ({ dimension, writeShard }) => dimension !== totalsDimension && writeShard === shard,
    );
    await compareShard(dependencies, comparison, { result, totalRows, shard, window, partitions: ofShard });
  });
  compareRows(result, found, totalRows, settledBeforeMs);
  return result;
}

async function readRows(
  costRollups: CostRollupsTable,
  partition: RollupPartition,
  window: TimeWindow,
): Promise<FoundRow[]> {
  const pages = await Array.fromAsync(readRowPages(costRollups, partition, { window }));
  return pages.flat().map((row) => ({ partition, row }));
}

interface ShardDay {
  result: DayComparison;
  /** Those of all shards: they are compared when the last shard has added its entries. */
  totalRows: ExpectedRows;
  shard: number;
  window: TimeWindow;
  partitions: RollupPartition[];
}

async function compareShard(
  { now, costRollups, logEntries, job }: RepairDependencies,
  { organizationId, generation, settleMs }: Comparison,
  { result, totalRows, shard, window, partitions }: ShardDay,
): Promise<void> {
  const settledBeforeMs = now().getTime() - settleMs;
  const cursors = partitions.map((partition): RowCursor => {
    const pages = readRowPages(costRollups, partition, { window });
    return { partition, pages: pages[Symbol.asyncIterator](), rows: [], hasEnded: false };
  });
  let startMs = window.startMs;
  while (startMs < window.endMs) {
    job.signal.throwIfAborted();
    const { toMs, rows: found } = await takeHours(cursors, { ...window, startMs });
    const groupRows: ExpectedRows = new Map();
    const range = { organizationId, shard, window: { startMs, endMs: toMs } };
    for await (const page of readLogEntryPages(logEntries, range)) {
      for (const stored of page) addExpected({ totalRows, groupRows }, stored, generation);
      result.entries += page.length;
    }
    compareRows(result, found, groupRows, settledBeforeMs);
    startMs = toMs;
  }
}

/** Adds an entry to the rows of its hour and its minute: those of the totals, and the others. */
function addExpected(
  rows: { totalRows: ExpectedRows; groupRows: ExpectedRows },
  { entry, writtenAtMs }: StoredLogEntry,
  generation: number,
): void {
  for (const key of rollupKeysOf(entry)) {
    if (key.period !== 'hour' && key.period !== 'minute') continue;
    const expected = key.dimension === totalsDimension ? rows.totalRows : rows.groupRows;
    const name = rowName(itemKey(generation, key));
    const row = expected.get(name) ?? { key, totals: noTotals, lastWrittenMs: 0 };
    expected.set(name, {
      key,
      totals: addTotals(row.totals, totalsOf(entry)),
      // NaN, where an entry does not say when it was written, is not greater.
      lastWrittenMs: writtenAtMs > row.lastWrittenMs ? writtenAtMs : row.lastWrittenMs,
    });
  }
}

function compareRows(
  result: DayComparison,
  found: FoundRow[],
  expected: ExpectedRows,
  settledBeforeMs: number,
): void {
  const compare = (row: Omit<Difference, 'comparedWith'>, lastWrittenMs = 0) => {
    const difference = { ...row, comparedWith: 'entries' as const };
    if (lastWrittenMs >= settledBeforeMs) result.unsettledRows += 1;
    else if (result.differences.length < maxDifferences && isDifferent(difference))
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

function rowName({ pk, sk }: { pk: string; sk: string }): string {
  return JSON.stringify([pk, sk]);
}
