/**
 * Recovers entries from lines of the log: first the complete entries, then, for requests without an entry, the
 * placeholder that was logged when the request was sent to its provider.
 */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { maxRequestMs } from '../durations.ts';
import type { LogEntry } from '../entry.ts';
import { timestampOfLogId } from '../id.ts';
import { logEntryExists } from '../table/existence.ts';
import { type LogLine, type LogSource, readLogLine } from './log-line.ts';
import { type RecoveryCounts, type RecoveryTarget, restoreEntry } from './restore-entry.ts';

export interface LineRecovery {
  target: RecoveryTarget;
  source: LogSource;
  /** Recovers requests that were sent in this window; their other lines may be later. */
  window: TimeWindow;
  /** Set when the process that printed the lines has exited: none of its requests is still running. */
  processHasExited: boolean;
  /** Resolves to `true` when queues contain entries, which will be written from there. */
  hasQueuedEntries(): Promise<boolean>;
  job: Pick<LongJob, 'signal' | 'report'>;
  counts: RecoveryCounts;
}

/** The maximum time from a request to its entry in the table: the request itself, and a minute for the write. */
export const maxEntryDelayMs = maxRequestMs + 60_000;

const concurrency = 25;
/** Placeholders are looked up in batches of this size, so that those with an entry do not stay in memory. */
const lookupBatchSize = 1000;

interface FoundEntries {
  completeIds: Set<string>;
  /** Placeholders that have not been looked up; those without an entry then move to `missing`. */
  forwarded: Map<string, LogEntry>;
  missing: Map<string, LogEntry>;
}

export async function recoverLines(recovery: LineRecovery): Promise<void> {
  const { source, job, counts } = recovery;
  const found: FoundEntries = { completeIds: new Set(), forwarded: new Map(), missing: new Map() };
  for await (const lines of source) {
    job.signal.throwIfAborted();
    await forEachConcurrently(lines, concurrency, (line) => recoverLine(recovery, found, line));
    if (found.forwarded.size >= lookupBatchSize) await lookUpForwarded(recovery, found);
    job.report(`${counts.lines} lines read, ${counts.restored} entries restored`);
  }
  // An abort ends the source early, and an unread line may contain the complete entry of a placeholder.
  job.signal.throwIfAborted();
  await lookUpForwarded(recovery, found);
  await restoreInterrupted(recovery, found.missing);
}

async function recoverLine(
  { target, window, counts }: LineRecovery,
  { completeIds, forwarded, missing }: FoundEntries,
  { text, atMs }: LogLine,
): Promise<void> {
  counts.lines += 1;
  const line = readLogLine(text);
  if (line === null) return;
  if (line === 'unreadable') {
    counts.unreadable += 1;
    return;
  }
  const { kind, entry } = line;
  if (completeIds.has(entry.id)) return;
  if (kind === 'forwarded') {
    if (atMs === null || (atMs >= window.startMs && atMs < window.endMs)) forwarded.set(entry.id, entry);
    return;
  }
  completeIds.add(entry.id);
  forwarded.delete(entry.id);
  missing.delete(entry.id);
  counts[await restoreEntry(target, entry)] += 1;
}

async function lookUpForwarded(
  { target, counts }: LineRecovery,
  { forwarded, missing }: FoundEntries,
): Promise<void> {
  const entries = [...forwarded.values()];
  forwarded.clear();
  await forEachConcurrently(entries, concurrency, async (entry) => {
    if (await logEntryExists(target.logEntries, entry)) counts.alreadyPresent += 1;
    else missing.set(entry.id, entry);
  });
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
    const result = await restoreEntry(target, entry);
    counts[result] += 1;
    if (result === 'restored') counts.interrupted += 1;
  });
}
