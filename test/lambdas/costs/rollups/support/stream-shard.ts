/** Simulates a stream shard, and the Lambda poller that delivers its records to the rollup function. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { RollupHandler, RollupResponse } from '#lambdas/costs/rollups/handler.ts';
import { type CallOutcome, type InterruptibleRun, startRun } from './interruptible-run.ts';

export const streamRetentionMs = 24 * 3_600_000;

export interface ShardRecord {
  record: DynamoDBRecord & { dynamodb: { SequenceNumber: string } };
  writtenAtMs: number;
}

/** Indexes of records; `to` is exclusive. */
type Range = [from: number, to: number];

type Invocation = InterruptibleRun<RollupResponse>;

export interface StreamShard {
  id: string;
  parent: StreamShard | null;
  records: ShardRecord[];
  /** The index of the first unprocessed record. */
  checkpoint: number;
  /** The remaining parts of a failed or bisected batch; the first one is tried next. */
  pendingRanges: Range[];
  invocation: Invocation | null;
  /** Invocations that the poller no longer waits for, but that are still running. */
  abandonedInvocations: Invocation[];
}

/** Begins at 97, so that a comparison of numbers as text would fail at 100. */
export function sequenceNumberAt(index: number): string {
  return String(97 + index);
}

export function createShard(id: string, parent: StreamShard | null): StreamShard {
  return {
    id,
    parent,
    records: [],
    checkpoint: 0,
    pendingRanges: [],
    invocation: null,
    abandonedInvocations: [],
  };
}

export interface InvocationContext {
  client: DynamoDBDocumentClient;
  /** The rollup function for one invocation. The client can interrupt the invocation. */
  handlerWith(client: DynamoDBDocumentClient): RollupHandler;
}

export const isConsumed = (shard: StreamShard): boolean =>
  shard.checkpoint === shard.records.length && (shard.parent === null || isConsumed(shard.parent));

/** Starts an invocation, unless one is running, there are no records, or the parent shard is not fully processed. */
export async function deliver({ client, handlerWith }: InvocationContext, shard: StreamShard, size: number) {
  const isParentConsumed = shard.parent === null || isConsumed(shard.parent);
  if (shard.invocation !== null || !isParentConsumed) return;
  const to = Math.min(shard.checkpoint + size, shard.records.length);
  if (shard.pendingRanges.length === 0 && to > shard.checkpoint)
    shard.pendingRanges = [[shard.checkpoint, to]];
  const [range] = shard.pendingRanges;
  if (range === undefined) return;
  const Records = shard.records.slice(...range).map(({ record }) => record);
  shard.invocation = await startRun(client, (runClient) =>
    handlerWith(runClient)({ shardId: shard.id, Records }),
  );
}

export async function step(shard: StreamShard, { pick, outcome }: { pick: number; outcome: CallOutcome }) {
  const running = [...(shard.invocation === null ? [] : [shard.invocation]), ...shard.abandonedInvocations];
  await running[pick % Math.max(running.length, 1)]?.step(pick, outcome);
}

/** The poller abandons the invocation, which continues to run, and redelivers its records. */
export function timeOut(shard: StreamShard, isBisected: boolean) {
  if (shard.invocation === null) return;
  shard.abandonedInvocations.push(shard.invocation);
  shard.invocation = null;
  retry(shard, isBisected);
}

/** Advances the checkpoint when the invocation has returned, and schedules a retry when it has failed. */
export function handleResult(shard: StreamShard, isBisected: boolean): void {
  shard.abandonedInvocations = shard.abandonedInvocations.filter(({ status }) => status.kind === 'running');
  const status = shard.invocation?.status;
  if (status === undefined || status.kind === 'running') return;
  shard.invocation = null;
  if (status.kind !== 'returned') {
    retry(shard, isBisected);
    return;
  }
  const [[, to] = [0, shard.checkpoint]] = shard.pendingRanges;
  shard.pendingRanges.shift();
  shard.checkpoint = to;
}

function retry(shard: StreamShard, isBisected: boolean) {
  const [[from, to] = [0, 0], ...others] = shard.pendingRanges;
  const middle = Math.ceil((from + to) / 2);
  if (isBisected && to - from > 1) shard.pendingRanges = [[from, middle], [middle, to], ...others];
}

/** Redelivers everything that the stream has retained, as after the event source mapping was replaced. */
export function rewind(shard: StreamShard, nowMs: number) {
  timeOut(shard, false);
  const isKept = ({ writtenAtMs }: ShardRecord) => nowMs - writtenAtMs < streamRetentionMs;
  const horizon = shard.records.findIndex(isKept);
  shard.checkpoint = Math.min(shard.checkpoint, horizon === -1 ? shard.records.length : horizon);
  shard.pendingRanges = [];
}
