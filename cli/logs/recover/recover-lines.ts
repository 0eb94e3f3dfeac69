/**
 * Puts back what lines of the log have: first each entry that is there as a whole, and in the end, of the requests whose
 * entries are nowhere, what was known when they were sent to their provider.
 */

import { forEachAtOnce } from '#lambdas/platform/concurrency.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { isLogEntryThere } from '#lambdas/request-log/table/presence.ts';
import type { LogLine, LogSource } from './log-file.ts';
import { readLogLine } from './log-line.ts';
import { putBack, type RecoveryCounts, type RecoveryTarget } from './recovery.ts';

export interface LineRecovery {
  target: RecoveryTarget;
  source: LogSource;
  /** Of the requests that are looked at; what is printed of them comes later. */
  window: TimeWindow;
  /** Nothing runs any more whose lines these are. */
  hasEnded: boolean;
  /** Whether entries are in queues, from where they would be written later, and better. */
  areEntriesQueued(): Promise<boolean>;
  job: Pick<LongJob, 'signal' | 'report'>;
  /** Filled as it goes. */
  counts: RecoveryCounts;
}

/** As long as a request may run, and a minute in which its entry gets to where it is kept. */
export const longestRequestMs = 16 * 60_000;

const entriesAtOnce = 25;
/** So many are looked up together; most are there, and need not be remembered. */
const lookUpSize = 1000;

interface Seen {
  /** Ids of entries that are there as a whole. */
  whole: Set<string>;
  /** What was sent to a provider, by id: not looked up yet, or looked up and in no table. */
  forwarded: Map<string, LogEntry>;
  missing: Map<string, LogEntry>;
}

export async function recoverLines(recovery: LineRecovery): Promise<void> {
  const { source, job, counts } = recovery;
  const seen: Seen = { whole: new Set(), forwarded: new Map(), missing: new Map() };
  for await (const lines of source) {
    job.signal.throwIfAborted();
    await forEachAtOnce(lines, entriesAtOnce, (line) => takeLine(recovery, seen, line));
    if (seen.forwarded.size >= lookUpSize) await lookUp(recovery, seen);
    job.report(`${counts.lines} lines read, ${counts.putBack} entries put back`);
  }
  // A line that would have come may have been a whole entry.
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
  await forEachAtOnce(entries, entriesAtOnce, async (entry) => {
    if (await isLogEntryThere(target.logEntries, entry)) counts.alreadyThere += 1;
    else missing.set(entry.id, entry);
  });
}

async function putBackInterrupted(recovery: LineRecovery, missing: Map<string, LogEntry>): Promise<void> {
  const { target, hasEnded, job, counts } = recovery;
  const startedBeforeMs = target.logEntries.now().getTime() - longestRequestMs;
  const isOver = ({ id }: LogEntry) => hasEnded || timestampOfLogId(id) < startedBeforeMs;
  const over = [...missing.values()].filter(isOver);
  counts.running += missing.size - over.length;
  if (over.length === 0) return;
  if (await recovery.areEntriesQueued()) {
    counts.waiting += over.length;
    return;
  }
  await forEachAtOnce(over, entriesAtOnce, async (entry) => {
    job.signal.throwIfAborted();
    const result = await putBack(target, entry);
    counts[result] += 1;
    if (result === 'putBack') counts.interrupted += 1;
  });
}
