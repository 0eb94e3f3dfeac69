/** Puts back the entries that wait in the dead-letter queue of those that could not be written. */

import { drainQueue, type MessageQueue } from '#lambdas/platform/aws/message-queue.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { readLostEntry } from '#lambdas/request-log/lost-entries.ts';
import { putBack, type RecoveryCounts, type RecoveryTarget } from './recovery.ts';

export interface MessageRecovery {
  target: RecoveryTarget;
  queue: MessageQueue;
  job: Pick<LongJob, 'signal' | 'report'>;
  /** Filled as it goes. */
  counts: RecoveryCounts;
}

/** What holds no entry stays in the queue: somebody should see what it is. */
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
