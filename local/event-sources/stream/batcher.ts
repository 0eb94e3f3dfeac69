/** Collects the records of a shard until the batch is full, or its batching or tumbling window ends. */

import { closeWindow, type Delivery, deliverBatch, type ShardDelivery } from './batch-delivery.ts';
import type { StreamMapping } from './mapping.ts';
import type { OpenWindow, ShardPosition } from './positions.ts';
import { arrivalMs, type StreamRecord } from './records.ts';

export interface BatcherOptions {
  mapping: StreamMapping;
  delivery: ShardDelivery;
  position: ShardPosition;
  savePosition(position: ShardPosition): void;
}

/** Each method resolves when the batches that it completed have been delivered. */
interface Batcher {
  add(record: StreamRecord): Promise<void>;
  /** Called after each read. `caughtUp` is `true` when the read returned no records. */
  tick(read: { caughtUp: boolean }): Promise<void>;
  finish(): Promise<void>;
}

interface BatcherState {
  options: BatcherOptions;
  delivery: Delivery;
  position: ShardPosition;
  buffered: StreamRecord[];
  bufferedSinceMs: number;
  /** Sequence number of the last record read, whether or not it passed the filter. */
  lastRead: string | undefined;
}

export function createBatcher(options: BatcherOptions): Batcher {
  const state: BatcherState = {
    options,
    delivery: { ...options.delivery, onProgress: (sequenceNumber) => advanceTo(state, sequenceNumber) },
    position: { ...options.position },
    buffered: [],
    bufferedSinceMs: 0,
    lastRead: undefined,
  };
  return {
    add: (record) => add(state, record),
    tick: (read) => tick(state, read),
    finish: () => endWindow(state),
  };
}

async function add(state: BatcherState, record: StreamRecord): Promise<void> {
  const { mapping } = state.options;
  const { position } = state;
  if (!mapping.filter(record)) {
    state.lastRead = record.dynamodb.SequenceNumber;
    return;
  }
  const window = windowOf(record, mapping.tumblingWindowMs);
  if (position.window !== undefined && window !== undefined && window.startMs > position.window.startMs) {
    await endWindow(state);
  }
  position.window ??= window;
  state.lastRead = record.dynamodb.SequenceNumber;
  if (state.buffered.length === 0) state.bufferedSinceMs = state.delivery.now();
  state.buffered.push(record);
  if (state.buffered.length >= mapping.batchSize) await flush(state);
}

async function tick(state: BatcherState, { caughtUp }: { caughtUp: boolean }): Promise<void> {
  const { options, delivery, position, buffered, bufferedSinceMs } = state;
  const now = delivery.now();
  if (buffered.length === 0 || now - bufferedSinceMs >= options.mapping.batchingWindowMs) await flush(state);
  if (caughtUp && position.window !== undefined && now >= position.window.endMs) await endWindow(state);
}

async function flush(state: BatcherState): Promise<void> {
  const { delivery, position, buffered: records } = state;
  state.buffered = [];
  if (records.length > 0) await deliverBatch(delivery, { records, window: position.window });
  const { lastRead } = state;
  if (lastRead !== undefined && lastRead !== position.sequenceNumber) advanceTo(state, lastRead);
}

async function endWindow(state: BatcherState): Promise<void> {
  const { delivery, position } = state;
  await flush(state);
  if (position.window !== undefined) await closeWindow(delivery, position.window);
  position.window = undefined;
  savePosition(state);
}

function advanceTo(state: BatcherState, sequenceNumber: string): void {
  state.position.sequenceNumber = sequenceNumber;
  savePosition(state);
}

function savePosition({ options, position }: BatcherState): void {
  options.savePosition({ ...position });
}

/** Tumbling windows are aligned to multiples of their length since the Unix epoch. */
function windowOf(record: StreamRecord, lengthMs: number): OpenWindow | undefined {
  if (lengthMs === 0) return undefined;
  const startMs = Math.floor(arrivalMs(record) / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs, state: {} };
}
