/**
 * Finds the oldest entry that the rollups have not counted, by comparing the recent entries of a log shard with the rows that
 * count them: the rows by API key and hour, of which each log shard has its own, and which count every entry.
 */
import { startOfPeriod } from '#lambdas/platform/period.ts';
import { allTime, type TimeWindow } from '#lambdas/platform/time-window.ts';
import { maxEntryDelayWithSkewMs, maxEntryWriteMs } from '#lambdas/request-log/durations.ts';
import { requestsOf, type StoredLogEntry } from '#lambdas/request-log/entry.ts';
import type { LogEntriesTable } from '#lambdas/request-log/table/log-entries-table.ts';
import { type LogShard, readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { type CostRollupsTable, sortKeyOf } from './rollups/item.ts';
import { additionsOf, type RollupKey } from './rollups/rollup.ts';
import { readRowPages } from './rollups/rows.ts';
import { costRollupsSchema } from './rollups/schema.ts';
import { countedRequests } from './rollups/totals.ts';

export interface UncountedSearch {
  shard: LogShard;
  generation: number;
  /** Everything that was written before has been counted, in milliseconds since 1970. */
  countedMs: number;
}

const dimension = 'api_key';
const period = 'hour';

/** About a page of 1 MB, which takes 250 read units. Rows are no more, since each counts at least one of the entries. */
const maxEntries = 1000;

/**
 * Returns the write time of the oldest entry that may not have been counted, in milliseconds since 1970; infinity if all have
 * been, and `null` if there are too many entries to tell. Strongly consistent.
 */
export async function findOldestUncounted(
  tables: { logEntries: LogEntriesTable; costRollups: CostRollupsTable },
  { shard, generation, countedMs }: UncountedSearch,
): Promise<number | null> {
  // Requests that were received before have been written, and so been counted.
  const startMs = startOfPeriod(period, Math.max(0, countedMs - maxEntryDelayWithSkewMs));
  const window = { startMs, endMs: allTime.endMs };
  // First: an entry that arrives meanwhile counts as missing, and not instead of a missing one.
  const counts = await readCounts(tables.costRollups, { shard, generation }, window);
  const entries = counts && (await readEntries(tables.logEntries, shard, window));
  if (counts === null || entries === null) return null;
  const rows = Map.groupBy(entries, ({ entry }) => {
    const row = additionsOf(entry).find(({ key }) => isCountRow(key));
    return row === undefined ? null : sortKeyOf(row.key);
  });
  // An entry without a row need not be counted.
  rows.delete(null);
  const oldestOfRows = [...rows].map(([key, members]) =>
    oldestOfLast(members, countMembers(members) - (counts.get(key ?? '') ?? 0)),
  );
  // The rows may count only the placeholder that the entry has replaced.
  const replacing = entries.filter((stored) => stored.placeholder && stored.writtenAtMs >= countedMs);
  return Math.min(...oldestOfRows, ...replacing.map(({ writtenAtMs }) => writtenAtMs));
}

function isCountRow(key: RollupKey): boolean {
  return key.dimension === dimension && key.period === period;
}

/**
 * The entries of a row are counted in the order of the stream, so those that are missing are the last ones, which stand for
 * `count` requests and attempts. An entry can be one of these if the entries that were written so much later that their writes began after
 * its own had ended stand for fewer than `count`. When one that was written again, such as with another price, was written
 * first is not known, so that it may be one of them or none.
 */
function oldestOfLast(entries: readonly StoredLogEntry[], count: number): number {
  if (count <= 0) return Number.POSITIVE_INFINITY;
  const rewritten = entries.filter(isRewritten);
  const others = entries
    .filter((stored) => !isRewritten(stored))
    .sort((one, other) => one.writtenAtMs - other.writtenAtMs);
  const candidate = others.find(({ writtenAtMs }) => {
    const later = others.filter((other) => other.writtenAtMs > writtenAtMs + maxEntryWriteMs);
    return countMembers(later) < count;
  });
  return Math.min(...rewritten.map(createdMsOf), candidate?.writtenAtMs ?? Number.POSITIVE_INFINITY);
}

/** The requests of entries, and the attempts, which rows count apart. */
function countMembers(entries: readonly StoredLogEntry[]): number {
  return entries.reduce((sum, { entry }) => sum + (entry.superseded_by === null ? requestsOf(entry) : 1), 0);
}

/** Its last write is later than a request can last. That of an entry that has replaced a placeholder is its first one. */
function isRewritten(stored: StoredLogEntry): boolean {
  const { placeholder, writtenAtMs } = stored;
  return placeholder === undefined && writtenAtMs > createdMsOf(stored) + maxEntryDelayWithSkewMs;
}

function createdMsOf({ entry }: StoredLogEntry): number {
  return Date.parse(entry.created_at);
}

/** The counted requests and attempts by sort key. `null` if there are too many rows. */
async function readCounts(
  costRollups: CostRollupsTable,
  { shard: { organizationId, shard }, generation }: Pick<UncountedSearch, 'shard' | 'generation'>,
  window: TimeWindow,
): Promise<Map<string, number> | null> {
  const counts = new Map<string, number>();
  const partition = { organizationId, generation, dimension, period, writeShard: shard } as const;
  for await (const rows of readRowPages(costRollups, partition, { window })) {
    for (const { [costRollupsSchema.sortKey]: key, rollup } of rows)
      counts.set(key, countedRequests(rollup.totals));
    if (counts.size > maxEntries) return null;
  }
  return counts;
}

/** `null` if there are too many. */
async function readEntries(
  logEntries: LogEntriesTable,
  shard: LogShard,
  window: TimeWindow,
): Promise<StoredLogEntry[] | null> {
  const entries: StoredLogEntry[] = [];
  for await (const page of readLogEntryPages(logEntries, { ...shard, window, pageSize: maxEntries + 1 })) {
    entries.push(...page);
    if (entries.length > maxEntries) return null;
  }
  return entries;
}
