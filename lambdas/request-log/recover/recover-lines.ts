/**
 * Recovers entries from lines of the log: from the line that was printed when the request ended, or else from the
 * placeholder that was printed when it was sent to its provider.
 */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { maxEntryDelayMs } from '../durations.ts';
import type { LogEntry } from '../entry.ts';
import { timestampOfLogId } from '../id.ts';
import { logEntryExists } from '../table/existence.ts';
import { type EntryLine, isPlaceholder, type LogSource, readLogLine } from './log-line.ts';
import {
  type RecoveryCounts,
  type RecoveryTarget,
  type RestoreResult,
  restoreEntry,
} from './restore-entry.ts';

interface LineRecovery {
  target: RecoveryTarget;
  source: LogSource;
  /** Recovers requests that were received in this window; some of their lines are later. */
  window: TimeWindow;
  /** Set when the process that printed the lines has exited: none of its requests is still running. */
  processHasExited: boolean;
  /** Resolves to `true` when queues contain entries, which will be written from there. */
  hasQueuedEntries(): Promise<boolean>;
  job: Pick<LongJob, 'signal' | 'report'>;
  counts: RecoveryCounts;
  /** Called with the line from which an entry was restored. */
  onRestored?(line: EntryLine): void;
}

const concurrency = 25;
/** Entries are looked up in batches of this size, so that those in the table do not stay in memory. */
const lookupBatchSize = 1000;

interface FoundEntries {
  /** Lines whose entries have not been looked up; a complete entry replaces its placeholder. */
  pending: Map<string, EntryLine>;
  /** Placeholders whose entries are not in the table. */
  missing: Map<string, LogEntry>;
}

export async function recoverLines(recovery: LineRecovery): Promise<void> {
  const { source, job, counts } = recovery;
  const found: FoundEntries = { pending: new Map(), missing: new Map() };
  for await (const lines of source) {
    job.signal.throwIfAborted();
    for (const line of lines) addLine(recovery, found, line);
    if (found.pending.size >= lookupBatchSize) await lookUpPending(recovery, found);
    job.report(`${counts.lines} lines read, ${counts.restored} entries restored`);
  }
  // An abort ends the source early, and an unread line may contain the complete entry of a placeholder.
  job.signal.throwIfAborted();
  await lookUpPending(recovery, found);
  await restoreInterrupted(recovery, found.missing);
}

function addLine({ window, counts }: LineRecovery, { pending, missing }: FoundEntries, text: string): void {
  counts.lines += 1;
  const line = readLogLine(text);
  if (line === null) return;
  if (line === 'unreadable') {
    counts.unreadable += 1;
    return;
  }
  const { id } = line.entry;
  const receivedAtMs = timestampOfLogId(id);
  if (receivedAtMs < window.startMs || receivedAtMs >= window.endMs) return;
  if (!isPlaceholder(line)) missing.delete(id);
  else if (pending.has(id) || missing.has(id)) return;
  pending.set(id, line);
}

async function lookUpPending(recovery: LineRecovery, { pending, missing }: FoundEntries): Promise<void> {
  const { target, counts } = recovery;
  const lines = [...pending.values()];
  pending.clear();
  await forEachConcurrently(lines, concurrency, async (line) => {
    if (!isPlaceholder(line)) await restore(recovery, line);
    else if (await logEntryExists(target.logEntries, line.entry)) counts.alreadyPresent += 1;
    else missing.set(line.entry.id, line.entry);
  });
}

async function restore(
  { target, counts, onRestored }: LineRecovery,
  line: EntryLine,
): Promise<RestoreResult> {
  const result = await restoreEntry(target, line.entry);
  counts[result] += 1;
  if (result === 'restored') onRestored?.(line);
  return result;
}

async function restoreInterrupted(recovery: LineRecovery, missing: Map<string, LogEntry>): Promise<void> {
  const { target, job, counts } = recovery;
  const startedBeforeMs = target.logEntries.now().getTime() - maxEntryDelayMs;
  const isInterrupted = ({ id }: LogEntry) =>
    recovery.processHasExited || timestampOfLogId(id) < startedBeforeMs;
  const interrupted = [...missing.values()].filter(isInterrupted);
  counts.running += missing.size - interrupted.length;
  if (interrupted.length === 0) return;
  if (await recovery.hasQueuedEntries()) {
    counts.waiting += interrupted.length;
    return;
  }
  await forEachConcurrently(interrupted, concurrency, async (entry) => {
    job.signal.throwIfAborted();
    const result = await restore(recovery, { event: 'request_forwarded', entry });
    if (result === 'restored') counts.interrupted += 1;
  });
}
