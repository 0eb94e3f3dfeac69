/** Works through the rollups' dead-letter queue: counts what can be counted, once, and deletes its message. */

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

export interface ReplayDependencies extends IncompleteRollupsDependencies, RecordReplayDependencies {
  queue: MessageQueue;
  job: Pick<LongJob, 'signal' | 'report'>;
}

export interface Replay {
  /** Records that were missing from the rollups and have been added. */
  added: number;
  /** Messages of records that had been added before: they came twice, or a run was stopped. */
  addedBefore: number;
  /** Messages of records that a rebuild has counted. */
  rebuilt: number;
  discarded: number;
  left: LeftMessage[];
}

export interface LeftMessage {
  messageId: string;
  /** Its place in the stream; `null` when the message does not say. */
  shardId: string | null;
  sequenceNumber: string | null;
  reason: string;
}

type Verdict = 'added' | 'addedBefore' | 'rebuilt' | { reason: string; isHopeless: boolean };

/** Fills `replay` as it goes, so that the counts are there also when it is stopped. */
export async function replayDeadLetters(
  dependencies: ReplayDependencies,
  { replay, discards }: { replay: Replay; discards: boolean },
): Promise<void> {
  await drainQueue(dependencies.queue, {
    signal: dependencies.job.signal,
    async handle(message) {
      const letter = readDeadLetter(message.body);
      const verdict = await judge(dependencies, letter);
      const isLeft = typeof verdict === 'object' && !(verdict.isHopeless && discards);
      if (typeof verdict === 'string') replay[verdict] += 1;
      else if (isLeft) replay.left.push(leftMessage(message, letter, verdict.reason));
      else replay.discarded += 1;
      dependencies.job.report(`${replay.added} records added, ${replay.left.length} messages left`);
      return isLeft ? 'left' : 'done';
    },
  });
}

export function newReplay(): Replay {
  return { added: 0, addedBefore: 0, rebuilt: 0, discarded: 0, left: [] };
}

function judge(dependencies: ReplayDependencies, letter: DeadLetter): Promise<Verdict> | Verdict {
  switch (letter.kind) {
    case 'record':
      return judgeRecord(dependencies, letter);
    case 'batch':
      return judgeBatch(dependencies, letter);
    case 'unknown':
      return { reason: 'it is no message of the rollup function or of Lambda', isHopeless: true };
    default:
      return letter satisfies never;
  }
}

async function judgeRecord(
  dependencies: ReplayDependencies,
  { shardId, record }: RecordDeadLetter,
): Promise<Verdict> {
  if (typeof record === 'string') return { reason: record, isHopeless: true };
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
        reason: 'a rebuild is copying the rows of its day: run this again when "rollups rebuild" has ended',
        isHopeless: false,
      };
    case 'copied by a rebuild':
      return {
        reason:
          'a rebuild has copied the rows of its day, whose entries have expired: one cannot tell what they have',
        isHopeless: true,
      };
    default:
      return result satisfies never;
  }
}

/**
 * Rows may have some of these records, from attempts that did not finish, and cannot tell any more: their watermarks of
 * the shard have moved on with later records. So they are never added here. A rebuild counts all entries.
 */
async function judgeBatch(dependencies: ReplayDependencies, batch: BatchDeadLetter): Promise<Verdict> {
  const lacking = await findIncompleteRollups(dependencies, batch);
  if (lacking.length === 0) return 'rebuilt';
  const { records, firstMs, lastMs } = batch;
  const [first, last] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
  const whose = lacking.length <= 5 ? lacking.join(', ') : `${lacking.length} organizations`;
  return {
    reason: `Lambda gave up on ${records} records of ${first} to ${last}: "rollups rebuild" counts them (not rebuilt since: ${whose})`,
    isHopeless: false,
  };
}

function leftMessage({ id }: QueueMessage, letter: DeadLetter, reason: string): LeftMessage {
  return {
    messageId: id,
    shardId: letter.kind === 'unknown' ? null : letter.shardId,
    sequenceNumber: letter.kind === 'record' ? letter.sequenceNumber : null,
    reason,
  };
}
