/**
 * Backfills the new generation of a rebuild: copies the rows of days whose entries have expired, and counts the entries that
 * were written before the cutover.
 *
 * Idempotent: the rows' watermarks prevent double counting, however often the backfill is interrupted.
 */

import { type Period, periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { clockSkewToleranceMs } from '#lambdas/request-log/durations.ts';
import type { LogEntry, ReplacedPlaceholder, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { entriesInOrder, shardsOf } from '#lambdas/request-log/table/scan.ts';
import { partitionKeyOf, type RollupPartition } from '../rollups/item.ts';
import { periodsOf, type RollupKey } from '../rollups/rollup.ts';
import { type RollupRecord, type RowUpdate, toRowUpdates } from '../rollups/row-updates.ts';
import { type RollupRow, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { costRollupsSchema } from '../rollups/schema.ts';
import { type CostRollupWriter, createCostRollupWriter } from '../rollups/writer.ts';
import type { RepairDependencies } from './complete-entries.ts';
import {
  type OrganizationRun,
  type Rebuild,
  type StateWithRebuild,
  saveCopyProgress,
  saveCountProgress,
} from './rebuild-state.ts';

interface FillContext {
  organizationId: string;
  rebuild: Rebuild;
  previousGeneration: number;
  logShards: number;
  writer: CostRollupWriter;
}

/** Resumes from the saved progress. Resolves to `false` when the rebuild is no longer in progress. */
export async function fillGeneration(
  dependencies: RepairDependencies,
  { organizationId }: OrganizationRun,
  { generation: previousGeneration, rebuild }: StateWithRebuild,
): Promise<boolean> {
  const { directory, costRollups, now } = dependencies;
  // Read after the cutover: an entry is written to a shard only after the directory has it.
  const logShards = await directory.logShardsOf(organizationId);
  const writer = createCostRollupWriter(costRollups, now);
  const context = {
    organizationId,
    rebuild,
    previousGeneration,
    logShards,
    writer,
  };
  const hasCopied = rebuild.countsFromMs === 0 || (await copyRows(dependencies, context));
  return hasCopied && countEntries(dependencies, context);
}

async function copyRows({ costRollups, job }: RepairDependencies, context: FillContext): Promise<boolean> {
  const { organizationId, rebuild, previousGeneration, logShards, writer } = context;
  const { copied, countsFromMs } = rebuild;
  if (copied?.partition === null) return true;
  const partitions = rollupPartitions({ organizationId, generation: previousGeneration, logShards });
  const partitionKeys = partitions.map(partitionKeyOf);
  const first = copied === null ? 0 : partitionKeys.indexOf(copied.partition);
  const window = { startMs: allTime.startMs, endMs: countsFromMs };
  for (const [index, partition] of partitions.entries()) {
    if (index < first) continue;
    const after = index === first ? (copied?.after ?? undefined) : undefined;
    for await (const rows of readRowPages(costRollups, partition, { window, after })) {
      job.report(`${organizationId}: copying rows from before the oldest entries (${partitionKeys[index]})`);
      await writer.add('copy', toCopies(rebuild, partition, rows));
      const last = rows.at(-1);
      if (last === undefined) continue;
      const progress = { partition: partitionKeyOf(partition), after: last[costRollupsSchema.sortKey] };
      if (!(await saveCopyProgress(costRollups, organizationId, rebuild, progress))) return false;
      job.signal.throwIfAborted();
    }
  }
  return saveCopyProgress(costRollups, organizationId, rebuild, { partition: null, after: null });
}

/**
 * Copies rows of whole periods. The month in which counting begins is only partly counted, so the rows of its earlier days
 * are added to it.
 */
function toCopies(rebuild: Rebuild, partition: RollupPartition, rows: RollupRow[]): RowUpdate[] {
  const { countsFromMs, generation } = rebuild;
  const { dimension, period } = partition;
  const wholeToMs = startOfPeriod(period, countsFromMs);
  const monthFromMs = startOfPeriod('month', countsFromMs);
  const isPartOfMonth = period === 'day' && periodsOf(dimension).includes('month');
  const updates = new Map<string, RowUpdate>();
  const add = (row: RollupRow, targetPeriod: Period) => {
    const key = toRowKey(row, { ...partition, period: targetPeriod });
    const rowId = JSON.stringify(key);
    const sum = updates.get(rowId) ?? { generation, key, additions: [] };
    const { startMs, totals } = row.rollup;
    sum.additions.push({ sequenceNumber: periodText(period, startMs), totals, writtenAtMs: null });
    updates.set(rowId, sum);
  };
  for (const row of rows) {
    if (row.rollup.startMs < wholeToMs) add(row, period);
    if (isPartOfMonth && row.rollup.startMs >= monthFromMs) add(row, 'month');
  }
  return [...updates.values()];
}

function toRowKey(
  { rollup }: RollupRow,
  { organizationId, dimension, period, writeShard }: RollupPartition,
): RollupKey {
  const { startMs, totals: _, ...names } = rollup;
  const periodStart = periodText(period, startMs);
  return { organizationId, dimension, period, writeShard, periodStart, ...names };
}

/** Each entry adds to up to 18 rows, which are all in memory. */
const maxBatchEntries = 5000;

async function countEntries(
  { logEntries, costRollups, job }: RepairDependencies,
  context: FillContext,
): Promise<boolean> {
  const { organizationId, rebuild, logShards, writer } = context;
  const range = {
    shards: shardsOf(organizationId, logShards),
    // Because of clock skew, the time in an entry's id may be later than its write time.
    window: { startMs: rebuild.countsFromMs, endMs: rebuild.cutoverMs + clockSkewToleranceMs },
    after: rebuild.counted?.after ?? '',
  };
  let entries = rebuild.counted?.entries ?? 0;
  for await (const batch of entriesInOrder(logEntries, range)) {
    for (let from = 0; from < batch.length; from += maxBatchEntries) {
      const batchEntries = batch.slice(from, from + maxBatchEntries);
      const records = batchEntries.flatMap((stored) => recordsToCount(rebuild, stored));
      await writer.add(
        'rebuild',
        toRowUpdates(records, () => [rebuild.generation]),
      );
      entries += records.length;
      const last = batchEntries.at(-1)?.entry;
      if (last === undefined) continue;
      const progress = { after: last.id, entries };
      if (!(await saveCountProgress(costRollups, organizationId, rebuild, progress))) return false;
      job.report(`${organizationId}: ${entries} entries counted, up to ${last.created_at}`);
      job.signal.throwIfAborted();
    }
  }
  return true;
}

/**
 * Returns no record for an entry that comes from the stream; an entry without a write time never does. When only the final
 * version of an entry comes from the stream, its placeholder is counted here, even if it has been replaced.
 */
function recordsToCount({ cutoverMs }: Rebuild, stored: StoredLogEntry): RollupRecord[] {
  const { entry, writtenAtMs, placeholder } = stored;
  const record = { sequenceNumber: entry.id, entry, before: null, writtenAtMs };
  if (!(writtenAtMs >= cutoverMs)) return [record];
  const isPlaceholderCounted = placeholder !== undefined && placeholder.writtenAtMs < cutoverMs;
  return isPlaceholderCounted ? [{ ...record, entry: toPlaceholder(entry, placeholder) }] : [];
}

/** To rollups, the placeholder that the entry replaced is the interrupted request with its estimated input. */
function toPlaceholder(entry: LogEntry, { cost_usd, pricing, input_tokens }: ReplacedPlaceholder): LogEntry {
  return {
    ...entry,
    ...usageFields([], null),
    input_tokens,
    service_tier: null,
    cost_usd,
    pricing,
    outcome: 'interrupted',
    error_code: 'interrupted',
  };
}
