/**
 * Fills the generation of rollups that a rebuild builds: copies rows of the time whose entries have expired, and counts
 * the entries that were written before the rebuild began.
 *
 * Rows know what was added to them from which source, so nothing is added twice, however often this is stopped.
 */

import { allTime } from '#lambdas/platform/time-window.ts';
import { clockSkewToleranceMs } from '#lambdas/request-log/durations.ts';
import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { entriesInOrder, shardsOf } from '#lambdas/request-log/table/scan.ts';
import { type RollupRecord, type RowAdditions, rowAdditionsOf } from '../rollups/increments.ts';
import { partitionOf, type RollupPartition } from '../rollups/item.ts';
import { type Period, periodText, startOfPeriod } from '../rollups/period.ts';
import type { RollupKey } from '../rollups/rollup.ts';
import { type RollupRow, readRowPages, rollupPartitions } from '../rollups/rows.ts';
import { type CostRollupWriter, createCostRollupWriter } from '../rollups/writer.ts';
import type { RepairDependencies } from './complete-entries.ts';
import type { OrganizationRun, Rebuild, RebuildStore, StateWithRebuild } from './rebuild-state.ts';

interface Filling {
  organizationId: string;
  store: RebuildStore;
  rebuild: Rebuild;
  /** The generation that rows are copied from. */
  formerGeneration: number;
  logShards: number;
  writer: CostRollupWriter;
}

/** Continues where it was stopped. `false` when the rebuild is no longer in progress. */
export async function fillGeneration(
  dependencies: RepairDependencies,
  { organizationId, store }: OrganizationRun,
  { generation: formerGeneration, rebuild }: StateWithRebuild,
): Promise<boolean> {
  const { directory, costRollups, now } = dependencies;
  // Read now, not before: no entry was written to a shard before the organization had it.
  const logShards = await directory.logShardsOf(organizationId);
  const writer = createCostRollupWriter(costRollups, now);
  const filling = { organizationId, store, rebuild, formerGeneration, logShards, writer };
  const hasCopied = rebuild.countsFromMs === 0 || (await copyRows(dependencies, filling));
  return hasCopied && countEntries(dependencies, filling);
}

async function copyRows({ costRollups, job }: RepairDependencies, filling: Filling): Promise<boolean> {
  const { organizationId, store, rebuild, formerGeneration, logShards, writer } = filling;
  const { copied, countsFromMs } = rebuild;
  if (copied?.partition === null) return true;
  const partitions = rollupPartitions({ organizationId, generation: formerGeneration, logShards });
  const names = partitions.map(partitionOf);
  const first = copied === null ? 0 : names.indexOf(copied.partition);
  const window = { startMs: allTime.startMs, endMs: countsFromMs };
  for (const [index, partition] of partitions.entries()) {
    if (index < first) continue;
    const after = index === first ? (copied?.after ?? undefined) : undefined;
    for await (const rows of readRowPages(costRollups, partition, { window, after })) {
      job.report(`${organizationId}: copying rows from before the oldest entries (${names[index]})`);
      await writer.add('copy', additionsOf(rebuild, partition, rows));
      const last = rows.at(-1);
      if (last === undefined) continue;
      const progress = { partition: partitionOf(partition), after: last.sk };
      if (!(await store.saveCopied(rebuild, progress))) return false;
      job.signal.throwIfAborted();
    }
  }
  return store.saveCopied(rebuild, { partition: null, after: null });
}

/**
 * Rows of whole periods are copied as they are. The month in which counting begins is neither copied nor counted as a
 * whole: its earlier days are added to what is counted of it.
 */
function additionsOf(rebuild: Rebuild, partition: RollupPartition, rows: RollupRow[]): RowAdditions[] {
  const { countsFromMs, generation } = rebuild;
  const { period } = partition;
  const wholeToMs = startOfPeriod(period, countsFromMs);
  const monthFromMs = startOfPeriod('month', countsFromMs);
  const additions = new Map<string, RowAdditions>();
  const add = (row: RollupRow, target: Period) => {
    const key = keyOf(row, { ...partition, period: target });
    const name = JSON.stringify(key);
    const sum = additions.get(name) ?? { generation, key, additions: [] };
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

/** Each belongs to up to 16 sums, all of which are in memory. */
const entriesAtOnce = 5000;

async function countEntries({ logEntries, job }: RepairDependencies, filling: Filling): Promise<boolean> {
  const { organizationId, store, rebuild, logShards, writer } = filling;
  const range = {
    shards: shardsOf(organizationId, logShards),
    // By another machine's clock, an id may be later than the time its entry was written.
    window: { startMs: rebuild.countsFromMs, endMs: rebuild.fromMs + clockSkewToleranceMs },
    after: rebuild.counted?.after ?? '',
  };
  let entries = rebuild.counted?.entries ?? 0;
  for await (const batch of entriesInOrder(logEntries, range)) {
    for (let from = 0; from < batch.length; from += entriesAtOnce) {
      const some = batch.slice(from, from + entriesAtOnce);
      const records = some.flatMap((stored) => recordsOf(rebuild, stored));
      await writer.add(
        'rebuild',
        rowAdditionsOf(records, () => [rebuild.generation]),
      );
      entries += records.length;
      const last = some.at(-1)?.entry;
      if (last === undefined) continue;
      if (!(await store.saveCounted(rebuild, { after: last.id, entries }))) return false;
      job.report(`${organizationId}: ${entries} entries counted, up to ${last.created_at}`);
      job.signal.throwIfAborted();
    }
  }
  return true;
}

/**
 * None for an entry that the stream brings; an entry that does not say when it was written is not one of those. Where the
 * stream brings what an entry has in addition to its placeholder, the placeholder is counted here, whether it is still
 * in the table or not.
 */
function recordsOf({ fromMs }: Rebuild, stored: StoredLogEntry): RollupRecord[] {
  const { entry, writtenAtMs, placeholderWrittenAtMs = fromMs } = stored;
  const record = { sequenceNumber: entry.id, entry, before: null, writtenAtMs };
  if (!(writtenAtMs >= fromMs)) return [record];
  return placeholderWrittenAtMs < fromMs ? [{ ...record, entry: placeholderOf(entry) }] : [];
}

/** The placeholder as far as sums are concerned: the request without its usage. */
function placeholderOf(entry: LogEntry): LogEntry {
  return { ...entry, ...usageFields(null), cost_usd: '0', pricing: null };
}
