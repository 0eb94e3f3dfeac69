/** Puts entries back into their table that `logs recover` has found: from a line of the log, or from a dead letter. */
import { drainQueue, type MessageQueue } from '#lambdas/platform/aws/message-queue.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { LogEntry } from '../entry.ts';
import { timestampOfLogId } from '../id.ts';
import { readLostEntry } from '../lost-entries.ts';
import { logEntryExists } from '../table/existence.ts';
import { createSdkLogEntryWriter, type LogEntriesTable } from '../table/log-entries-table.ts';

/** The outcomes of lines and messages; each entry is counted once for each of them. */
export interface RecoveryCounts {
  lines: number;
  /** Messages of the dead-letter queue. */
  messages: number;
  putBack: number;
  /** Those of the entries put back of which only the beginning is known. */
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
 * Leaves an entry alone that is there, since it may have been priced again; the placeholder of an interrupted request is
 * replaced by the entry itself. A dry run writes nothing, and resolves to what would happen.
 */
export async function putBack(target: RecoveryTarget, entry: LogEntry): Promise<PutBackResult> {
  const { logEntries, retentionDays, isDryRun } = target;
  if (await logEntryExists(logEntries, entry)) return 'alreadyThere';
  const expiresAtMs = timestampOfLogId(entry.id) + retentionDays * dayMs;
  if (expiresAtMs <= logEntries.now().getTime()) return 'expired';
  if (!isDryRun) await createSdkLogEntryWriter(logEntries, retentionDays).put(entry);
  return 'putBack';
}

export interface MessageRecovery {
  target: RecoveryTarget;
  /** The dead-letter queue of entries that could not be written. */
  queue: MessageQueue;
  job: Pick<LongJob, 'signal' | 'report'>;
  /** Filled as it goes. */
  counts: RecoveryCounts;
}

/** A message without an entry stays in the queue: somebody should look at it. */
export async function recoverMessages({ target, queue, job, counts }: MessageRecovery): Promise<void> {
  await drainQueue(queue, {
    signal: job.signal,
    async handle({ body }) {
      counts.messages += 1;
      job.report(`${counts.messages} messages read, ${counts.putBack} entries put back`);
      const entry = readEntry(body);
      if (entry === null) {
        counts.damaged += 1;
        return 'left';
      }
      counts[await putBack(target, entry)] += 1;
      return target.isDryRun ? 'left' : 'done';
    },
  });
}

function readEntry(body: string): LogEntry | null {
  try {
    return readLostEntry(body);
  } catch {
    return null;
  }
}
