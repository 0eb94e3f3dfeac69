import { describe, expect, it } from 'vitest';
import {
  type Delivery,
  type DiscardedBatch,
  deliverBatch,
} from '#local/event-sources/stream/batch-delivery.ts';
import { readStreamMapping, type StreamMapping } from '#local/event-sources/stream/mapping.ts';
import type { OpenWindow } from '#local/event-sources/stream/positions.ts';
import type { StreamRecord } from '#local/event-sources/stream/records.ts';
import type { InvocationOutcome } from '#local/functions/worker.ts';

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
/** Delivers records to a simulated function and returns all invocations, discards, progress and waits. */
async function deliver(scenario: {
  records: StreamRecord[];
  /** `batch` contains the sequence numbers; `invocation` starts at 1. */
  handler: (batch: number[], invocation: number) => InvocationOutcome;
  mapping?: Record<string, unknown>;
  startedAtMs?: number;
  window?: OpenWindow;
}) {
  const batches: number[][] = [];
  const discarded: DiscardedBatch[] = [];
  const progress: string[] = [];
  const waits: number[] = [];
  const delivery: Delivery = {
    mapping: mappingOf(scenario.mapping ?? {}),
    shardId: 'shard-1',
    startedAtMs: scenario.startedAtMs ?? 0,
    async invoke(event) {
      const batch = (event as { Records: StreamRecord[] }).Records.map(({ dynamodb }) =>
        Number(dynamodb.SequenceNumber),
      );
      batches.push(batch);
      return { requestId: `request-${batches.length}`, outcome: scenario.handler(batch, batches.length) };
    },
    onDiscard: async (batch) => void discarded.push(batch),
    onProgress: (sequenceNumber) => progress.push(sequenceNumber),
    now: () => nowMs,
    wait: async (ms) => void waits.push(ms),
  };
  const { records, window } = scenario;
  await deliverBatch(delivery, { records, ...(window !== undefined && { window }) });
  return { batches, discarded, progress, waits };
}

function mappingOf(properties: Record<string, unknown>): StreamMapping {
  return readStreamMapping(
    { logicalId: 'Mapping', type: 'AWS::Lambda::StreamMapping', properties: {} },
    {
      EventSourceArn: 'arn:stream',
      FunctionName: 'Consumer',
      StartingPosition: 'TRIM_HORIZON',
      ...properties,
    },
  );
}

describe('deliverBatch', () => {
  it('completes a batch when the function returns', async () => {
    const result = await deliver({ records: records(1, 2), handler: () => returned(null) });

    expect(result).toEqual({ batches: [[1, 2]], discarded: [], progress: ['2'], waits: [] });
  });

  it('retries a failed batch with exponential backoff until it is processed', async () => {
    const result = await deliver({
      records: records(1, 2),
      handler: (_, invocation) => (invocation <= 9 ? failed : returned({})),
    });

    expect(result.batches).toEqual(Array(10).fill([1, 2]));
    expect(result.waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(result.progress).toEqual(['2']);
  });

  it('discards a batch after MaximumRetryAttempts retries', async () => {
    const result = await deliver({
      records: records(1, 2),
      mapping: { MaximumRetryAttempts: 2 },
      handler: () => failed,
    });

    expect(result.batches).toHaveLength(3);
    expect(result.discarded).toEqual([
      {
        records: records(1, 2),
        condition: 'RetryAttemptsExhausted',
        requestId: 'request-3',
        invokeCount: 3,
        functionError: 'Unhandled',
      },
    ]);
    expect(result.progress).toEqual(['2']);
  });

  it('bisects a failed batch without counting a retry until the failing record is alone', async () => {
    const result = await deliver({
      records: records(1, 2, 3, 4),
      mapping: { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1 },
      handler: (batch) => (batch.includes(3) ? failed : returned({})),
    });

    expect(result.batches).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [4]]);
    expect(result.discarded.map((batch) => batch.records)).toEqual([records(3)]);
    expect(result.progress).toEqual(['2', '3', '4']);
  });

  it('retries a batch of a tumbling window when the function returns no state', async () => {
    const window: OpenWindow = { startMs: 0, endMs: 900_000, state: { count: 1 } };
    const result = await deliver({
      records: records(1, 2),
      mapping: { TumblingWindowInSeconds: 900 },
      window,
      handler: (_, invocation) => returned(invocation > 1 ? { state: { count: 2 } } : {}),
    });

    expect(result.batches).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(result.progress).toEqual(['2']);
    expect(window.state).toEqual({ count: 2 });
  });

  it('discards only the records that exceed MaximumRecordAgeInSeconds', async () => {
    const result = await deliver({
      records: [record(1, 61), record(2, 59)],
      mapping: { MaximumRecordAgeInSeconds: 60 },
      handler: () => returned({}),
    });

    expect(result.batches).toEqual([[2]]);
    expect(result.discarded).toMatchObject([
      { records: [record(1, 61)], condition: 'RecordAgeExceeded', invokeCount: 0 },
    ]);
    expect(result.progress).toEqual(['1', '2']);
  });

  it('does not count the time before the start towards the record age', async () => {
    const result = await deliver({
      records: [record(1, 86_400)],
      mapping: { MaximumRecordAgeInSeconds: 60 },
      startedAtMs: nowMs - 1000,
      handler: () => returned({}),
    });

    expect(result.batches).toEqual([[1]]);
  });
});

describe('readStreamMapping', () => {
  it.each([
    [{ ParallelizationFactor: 2 }, 'supports only a ParallelizationFactor of 1'],
    [{ Topics: [] }, 'has Topics, which the local run does not emulate'],
    [{ StartingPosition: 'LATEST' }, 'supports only the StartingPosition TRIM_HORIZON'],
    [
      { DestinationConfig: { OnFailure: { Destination: 'arn:aws:sns:x' } } },
      'DestinationConfig.OnFailure.Destination: the local run supports only SQS queues',
    ],
  ])('rejects %j', (properties, message) => {
    expect(() => mappingOf(properties)).toThrow(message);
  });
});
