/** Restores entries that `logs recover` finds in the log or in the dead-letter queue. */
import { dayMs } from '#lambdas/platform/duration.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry, LogEntryWriter } from '../entry.ts';
import { timestampOfLogId } from '../id.ts';
import { logEntryExists } from '../table/existence.ts';
import type { LogEntriesTable } from '../table/log-entries-table.ts';

/** Counts lines and messages by outcome. An entry is counted for each of its lines and messages. */
export interface RecoveryCounts {
  lines: number;
  messages: number;
  restored: number;
  /** Placeholders among `restored`: how their requests ended is unknown. */
  interrupted: number;
  alreadyPresent: number;
  expired: number;
  /** Requests that may still be running. */
  running: number;
  /** Requests whose entries may be in a queue. */
  waiting: number;
  unreadable: number;
}

export const zeroCounts: RecoveryCounts = {
  lines: 0,
  messages: 0,
  restored: 0,
  interrupted: 0,
  alreadyPresent: 0,
  expired: 0,
  running: 0,
  waiting: 0,
  unreadable: 0,
};

export interface RecoveryTarget {
  logEntries: LogEntriesTable;
  writer: LogEntryWriter;
  /** Resolves to `null` for an entry that keeps its price. Rejects when the prices cannot be read. */
  findPrice(entry: LogEntry): Promise<Price | null>;
  retentionDays: number;
  isDryRun: boolean;
}

export type RestoreResult = 'restored' | 'alreadyPresent' | 'expired';

/**
 * Writes the entry, with the price that its line or message lacks, unless it is in the table: it may have been repriced there.
 * Only a placeholder is replaced by its entry. A dry run writes nothing and returns the result that a write would have.
 */
export async function restoreEntry(target: RecoveryTarget, entry: LogEntry): Promise<RestoreResult> {
  const { logEntries, writer, retentionDays, isDryRun } = target;
  if (await logEntryExists(logEntries, entry)) return 'alreadyPresent';
  const expiresAtMs = timestampOfLogId(entry.id) + retentionDays * dayMs;
  if (expiresAtMs <= logEntries.now().getTime()) return 'expired';
  if (isDryRun) return 'restored';
  const price = await target.findPrice(entry);
  await writer.put({ ...entry, ...price });
  return 'restored';
}
