/** A shard of a simulated stream, and the poller that brings its records to the rollup function as Lambda does. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { RollupHandler, RollupResponse } from '#lambdas/costs/rollups/handler.ts';
import { type Fate, type InterruptedRun, startRun } from './interrupted-run.ts';

export const streamRetentionMs = 24 * 3_600_000;

export interface ShardRecord {
  record: DynamoDBRecord & { dynamodb: { SequenceNumber: string } };
  writtenAtMs: number;
}

/** From a position up to another. */
type Range = [from: number, to: number];

type Invocation = InterruptedRun<RollupResponse>;

export interface StreamShard {
  id: string;
  parent: StreamShard | null;
  records: ShardRecord[];
  /** All records in front of it are dealt with. */
  position: number;
  /** What is left of a batch that failed or was cut in two; the first one is tried next. */
  attempts: Range[];
  invocation: Invocation | null;
  /** Timed out or forgotten, and still running. */
  zombies: Invocation[];
}

export function newShard(id: string, parent: StreamShard | null): StreamShard {
  return { id, parent, records: [], position: 0, attempts: [], invocation: null, zombies: [] };
}

export interface Poller {
  client: DynamoDBDocumentClient;
  /** The function's code with another client: each invocation has its own, to be interrupted. */
  handlerWith(client: DynamoDBDocumentClient): RollupHandler;
}

export const isConsumed = (shard: StreamShard): boolean =>
  shard.position === shard.records.length && (shard.parent === null || isConsumed(shard.parent));

/** Begins an invocation, unless there is one, or nothing to bring, or the parent's records come first. */
export async function deliver({ client, handlerWith }: Poller, shard: StreamShard, size: number) {
  const isBehindParent = shard.parent === null || isConsumed(shard.parent);
  if (shard.invocation !== null || !isBehindParent) return;
  const to = Math.min(shard.position + size, shard.records.length);
  if (shard.attempts.length === 0 && to > shard.position) shard.attempts = [[shard.position, to]];
  const [range] = shard.attempts;
  if (range === undefined) return;
  const Records = shard.records.slice(...range).map(({ record }) => record);
  shard.invocation = await startRun(client, (gated) => handlerWith(gated)({ shardId: shard.id, Records }));
}

/** Lets a call of the shard's invocation through, or of one that should long have ended. */
export async function step(shard: StreamShard, { pick, fate }: { pick: number; fate: Fate }) {
  const running = [...(shard.invocation === null ? [] : [shard.invocation]), ...shard.zombies];
  await running[pick % Math.max(running.length, 1)]?.step(pick, fate);
}

/** The poller waits no longer, and brings the records again; the invocation runs on. */
export function timeOut(shard: StreamShard, isBisected: boolean) {
  if (shard.invocation === null) return;
  shard.zombies.push(shard.invocation);
  shard.invocation = null;
  retry(shard, isBisected);
}

/** Takes note of how the invocation ended. */
export function settle(shard: StreamShard, isBisected: boolean): void {
  shard.zombies = shard.zombies.filter(({ outcome }) => outcome.kind === 'running');
  const outcome = shard.invocation?.outcome;
  if (outcome === undefined || outcome.kind === 'running') return;
  shard.invocation = null;
  if (outcome.kind !== 'returned') {
    retry(shard, isBisected);
    return;
  }
  const [[, to] = [0, shard.position]] = shard.attempts;
  shard.attempts.shift();
  shard.position = to;
}

function retry(shard: StreamShard, isBisected: boolean) {
  const [[from, to] = [0, 0], ...others] = shard.attempts;
  const middle = Math.ceil((from + to) / 2);
  if (isBisected && to - from > 1) shard.attempts = [[from, middle], [middle, to], ...others];
}

/** As when the mapping is made anew: all that the stream still has comes again. */
export function rewind(shard: StreamShard, nowMs: number) {
  timeOut(shard, false);
  const isKept = ({ writtenAtMs }: ShardRecord) => nowMs - writtenAtMs < streamRetentionMs;
  const horizon = shard.records.findIndex(isKept);
  shard.position = Math.min(shard.position, horizon === -1 ? shard.records.length : horizon);
  shard.attempts = [];
}
