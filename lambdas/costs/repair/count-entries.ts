/** Counts the log entries that were written before a rebuild began. */

import type { LogEntry, StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { entriesInOrder, shardsOf } from '#lambdas/request-log/table/scan.ts';
import { rowAdditionsOf } from '../rollups/increments.ts';
import type { RollupRecord } from '../rollups/stream-record.ts';
import type { CostRollupWriter } from '../rollups/writer.ts';
import type { CountProgress, Rebuild } from './rebuild-state.ts';
import type { RepairParts } from './repair-parts.ts';

export interface Counting {
  organizationId: string;
  rebuild: Rebuild;
  logShards: number;
  writer: CostRollupWriter;
  /** `false` when the rebuild is not under way any more. */
  save(progress: CountProgress): Promise<boolean>;
}

/** The rows know up to which id they have been counted, so that none counts twice, however often this is stopped. */
const source = 'rebuild';

/** No request has an id of later than its entry was written, but for the clocks of different machines. */
const clockToleranceMs = 60_000;

/** Each belongs to up to 16 sums, all of which are in memory. */
const entriesAtOnce = 5000;

/** Whether all were counted; if not, the rebuild is not under way any more. Goes on where it was stopped. */
export async function countEntries(parts: RepairParts, counting: Counting): Promise<boolean> {
  const { organizationId, rebuild, logShards, writer } = counting;
  const range = {
    shards: shardsOf(organizationId, logShards),
    window: { startMs: rebuild.countsFromMs, endMs: rebuild.fromMs + clockToleranceMs },
    after: rebuild.counted?.after ?? '',
  };
  let entries = rebuild.counted?.entries ?? 0;
  for await (const batch of entriesInOrder(parts.logEntries, range)) {
    for (let from = 0; from < batch.length; from += entriesAtOnce) {
      const some = batch.slice(from, from + entriesAtOnce);
      const records = some.flatMap((stored) => recordsOf(rebuild, stored));
      await writer.add(
        source,
        rowAdditionsOf(records, () => [rebuild.generation]),
      );
      entries += records.length;
      const last = some.at(-1)?.entry;
      if (last === undefined) continue;
      if (!(await counting.save({ after: last.id, entries }))) return false;
      parts.job.report(`${organizationId}: ${entries} entries counted, up to ${last.created_at}`);
      parts.job.signal.throwIfAborted();
    }
  }
  return true;
}

/**
 * None of an entry that the stream brings; one that does not say when it was written is not of those. Where the stream brings
 * what an entry has more than its placeholder, that is what is counted, whether it is still there or not.
 */
function recordsOf({ fromMs }: Rebuild, stored: StoredLogEntry): RollupRecord[] {
  const { entry, writtenAtMs, placeholderWrittenAtMs = fromMs } = stored;
  const record = { sequenceNumber: entry.id, entry, before: null, writtenAtMs };
  if (!(writtenAtMs >= fromMs)) return [record];
  return placeholderWrittenAtMs < fromMs ? [{ ...record, entry: placeholderOf(entry) }] : [];
}

/** As far as sums go by it: the request without what it used. */
function placeholderOf(entry: LogEntry): LogEntry {
  return { ...entry, ...usageFields(null), cost_usd: '0', pricing: null };
}
