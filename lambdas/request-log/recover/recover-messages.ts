/** Recovers entries from messages of the dead-letter queue. */
import { drainQueue, type MessageQueue } from '#lambdas/platform/aws/message-queue.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { LogEntry } from '../entry.ts';
import { readLostEntry } from '../lost-entries.ts';
import { type RecoveryCounts, type RecoveryTarget, restoreEntry } from './restore-entry.ts';

interface MessageRecovery {
  target: RecoveryTarget;
  queue: MessageQueue;
  job: Pick<LongJob, 'signal' | 'report'>;
  counts: RecoveryCounts;
  /** Changes the price of an entry in the table, if it was not known when the entry was written. */
  correctEntry(entry: LogEntry): Promise<void>;
}

/** Messages without a valid entry stay in the queue for the operator to inspect. */
export async function recoverMessages({
  target,
  queue,
  job,
  counts,
  correctEntry,
}: MessageRecovery): Promise<void> {
  await drainQueue(queue, {
    signal: job.signal,
    async handle({ body }) {
      counts.messages += 1;
      job.report(`${counts.messages} messages read, ${counts.restored} entries restored`);
      const entry = readEntry(body);
      if (entry === null) {
        counts.unreadable += 1;
        return 'left';
      }
      counts[await restoreEntry(target, entry)] += 1;
      if (target.isDryRun) return 'left';
      await correctEntry(entry);
      return 'done';
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
