/**
 * Recovers entries from lines of the log: from the line that was printed when the request, or an attempt of it, ended, or else
 * from the placeholder that was printed when it was last sent to a provider.
 */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { maxEntryDelayMs } from '../durations.ts';
import type { LogEntry } from '../entry.ts';
import { timestampOfLogId } from '../id.ts';
import { logEntryExists } from '../table/existence.ts';
import { type LoggedEntry, type LogSource, readLogLine } from './log-line.ts';
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
  /** Called for an entry that was restored. */
  onRestored?(logged: LoggedEntry): void;
}

const concurrency = 25;
/** Entries are looked up in batches of this size, so that those in the table do not stay in memory. */
const lookupBatchSize = 1000;

interface FoundEntries {
  /** Entries that have not been looked up; a complete one replaces its placeholder. */
  pending: Map<string, LoggedEntry>;
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
  if (line === 'unreadable') {
    counts.unreadable += 1;
    return;
  }
  for (const logged of line) {
    const receivedAtMs = timestampOfLogId(logged.entry.id);
    if (receivedAtMs >= window.startMs && receivedAtMs < window.endMs) addEntry({ pending, missing }, logged);
  }
}

function addEntry({ pending, missing }: FoundEntries, logged: LoggedEntry): void {
  const { entry, isPlaceholder } = logged;
  const { id } = entry;
  const known = pending.get(id) ?? null;
  const unfinished = missing.get(id) ?? null;
  if (!isPlaceholder) {
    missing.delete(id);
    pending.set(id, logged);
  } else if (unfinished !== null) missing.set(id, newerPlaceholder(unfinished, entry));
  else if (known === null) pending.set(id, logged);
  else if (known.isPlaceholder) pending.set(id, { ...known, entry: newerPlaceholder(known.entry, entry) });
}

/** A request to a route has a placeholder for each of its attempts; the last one tells where it was sent to. */
function newerPlaceholder(one: LogEntry, other: LogEntry): LogEntry {
  return (other.attempt ?? 1) > (one.attempt ?? 1) ? other : one;
}

async function lookUpPending(recovery: LineRecovery, { pending, missing }: FoundEntries): Promise<void> {
  const { target, counts } = recovery;
  const entries = [...pending.values()];
  pending.clear();
  await forEachConcurrently(entries, concurrency, async (logged) => {
    const { entry, isPlaceholder } = logged;
    if (!isPlaceholder) await restore(recovery, logged);
    else if (await logEntryExists(target.logEntries, entry)) counts.alreadyPresent += 1;
    else missing.set(entry.id, entry);
  });
}

async function restore(
  { target, counts, onRestored }: LineRecovery,
  logged: LoggedEntry,
): Promise<RestoreResult> {
  const result = await restoreEntry(target, logged.entry);
  counts[result] += 1;
  if (result === 'restored') onRestored?.(logged);
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
    const result = await restore(recovery, { event: 'request_forwarded', entry, isPlaceholder: true });
    if (result === 'restored') counts.interrupted += 1;
  });
}
