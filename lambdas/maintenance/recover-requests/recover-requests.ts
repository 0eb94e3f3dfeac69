/**
 * Restores the entries of requests whose function was killed, from the chat function's log.
 *
 * A run goes on where the last complete one ended. It leaves out requests that may still be running, and reads on past the
 * end of its window, since a line can be printed as long after its request was received as a request can take.
 */

import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { CostRollupsTable } from '#lambdas/costs/rollups/item.ts';
import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import { comparesIfExists, conditionExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import type { TimeWindow } from '#lambdas/platform/time-window.ts';
import { maxEntryDelayMs } from '#lambdas/request-log/durations.ts';
import { recoverLines } from '#lambdas/request-log/recover/recover-lines.ts';
import {
  type RecoveryCounts,
  type RecoveryTarget,
  zeroCounts,
} from '#lambdas/request-log/recover/restore-entry.ts';
import type { ScheduledRun } from '../scheduled-run.ts';
import { recoveryProgressKey } from '../schema.ts';
import type { ReadLogLines } from './log-lines.ts';

export interface RecoveryDependencies {
  target: RecoveryTarget;
  costRollups: CostRollupsTable;
  readLogLines: ReadLogLines;
  /** The number of entries in the queue, which will be written from there. */
  countQueuedEntries(): Promise<number>;
  countDeadLetters(): Promise<number>;
  logRetentionDays: number;
  log: Log;
}

/** How far the first run goes back. */
const firstWindowMs = 6 * hourMs;

/** The window of a run without a backlog: a backlog must not make a chunk too large to be completed. */
export const maxChunkMs = 15 * minuteMs;

/** Resolves also if time runs out: the next run then goes on after the last complete chunk. */
export async function recoverRequests(dependencies: RecoveryDependencies, run: ScheduledRun): Promise<void> {
  const { startMs, endMs } = await findWindowToRecover(dependencies, run);
  const counts = { ...zeroCounts };
  let toMs = startMs;
  try {
    for (let chunkMs = startMs; chunkMs < endMs; chunkMs += maxChunkMs) {
      const chunk = { startMs: chunkMs, endMs: Math.min(chunkMs + maxChunkMs, endMs) };
      await recoverChunk(dependencies, { chunk, counts, run });
      // Later chunks are recovered all the same, but the next run comes back to the requests that wait.
      if (counts.waiting === 0) toMs = chunk.endMs;
    }
  } catch (error) {
    if (!run.signal.aborted) throw error;
  } finally {
    await logResult(dependencies, counts, { startMs, toMs, isComplete: toMs >= endMs });
  }
}

interface Progress {
  startMs: number;
  /** All requests that were received before are recovered. */
  toMs: number;
  isComplete: boolean;
}

async function logResult(
  dependencies: RecoveryDependencies,
  counts: RecoveryCounts,
  { startMs, toMs, isComplete }: Progress,
): Promise<void> {
  const { log } = dependencies;
  const waiting = await countWaiting(dependencies);
  const fields = {
    ...resultFields({ startMs, endMs: toMs }, counts),
    complete: isComplete,
    queued_entries: waiting?.queued,
    dead_letters: waiting?.dead,
  };
  const waitingEntries = waiting === null ? 0 : waiting.queued + waiting.dead;
  const print = isComplete && counts.unreadable === 0 ? log.info : log.error;
  print('requests_recovered', fields, {
    ...(isComplete && { RecoveryRuns: 1 }),
    ...(counts.restored > 0 && { RecoveredEntries: counts.restored }),
    ...(waitingEntries > 0 && { WaitingEntries: waitingEntries }),
  });
}

/** Resolves to `null` if the queues cannot be read, which is no reason to repeat a run. */
async function countWaiting({
  countQueuedEntries,
  countDeadLetters,
  log,
}: RecoveryDependencies): Promise<{ queued: number; dead: number } | null> {
  try {
    const [queued, dead] = await Promise.all([countQueuedEntries(), countDeadLetters()]);
    return { queued, dead };
  } catch (error) {
    log.error('service_unavailable', errorFields(error));
    return null;
  }
}

async function findWindowToRecover(
  { costRollups, logRetentionDays }: RecoveryDependencies,
  { atMs }: ScheduledRun,
): Promise<TimeWindow> {
  const endMs = atMs - maxEntryDelayMs;
  const startMs = (await findRecoveredUntil(costRollups)) ?? endMs - firstWindowMs;
  return { startMs: Math.max(startMs, atMs - logRetentionDays * dayMs), endMs };
}

interface ChunkRecovery {
  chunk: TimeWindow;
  counts: RecoveryCounts;
  run: ScheduledRun;
}

async function recoverChunk(
  { target, costRollups, readLogLines, countQueuedEntries, log }: RecoveryDependencies,
  { chunk, counts, run }: ChunkRecovery,
): Promise<void> {
  const { startMs, endMs } = chunk;
  await recoverLines({
    target,
    source: readLogLines({ startMs, endMs: endMs + maxEntryDelayMs }),
    window: chunk,
    // The window ends early enough.
    processHasExited: true,
    hasQueuedEntries: async () => (await countQueuedEntries()) > 0,
    job: { signal: run.signal, report: () => {} },
    counts,
    onRestored: ({ entry: { id, organization_id, outcome }, event }) => {
      log.info('entry_recovered', { log_id: id, organization_id, outcome, source: event });
    },
  });
  if (counts.waiting > 0) return;
  // The time of the run may be wrong: progress in the future would hide requests.
  const latestMs = target.logEntries.now().getTime() - maxEntryDelayMs;
  await advanceRecoveredUntil(costRollups, Math.min(endMs, latestMs));
}

function resultFields(window: TimeWindow, counts: RecoveryCounts) {
  return {
    from: new Date(window.startMs).toISOString(),
    to: new Date(window.endMs).toISOString(),
    lines_read: counts.lines,
    restored: counts.restored,
    interrupted: counts.interrupted,
    already_present: counts.alreadyPresent,
    running: counts.running,
    waiting: counts.waiting,
    unreadable: counts.unreadable,
  };
}

/** The attribute of the time before which every request has been recovered: nothing is missing that was received earlier. */
const attribute = 'recovered_until_ms';

/** In milliseconds since 1970; `null` before the first run. */
export async function findRecoveredUntil({
  client,
  tableName: TableName,
}: CostRollupsTable): Promise<number | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName, Key: recoveryProgressKey, ConsistentRead: true }),
  );
  return Item === undefined ? null : Number(Item[attribute]);
}

/** Never moves back: of two runs at the same time, the one that is further decides. */
export async function advanceRecoveredUntil(
  { client, tableName: TableName }: CostRollupsTable,
  toMs: number,
): Promise<void> {
  const put = new PutCommand({
    TableName,
    Item: { ...recoveryProgressKey, [attribute]: toMs },
    ...conditionExpressions(comparesIfExists(attribute, '<', toMs)),
  });
  await nullIfConditionFails(client.send(put));
}
