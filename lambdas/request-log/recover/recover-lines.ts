/**
 * Puts back what lines of the log have: first each entry that is there as a whole, and in the end, for the requests whose
 * entries are nowhere, what was known when they were sent to their provider.
 */

import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { maxRequestMs } from '../durations.ts';
import type { LogEntry } from '../entry.ts';
import { timestampOfLogId } from '../id.ts';
import { logEntryExists } from '../table/existence.ts';
import { type LogLine, type LogSource, readLogLine } from './log-line.ts';
import { putBack, type RecoveryCounts, type RecoveryTarget } from './put-back.ts';

export interface LineRecovery {
  target: RecoveryTarget;
  source: LogSource;
  /** When the requests to recover were sent; other lines of theirs come later. */
  window: TimeWindow;
  /** Whether the process that printed these lines has ended, and its requests with it. */
  hasEnded: boolean;
  /** Whether queues hold entries, from where they will be written as a whole. */
  areEntriesQueued(): Promise<boolean>;
  job: Pick<LongJob, 'signal' | 'report'>;
  /** Filled as it goes. */
  counts: RecoveryCounts;
}

/** The longest from a request to its entry in the table: its own time, and a minute for the writing. */
export const maxEntryDelayMs = maxRequestMs + 60_000;

const entriesAtOnce = 25;
/** How many are looked up together; most are in the table, and need not be remembered. */
const lookUpSize = 1000;

interface Seen {
  /** Ids of entries that a line has as a whole. */
  whole: Set<string>;
  /** What was sent to a provider, by id, and has not been looked up. */
  forwarded: Map<string, LogEntry>;
  /** What was sent to a provider, by id, and is not in the table. */
  missing: Map<string, LogEntry>;
}

export async function recoverLines(recovery: LineRecovery): Promise<void> {
  const { source, job, counts } = recovery;
  const seen: Seen = { whole: new Set(), forwarded: new Map(), missing: new Map() };
  for await (const lines of source) {
    job.signal.throwIfAborted();
    await forEachConcurrently(lines, entriesAtOnce, (line) => takeLine(recovery, seen, line));
    if (seen.forwarded.size >= lookUpSize) await lookUp(recovery, seen);
    job.report(`${counts.lines} lines read, ${counts.putBack} entries put back`);
  }
  // A signal ends the lines early, and one that was not read may have been a whole entry.
  job.signal.throwIfAborted();
  await lookUp(recovery, seen);
  await putBackInterrupted(recovery, seen.missing);
}

async function takeLine(
  { target, window, counts }: LineRecovery,
  { whole, forwarded, missing }: Seen,
  { text, atMs }: LogLine,
): Promise<void> {
  counts.lines += 1;
  const line = readLogLine(text);
  if (line === null) return;
  if (line === 'damaged') {
    counts.damaged += 1;
    return;
  }
  const { kind, entry } = line;
  if (whole.has(entry.id)) return;
  if (kind === 'forwarded') {
    if (atMs === null || (atMs >= window.startMs && atMs < window.endMs)) forwarded.set(entry.id, entry);
    return;
  }
  whole.add(entry.id);
  forwarded.delete(entry.id);
  missing.delete(entry.id);
  counts[await putBack(target, entry)] += 1;
}

async function lookUp({ target, counts }: LineRecovery, { forwarded, missing }: Seen): Promise<void> {
  const entries = [...forwarded.values()];
  forwarded.clear();
  await forEachConcurrently(entries, entriesAtOnce, async (entry) => {
    if (await logEntryExists(target.logEntries, entry)) counts.alreadyThere += 1;
    else missing.set(entry.id, entry);
  });
}

async function putBackInterrupted(recovery: LineRecovery, missing: Map<string, LogEntry>): Promise<void> {
  const { target, hasEnded, job, counts } = recovery;
  const startedBeforeMs = target.logEntries.now().getTime() - maxEntryDelayMs;
  const isOver = ({ id }: LogEntry) => hasEnded || timestampOfLogId(id) < startedBeforeMs;
  const over = [...missing.values()].filter(isOver);
  counts.running += missing.size - over.length;
  if (over.length === 0) return;
  if (await recovery.areEntriesQueued()) {
    counts.waiting += over.length;
    return;
  }
  await forEachConcurrently(over, entriesAtOnce, async (entry) => {
    job.signal.throwIfAborted();
    const result = await putBack(target, entry);
    counts[result] += 1;
    if (result === 'putBack') counts.interrupted += 1;
  });
}
