import { describe, expect, it } from 'vitest';
import type { InvocationOutcome } from '#local/functions/function-worker.ts';
import { type Delivery, type DiscardedBatch, deliverBatch } from '#local/stream/batch-delivery.ts';
import { type EventSourceMapping, readEventSourceMapping } from '#local/stream/event-source-mapping.ts';
import type { OpenWindow } from '#local/stream/stream-positions.ts';
import type { StreamRecord } from '#local/stream/stream-records.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');

function record(sequenceNumber: number, ageSeconds = 0): StreamRecord {
  return {
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: String(sequenceNumber),
      ApproximateCreationDateTime: nowMs / 1000 - ageSeconds,
    },
  };
}

const records = (...sequenceNumbers: number[]) => sequenceNumbers.map((number) => record(number));
const returned = (result: unknown): InvocationOutcome => ({
  kind: 'returned',
  payload: JSON.stringify(result),
});
const failed: InvocationOutcome = { kind: 'failed', error: { errorType: 'Error', errorMessage: 'no' } };
const failedFrom = (...sequenceNumbers: number[]) =>
  returned({ batchItemFailures: sequenceNumbers.map((number) => ({ itemIdentifier: String(number) })) });

/** Delivers to a function that `answer`s each batch of sequence numbers, and tells all that happened. */
async function deliver(scene: {
  records: StreamRecord[];
  answer: (batch: number[], invocation: number) => InvocationOutcome;
  mapping?: Record<string, unknown>;
  startedAtMs?: number;
  window?: OpenWindow;
}) {
  const batches: number[][] = [];
  const discarded: DiscardedBatch[] = [];
  const progress: string[] = [];
  const waits: number[] = [];
  const delivery: Delivery = {
    mapping: mappingOf(scene.mapping ?? {}),
    shardId: 'shard-1',
    startedAtMs: scene.startedAtMs ?? 0,
    async invoke(event) {
      const batch = (event as { Records: StreamRecord[] }).Records.map(({ dynamodb }) =>
        Number(dynamodb.SequenceNumber),
      );
      batches.push(batch);
      return { requestId: `request-${batches.length}`, outcome: scene.answer(batch, batches.length) };
    },
    onDiscard: async (batch) => void discarded.push(batch),
    onProgress: (sequenceNumber) => progress.push(sequenceNumber),
    now: () => nowMs,
    wait: async (ms) => void waits.push(ms),
  };
  const { records, window } = scene;
  await deliverBatch(delivery, { records, ...(window !== undefined && { window }) });
  return { batches, discarded, progress, waits };
}

function mappingOf(properties: Record<string, unknown>): EventSourceMapping {
  return readEventSourceMapping(
    { logicalId: 'Mapping', type: 'AWS::Lambda::EventSourceMapping', properties: {} },
    {
      EventSourceArn: 'arn:stream',
      FunctionName: 'Consumer',
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ...properties,
    },
  );
}

describe('a batch', () => {
  it('is done when the function returns', async () => {
    const told = await deliver({ records: records(1, 2), answer: () => returned(null) });

    expect(told).toEqual({ batches: [[1, 2]], discarded: [], progress: ['2'], waits: [] });
  });

  it('is tried again after waits that grow, until it is processed', async () => {
    const told = await deliver({
      records: records(1, 2),
      answer: (_, invocation) => (invocation <= 9 ? failed : returned({})),
    });

    expect(told.batches).toEqual(Array(10).fill([1, 2]));
    expect(told.waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(told.progress).toEqual(['2']);
  });

  it('is discarded when it has had its retries', async () => {
    const told = await deliver({
      records: records(1, 2),
      mapping: { MaximumRetryAttempts: 2 },
      answer: () => failed,
    });

    expect(told.batches).toHaveLength(3);
    expect(told.discarded).toEqual([
      {
        records: records(1, 2),
        condition: 'RetryAttemptsExhausted',
        requestId: 'request-3',
        invokeCount: 3,
        functionError: 'Unhandled',
      },
    ]);
    expect(told.progress).toEqual(['2']);
  });

  it('is cut in two, without counting that as a retry, until the bad record is alone', async () => {
    const told = await deliver({
      records: records(1, 2, 3, 4),
      mapping: { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1 },
      answer: (batch) => (batch.includes(3) ? failed : returned({})),
    });

    expect(told.batches).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [4]]);
    expect(told.discarded.map((batch) => batch.records)).toEqual([records(3)]);
    expect(told.progress).toEqual(['2', '3', '4']);
  });

  it('goes on from the lowest record that is reported as failed', async () => {
    const told = await deliver({
      records: records(1, 2, 3, 4),
      answer: (_, invocation) => (invocation === 1 ? failedFrom(4, 3) : returned({ batchItemFailures: [] })),
    });

    expect(told.batches).toEqual([
      [1, 2, 3, 4],
      [3, 4],
    ]);
    expect(told.progress).toEqual(['2', '4']);
  });

  it('fails as a whole when a reported record is not one of its own', async () => {
    const told = await deliver({
      records: records(1, 2),
      answer: (_, invocation) => (invocation === 1 ? failedFrom(2, 77) : returned({})),
    });

    expect(told.batches).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('is done whatever it returns, when the mapping does not ask for reports', async () => {
    const told = await deliver({
      records: records(1, 2),
      mapping: { FunctionResponseTypes: [] },
      answer: () => failedFrom(1),
    });

    expect(told.batches).toEqual([[1, 2]]);
  });

  it('fails in a tumbling window when the function returns no state', async () => {
    const window: OpenWindow = { startMs: 0, endMs: 900_000, state: { count: 1 } };
    const told = await deliver({
      records: records(1, 2),
      mapping: { TumblingWindowInSeconds: 900 },
      window,
      answer: (_, invocation) =>
        returned({ batchItemFailures: [], ...(invocation > 1 && { state: { count: 2 } }) }),
    });

    expect(told.batches).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(told.progress).toEqual(['2']);
    expect(window.state).toEqual({ count: 2 });
  });

  it('loses the records that are too old, and only those', async () => {
    const told = await deliver({
      records: [record(1, 61), record(2, 59)],
      mapping: { MaximumRecordAgeInSeconds: 60 },
      answer: () => returned({}),
    });

    expect(told.batches).toEqual([[2]]);
    expect(told.discarded).toMatchObject([
      { records: [record(1, 61)], condition: 'RecordAgeExceeded', invokeCount: 0 },
    ]);
    expect(told.progress).toEqual(['1', '2']);
  });

  it('does not grow old while the local run is stopped', async () => {
    const told = await deliver({
      records: [record(1, 86_400)],
      mapping: { MaximumRecordAgeInSeconds: 60 },
      startedAtMs: nowMs - 1000,
      answer: () => returned({}),
    });

    expect(told.batches).toEqual([[1]]);
  });
});

describe('an event source mapping', () => {
  it.each([
    [{ ParallelizationFactor: 2 }, 'has a ParallelizationFactor of 1 only'],
    [{ Topics: [] }, 'does not know Topics'],
    [{ StartingPosition: 'AT_TIMESTAMP' }, 'StartingPosition must be TRIM_HORIZON or LATEST'],
    [
      { DestinationConfig: { OnFailure: { Destination: 'arn:aws:sns:x' } } },
      'knows SQS queues as OnFailure destination',
    ],
  ])('is refused with %j', (properties, message) => {
    expect(() => mappingOf(properties)).toThrow(message);
  });
});
