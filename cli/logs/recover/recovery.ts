/** Puts entries back into their table. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { isLogEntryThere } from '#lambdas/request-log/table/presence.ts';
import { createSdkLogEntryWriter, type LogEntriesTable } from '#lambdas/request-log/table/sdk-writer.ts';

/** What became of lines and messages; each entry is counted once for each of them. */
export interface RecoveryCounts {
  lines: number;
  /** Messages of the dead-letter queue. */
  messages: number;
  putBack: number;
  /** Among them those of which only the beginning is known. */
  interrupted: number;
  alreadyThere: number;
  expired: number;
  /** Requests that may still be running. */
  running: number;
  /** Requests whose entries may be in a queue. */
  waiting: number;
  /** Lines and messages that should have an entry and have none that can be read. */
  damaged: number;
}

export const noRecovery: RecoveryCounts = {
  lines: 0,
  messages: 0,
  putBack: 0,
  interrupted: 0,
  alreadyThere: 0,
  expired: 0,
  running: 0,
  waiting: 0,
  damaged: 0,
};

export interface RecoveryTarget {
  logEntries: LogEntriesTable;
  retentionDays: number;
  isDryRun: boolean;
}

export type PutBackResult = 'putBack' | 'alreadyThere' | 'expired';

const dayMs = 86_400_000;

/**
 * In a dry run, what would become of it. An entry that is there is left as it is: it may have been priced again. What was
 * made of the line of an interrupted request gives way to the entry itself.
 */
export async function putBack(target: RecoveryTarget, entry: LogEntry): Promise<PutBackResult> {
  const { logEntries, retentionDays, isDryRun } = target;
  if (await isLogEntryThere(logEntries, entry)) return 'alreadyThere';
  const expiresAtMs = timestampOfLogId(entry.id) + retentionDays * dayMs;
  if (expiresAtMs <= logEntries.now().getTime()) return 'expired';
  if (!isDryRun) await createSdkLogEntryWriter(logEntries, retentionDays).put(entry);
  return 'putBack';
}
