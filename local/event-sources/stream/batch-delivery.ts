/**
 * Delivers one batch of a shard to its function as Lambda does: retries until the batch is processed, or discarded by
 * the limits of the mapping.
 */

import type { InvocationOutcome } from '#local/functions/worker.ts';
import { isObject, parseJson } from '#local/untyped-json.ts';
import type { StreamMapping } from './mapping.ts';
import type { OpenWindow } from './positions.ts';
import { arrivalMs, type StreamRecord } from './records.ts';

export interface Delivery {
  mapping: StreamMapping;
  shardId: string;
  /** Start of processing. The age of a record counts from here at the earliest, as records do not age while stopped. */
  startedAtMs: number;
  invoke(event: StreamEvent): Promise<{ requestId: string; outcome: InvocationOutcome }>;
  onDiscard(discarded: DiscardedBatch): Promise<void>;
  /** Called when all records up to this one have been processed or discarded. */
  onProgress(sequenceNumber: string): void;
  now(): number;
  /** Rejects when the local run stops. */
  wait(ms: number): Promise<void>;
}

export interface StreamEvent {
  Records: readonly StreamRecord[];
}

/** The part of `Delivery` that all batches of a shard share. */
export type ShardDelivery = Omit<Delivery, 'onProgress'>;

export interface DiscardedBatch {
  records: readonly StreamRecord[];
  condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  requestId: string | undefined;
  invokeCount: number;
  /** `null` when the function returned no state. */
  functionError: 'Unhandled' | null;
}

interface Attempt {
  records: readonly StreamRecord[];
  retries: number;
}

type Result = { kind: 'processed'; state: unknown } | { kind: 'failed'; functionError: 'Unhandled' | null };

/** Updates the state of the window with the state that the function returns. */
export async function deliverBatch(
  delivery: Delivery,
  batch: { records: readonly StreamRecord[]; window?: OpenWindow },
): Promise<void> {
  const pending: Attempt[] = [{ records: batch.records, retries: 0 }];
  let failures = 0;
  for (let attempt = pending.shift(); attempt !== undefined; attempt = pending.shift()) {
    const remaining = await discardExpired(delivery, attempt, failures);
    if (remaining.length === 0) continue;
    const { requestId, result } = await invokeOnce(delivery, remaining, {
      window: batch.window,
      isFinal: false,
    });
    if (result.kind === 'processed') {
      if (batch.window !== undefined) batch.window.state = result.state;
      delivery.onProgress(lastSequenceNumber(remaining));
      failures = 0;
      continue;
    }
    failures += 1;
    const next = planRetry(delivery.mapping, { records: remaining, retries: attempt.retries });
    if (next === null) {
      await delivery.onDiscard({
        records: remaining,
        condition: 'RetryAttemptsExhausted',
        requestId,
        invokeCount: attempt.retries + 1,
        functionError: result.functionError,
      });
      delivery.onProgress(lastSequenceNumber(remaining));
      failures = 0;
      continue;
    }
    pending.unshift(...next);
    await delivery.wait(backOffMs(failures));
  }
}

/** Makes the final invocation of a tumbling window. Retries it like a batch, but without an age limit. */
export async function closeWindow(delivery: Delivery, window: OpenWindow): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    const { result } = await invokeOnce(delivery, [], { window, isFinal: true });
    if (result.kind === 'processed' || failures >= delivery.mapping.maxRetryAttempts) return;
    await delivery.wait(backOffMs(failures + 1));
  }
}

/** Returns the batches to try after a failure, or `null` when all retries are used. A bisection does not count as a retry. */
function planRetry(mapping: StreamMapping, { records, retries }: Attempt): Attempt[] | null {
  if (mapping.bisectsBatch && records.length > 1) {
    const middle = Math.ceil(records.length / 2);
    return [
      { records: records.slice(0, middle), retries },
      { records: records.slice(middle), retries },
    ];
  }
  return retries >= mapping.maxRetryAttempts ? null : [{ records, retries: retries + 1 }];
}

async function discardExpired(
  delivery: Delivery,
  { records, retries }: Attempt,
  failures: number,
): Promise<readonly StreamRecord[]> {
  const { mapping, startedAtMs, now } = delivery;
  const isExpired = (record: StreamRecord) =>
    now() - Math.max(arrivalMs(record), startedAtMs) > mapping.maxRecordAgeMs;
  const expired = records.filter(isExpired);
  if (expired.length > 0) {
    await delivery.onDiscard({
      records: expired,
      condition: 'RecordAgeExceeded',
      requestId: undefined,
      invokeCount: retries + Math.min(failures, 1),
      functionError: failures > 0 ? 'Unhandled' : null,
    });
    delivery.onProgress(lastSequenceNumber(expired));
  }
  return records.filter((record) => !isExpired(record));
}

async function invokeOnce(
  delivery: Delivery,
  records: readonly StreamRecord[],
  tumbling: { window: OpenWindow | undefined; isFinal: boolean },
): Promise<{ requestId: string; result: Result }> {
  const { mapping, shardId } = delivery;
  const { window, isFinal } = tumbling;
  const { requestId, outcome } = await delivery.invoke({
    Records: records,
    ...(window !== undefined && {
      window: { start: toSecondPrecision(window.startMs), end: toSecondPrecision(window.endMs) },
      state: window.state,
      shardId,
      eventSourceARN: mapping.streamArn,
      isFinalInvokeForWindow: isFinal,
      isWindowTerminatedEarly: false,
    }),
  });
  return { requestId, result: readResult(outcome, mapping) };
}

function readResult(outcome: InvocationOutcome, mapping: StreamMapping): Result {
  if (outcome.kind !== 'returned') return { kind: 'failed', functionError: 'Unhandled' };
  const payload = parseJson(outcome.payload);
  const state = isObject(payload) ? payload.state : undefined;
  // An invocation without a state has failed: https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html
  if (mapping.tumblingWindowMs > 0 && state === undefined) return { kind: 'failed', functionError: null };
  return { kind: 'processed', state };
}

/** Creates the message that Lambda sends to the failure destination for a discarded batch. */
export function describeDiscard(
  discarded: DiscardedBatch,
  source: { mapping: StreamMapping; shardId: string; functionArn: string; nowMs: number },
): object {
  const { records, condition, requestId = '', invokeCount, functionError } = discarded;
  const [first] = records;
  const last = records.at(-1);
  return {
    requestContext: {
      requestId,
      functionArn: source.functionArn,
      condition,
      approximateInvokeCount: invokeCount,
    },
    ...(invokeCount > 0 && {
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError },
    }),
    version: '1.0',
    timestamp: new Date(source.nowMs).toISOString(),
    DDBStreamBatchInfo: {
      shardId: source.shardId,
      startSequenceNumber: first?.dynamodb.SequenceNumber,
      endSequenceNumber: last?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: first && toSecondPrecision(arrivalMs(first)),
      approximateArrivalOfLastRecord: last && toSecondPrecision(arrivalMs(last)),
      batchSize: records.length,
      streamArn: source.mapping.streamArn,
    },
  };
}

function lastSequenceNumber(records: readonly StreamRecord[]): string {
  return records.at(-1)?.dynamodb.SequenceNumber ?? '';
}

function backOffMs(failures: number): number {
  return Math.min(100 * 2 ** (failures - 1), 10_000);
}

/** RFC 3339 without fractions of a second. */
function toSecondPrecision(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
