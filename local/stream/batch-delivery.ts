/**
 * Hands one batch of a shard to its function, as Lambda's poller does: until it is processed, or discarded by the
 * mapping's limits. https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */

import type { InvocationOutcome } from '../functions/function-worker.ts';
import { asList, isObject, parseJson } from '../untyped-json.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import type { OpenWindow } from './stream-positions.ts';
import { arrivalMs, type StreamRecord } from './stream-records.ts';

export interface Delivery {
  mapping: EventSourceMapping;
  shardId: string;
  /** Processing started then: while nothing ran, records did not grow older. */
  startedAtMs: number;
  invoke(event: unknown): Promise<{ requestId: string; outcome: InvocationOutcome }>;
  onDiscard(discarded: DiscardedBatch): Promise<void>;
  /** Told that all records up to this one are dealt with. */
  onProgress(sequenceNumber: string): void;
  now(): number;
  /** Rejects when the local run stops. */
  wait(ms: number): Promise<void>;
}

/** What the batches of a shard have in common: whoever cuts them follows the progress. */
export type ShardDelivery = Omit<Delivery, 'onProgress'>;

export interface DiscardedBatch {
  records: readonly StreamRecord[];
  condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  requestId: string | undefined;
  invokeCount: number;
  /** `null` when the function answered, but reported records as failed or returned no state. */
  functionError: 'Unhandled' | null;
}

interface Attempt {
  records: readonly StreamRecord[];
  retries: number;
}

type Result =
  | { kind: 'processed'; state: unknown }
  | {
      kind: 'failed' /** Index of the first record that is not processed. */;
      from: number;
      functionError: 'Unhandled' | null;
    };

/** Updates the window's state as the function returns it. */
export async function deliverBatch(
  delivery: Delivery,
  batch: { records: readonly StreamRecord[]; window?: OpenWindow },
): Promise<void> {
  const pending: Attempt[] = [{ records: batch.records, retries: 0 }];
  let failures = 0;
  for (let attempt = pending.shift(); attempt !== undefined; attempt = pending.shift()) {
    const live = await discardExpired(delivery, attempt, failures);
    if (live.length === 0) continue;
    const { requestId, result } = await invokeOnce(delivery, live, { window: batch.window, isFinal: false });
    if (result.kind === 'processed') {
      if (batch.window !== undefined) batch.window.state = result.state;
      delivery.onProgress(lastOf(live));
      failures = 0;
      continue;
    }
    failures += 1;
    const next = planRetry(delivery.mapping, { records: live, retries: attempt.retries }, result.from);
    if (result.from > 0) delivery.onProgress(lastOf(live.slice(0, result.from)));
    if (next === null) {
      await delivery.onDiscard({
        records: live,
        condition: 'RetryAttemptsExhausted',
        requestId,
        invokeCount: attempt.retries + 1,
        functionError: result.functionError,
      });
      delivery.onProgress(lastOf(live));
      failures = 0;
      continue;
    }
    pending.unshift(...next);
    await delivery.wait(backOffMs(failures));
  }
}

/** The invocation that ends a tumbling window; its failure is retried like a batch's, without a limit on age. */
export async function closeWindow(delivery: Delivery, window: OpenWindow): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    const { result } = await invokeOnce(delivery, [], { window, isFinal: true });
    if (result.kind === 'processed' || failures >= delivery.mapping.maximumRetryAttempts) return;
    await delivery.wait(backOffMs(failures + 1));
  }
}

/**
 * What to try after a failure, `null` when the batch has had its retries. Progress within the batch and a split do not
 * count as retries: what is left is a smaller batch.
 */
function planRetry(
  mapping: EventSourceMapping,
  { records, retries }: Attempt,
  from: number,
): Attempt[] | null {
  if (from > 0) return [{ records: records.slice(from), retries: 0 }];
  if (mapping.bisectsBatch && records.length > 1) {
    const middle = Math.ceil(records.length / 2);
    return [
      { records: records.slice(0, middle), retries },
      { records: records.slice(middle), retries },
    ];
  }
  return retries >= mapping.maximumRetryAttempts ? null : [{ records, retries: retries + 1 }];
}

/** Records are in the order of their age. Returns those that are not too old. */
async function discardExpired(
  delivery: Delivery,
  { records, retries }: Attempt,
  failures: number,
): Promise<readonly StreamRecord[]> {
  const { mapping, startedAtMs, now } = delivery;
  const isExpired = (record: StreamRecord) =>
    now() - Math.max(arrivalMs(record), startedAtMs) > mapping.maximumRecordAgeMs;
  const expired = records.filter(isExpired);
  if (expired.length > 0) {
    await delivery.onDiscard({
      records: expired,
      condition: 'RecordAgeExceeded',
      requestId: undefined,
      invokeCount: retries + Math.min(failures, 1),
      functionError: failures > 0 ? 'Unhandled' : null,
    });
    delivery.onProgress(lastOf(expired));
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
  return { requestId, result: readResult(outcome, mapping, records) };
}

function readResult(
  outcome: InvocationOutcome,
  mapping: EventSourceMapping,
  records: readonly StreamRecord[],
): Result {
  if (outcome.kind !== 'returned') return { kind: 'failed', from: 0, functionError: 'Unhandled' };
  const payload = parseJson(outcome.payload);
  const response = isObject(payload) ? payload : {};
  // https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-windows.html: without a state, the invocation has failed.
  if (mapping.tumblingWindowMs > 0 && response.state === undefined)
    return { kind: 'failed', from: 0, functionError: null };
  const processed: Result = { kind: 'processed', state: response.state };
  if (!mapping.reportsBatchItemFailures) return processed;
  const failed = asList(response.batchItemFailures ?? undefined).map((failure) =>
    isObject(failure)
      ? records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === failure.itemIdentifier)
      : -1,
  );
  if (failed.length === 0) return processed;
  // An identifier that is empty or not of the batch makes the whole batch fail.
  return { kind: 'failed', from: Math.max(0, Math.min(...failed)), functionError: null };
}

/** The message that Lambda sends to a queue for a batch that it gives up on. */
export function describeDiscard(
  discarded: DiscardedBatch,
  source: { mapping: EventSourceMapping; shardId: string; functionArn: string; nowMs: number },
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

function lastOf(records: readonly StreamRecord[]): string {
  return records.at(-1)?.dynamodb.SequenceNumber ?? '';
}

function backOffMs(failures: number): number {
  return Math.min(100 * 2 ** (failures - 1), 10_000);
}

/** RFC 3339 without fractions of a second. */
function toSecondPrecision(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
