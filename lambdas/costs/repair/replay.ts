/** Processes the rollups' dead-letter queue: adds records to the rollups exactly once, and deletes their messages. */

import { drainQueue, type MessageQueue, type QueueMessage } from '#lambdas/platform/aws/message-queue.ts';
import type { LongJob } from '#lambdas/platform/long-job.ts';
import {
  type BatchDeadLetter,
  type DeadLetter,
  findIncompleteRollups,
  type IncompleteRollupsDependencies,
  type RecordDeadLetter,
  readDeadLetter,
} from './dead-letter.ts';
import { type RecordReplayDependencies, replayRecord } from './replay-record.ts';

interface ReplayDependencies extends IncompleteRollupsDependencies, RecordReplayDependencies {
  queue: MessageQueue;
  job: Pick<LongJob, 'signal' | 'report'>;
}

export interface Replay {
  added: number;
  /** Messages of records that were already added: duplicates, or messages of an interrupted run. */
  addedBefore: number;
  /** Messages of records that a rebuild has already counted. */
  rebuilt: number;
  discarded: number;
  remaining: RemainingMessage[];
}

interface RemainingMessage {
  messageId: string;
  /** The record's position in the stream; `null` when the message does not include it. */
  shardId: string | null;
  sequenceNumber: string | null;
  reason: string;
}

/** An object when the record cannot be added now or, if `isPermanent`, ever. */
type ReplayOutcome = 'added' | 'addedBefore' | 'rebuilt' | { reason: string; isPermanent: boolean };

/** Updates `replay` during the run, so the counts are valid when it is interrupted. */
export async function replayDeadLetters(
  dependencies: ReplayDependencies,
  { replay, discards }: { replay: Replay; discards: boolean },
): Promise<void> {
  await drainQueue(dependencies.queue, {
    signal: dependencies.job.signal,
    async handle(message) {
      const deadLetter = readDeadLetter(message.body);
      const outcome = await replayDeadLetter(dependencies, deadLetter);
      const isRemaining = typeof outcome === 'object' && !(outcome.isPermanent && discards);
      if (typeof outcome === 'string') replay[outcome] += 1;
      else if (isRemaining) replay.remaining.push(toRemainingMessage(message, deadLetter, outcome.reason));
      else replay.discarded += 1;
      dependencies.job.report(`${replay.added} records added, ${replay.remaining.length} messages left`);
      return isRemaining ? 'left' : 'done';
    },
  });
}

export function newReplay(): Replay {
  return { added: 0, addedBefore: 0, rebuilt: 0, discarded: 0, remaining: [] };
}

function replayDeadLetter(
  dependencies: ReplayDependencies,
  deadLetter: DeadLetter,
): Promise<ReplayOutcome> | ReplayOutcome {
  switch (deadLetter.kind) {
    case 'record':
      return replayRecordDeadLetter(dependencies, deadLetter);
    case 'batch':
      return checkBatchDeadLetter(dependencies, deadLetter);
    case 'unknown':
      return { reason: 'it is not a message from the rollup function or Lambda', isPermanent: true };
    default:
      return deadLetter satisfies never;
  }
}

async function replayRecordDeadLetter(
  dependencies: ReplayDependencies,
  { shardId, record }: RecordDeadLetter,
): Promise<ReplayOutcome> {
  if (typeof record === 'string') return { reason: record, isPermanent: true };
  const result = await replayRecord(dependencies, { shardId, record });
  switch (result) {
    case 'added':
      return 'added';
    case 'added before':
      return 'addedBefore';
    case 'counted by a rebuild':
      return 'rebuilt';
    case 'being rebuilt':
      return {
        reason:
          'a rebuild is copying the rows of its day: run this command again after "rollups rebuild" has finished',
        isPermanent: false,
      };
    case 'copied by a rebuild':
      return {
        reason:
          'a rebuild has copied the rows of its day, whose entries have expired: they may include the record already',
        isPermanent: true,
      };
    default:
      return result satisfies never;
  }
}

/**
 * Rows may include some of these records, from failed attempts, and their watermarks of the shard have moved past them. So
 * the records are never added here: a rebuild counts all entries.
 */
async function checkBatchDeadLetter(
  dependencies: ReplayDependencies,
  batch: BatchDeadLetter,
): Promise<ReplayOutcome> {
  const incomplete = await findIncompleteRollups(dependencies, batch);
  if (incomplete.length === 0) return 'rebuilt';
  const { records, firstMs, lastMs } = batch;
  const [first, last] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
  const organizations = incomplete.length <= 5 ? incomplete.join(', ') : `${incomplete.length} organizations`;
  return {
    reason: `Lambda discarded ${records} records of ${first} to ${last}: "rollups rebuild" counts them (not rebuilt since: ${organizations})`,
    isPermanent: false,
  };
}

function toRemainingMessage({ id }: QueueMessage, deadLetter: DeadLetter, reason: string): RemainingMessage {
  return {
    messageId: id,
    shardId: deadLetter.kind === 'unknown' ? null : deadLetter.shardId,
    sequenceNumber: deadLetter.kind === 'record' ? deadLetter.sequenceNumber : null,
    reason,
  };
}
