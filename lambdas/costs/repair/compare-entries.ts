/** Compares the hourly and minutely rollups of a day with the entries of that day. */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { parsePeriodText } from '#lambdas/platform/period.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { type CostRollupsTable, itemKey, type RollupPartition } from '../rollups/item.ts';
import { additionsOf, type RollupKey, totalsDimension } from '../rollups/rollup.ts';
import { type OrganizationGeneration, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { costRollupsSchema, type ItemKey } from '../rollups/schema.ts';
import { addTotals, noTotals, type Totals } from '../rollups/totals.ts';
import type { RepairDependencies } from './complete-entries.ts';
import { type Difference, isDifferent, maxDifferences } from './difference.ts';
import { type PartitionRow, type RowCursor, readWholeHours } from './row-cursors.ts';

const { partitionKey, sortKey } = costRollupsSchema;

export interface Comparison extends OrganizationGeneration {
  settleMs: number;
}

export interface DayComparison {
  differences: Difference[];
  entries: number;
  rows: number;
  /** The number of rows that were not compared, because a recent entry may not have been counted yet. */
  unsettledRows: number;
}

interface ExpectedRow {
  key: RollupKey;
  totals: Totals;
  lastWrittenMs: number;
}

/** Keyed by `rowName`. */
type ExpectedRows = Map<string, ExpectedRow>;

const maxConcurrentShards = 8;

/**
 * Reads rows before entries, so that every counted entry is among the entries read, and settled entries are in both.
 *
 * Keeps in memory the day's totals, and for each concurrent shard one page or one hour of the other dimensions' rows,
 * whichever is more.
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
  const totalsPartitions = partitions.filter(({ dimension }) => dimension === totalsDimension);
  const actualRows = (
    await Promise.all(totalsPartitions.map((partition) => readAllRows(costRollups, partition, window)))
  ).flat();
  const totalRows: ExpectedRows = new Map();
  const shards = Array.from({ length: comparison.logShards }).keys();
  await forEachConcurrently(shards, maxConcurrentShards, async (shard) => {
    // Every dimension except that of the totals has a write shard for each log shard.
    const shardPartitions = partitions.filter(
      ({ dimension, writeShard }) => dimension !== totalsDimension && writeShard === shard,
    );
    await compareShard(dependencies, comparison, {
      result,
      totalRows,
      shard,
      window,
      partitions: shardPartitions,
    });
  });
  compareRows(result, actualRows, totalRows, settledBeforeMs);
  return result;
}

async function readAllRows(
  costRollups: CostRollupsTable,
  partition: RollupPartition,
  window: TimeWindow,
): Promise<PartitionRow[]> {
  const pages = await Array.fromAsync(readRowPages(costRollups, partition, { window }));
  return pages.flat().map((row) => ({ partition, row }));
}

interface ShardComparison {
  result: DayComparison;
  /** Accumulates the totals of all shards, for comparison after the last one. */
  totalRows: ExpectedRows;
  shard: number;
  window: TimeWindow;
  partitions: RollupPartition[];
}

async function compareShard(
  { now, costRollups, logEntries, job }: RepairDependencies,
  { organizationId, generation, settleMs }: Comparison,
  { result, totalRows, shard, window, partitions }: ShardComparison,
): Promise<void> {
  const settledBeforeMs = now().getTime() - settleMs;
  const cursors = partitions.map((partition): RowCursor => {
    const pages = readRowPages(costRollups, partition, { window });
    return { partition, pages: pages[Symbol.asyncIterator](), bufferedRows: [], isExhausted: false };
  });
  let startMs = window.startMs;
  while (startMs < window.endMs) {
    job.signal.throwIfAborted();
    const { toMs, rows: actualRows } = await readWholeHours(cursors, { ...window, startMs });
    const groupRows: ExpectedRows = new Map();
    const range = { organizationId, shard, window: { startMs, endMs: toMs } };
    for await (const page of readLogEntryPages(logEntries, range)) {
      for (const stored of page) addExpected({ totalRows, groupRows }, stored, generation);
      result.entries += page.length;
    }
    compareRows(result, actualRows, groupRows, settledBeforeMs);
    startMs = toMs;
  }
}

function addExpected(
  rows: { totalRows: ExpectedRows; groupRows: ExpectedRows },
  { entry, writtenAtMs }: StoredLogEntry,
  generation: number,
): void {
  for (const { key, totals } of additionsOf(entry)) {
    if (key.period !== 'hour' && key.period !== 'minute') continue;
    const expected = key.dimension === totalsDimension ? rows.totalRows : rows.groupRows;
    const name = rowName(itemKey(generation, key));
    const row = expected.get(name) ?? { key, totals: noTotals, lastWrittenMs: 0 };
    expected.set(name, {
      key,
      totals: addTotals(row.totals, totals),
      // `writtenAtMs` is NaN for an entry without a write time; the comparison is then false.
      lastWrittenMs: writtenAtMs > row.lastWrittenMs ? writtenAtMs : row.lastWrittenMs,
    });
  }
}

function compareRows(
  result: DayComparison,
  actualRows: PartitionRow[],
  expected: ExpectedRows,
  settledBeforeMs: number,
): void {
  const compareRow = (row: Omit<Difference, 'comparedWith'>, lastWrittenMs = 0) => {
    const difference = { ...row, comparedWith: 'entries' as const };
    if (lastWrittenMs >= settledBeforeMs) result.unsettledRows += 1;
    else if (result.differences.length < maxDifferences && isDifferent(difference))
      result.differences.push(difference);
  };
  const missing = new Map(expected);
  for (const { partition, row } of actualRows) {
    const expectedRow = missing.get(rowName(row));
    missing.delete(rowName(row));
    const { totals, ...rollup } = row.rollup;
    const { dimension, period, writeShard } = partition;
    const sides = { actual: totals, expected: expectedRow?.totals ?? noTotals };
    compareRow({ dimension, period, writeShard, ...rollup, ...sides }, expectedRow?.lastWrittenMs);
  }
  for (const { key, totals, lastWrittenMs } of missing.values()) {
    const { organizationId: _, periodStart, ...row } = key;
    compareRow(
      { ...row, startMs: parsePeriodText(periodStart), actual: noTotals, expected: totals },
      lastWrittenMs,
    );
  }
  result.rows += actualRows.length;
}

function rowName(key: ItemKey): string {
  return JSON.stringify([key[partitionKey], key[sortKey]]);
}
