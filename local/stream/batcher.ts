/** Collects a shard's records until a batch is full, its time is up, or its tumbling window ends. */
import { closeWindow, type Delivery, deliverBatch, type ShardDelivery } from './batch-delivery.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import type { OpenWindow, ShardPosition } from './stream-positions.ts';
import { arrivalMs, type StreamRecord } from './stream-records.ts';

export interface BatcherParts {
  mapping: EventSourceMapping;
  delivery: ShardDelivery;
  /** To go on from. */
  position: ShardPosition;
  savePosition(position: ShardPosition): void;
}

/** Each resolves when what it made complete has been delivered. */
export interface Batcher {
  add(record: StreamRecord): Promise<void>;
  /** After each read. `caughtUp` when there was nothing to read. */
  tick(read: { caughtUp: boolean }): Promise<void>;
  /** At the end of the shard. */
  finish(): Promise<void>;
}

interface Batching {
  parts: BatcherParts;
  delivery: Delivery;
  /** Moves with what is delivered. */
  position: ShardPosition;
  waiting: StreamRecord[];
  waitingSinceMs: number;
  /** The last record read, whether or not the filter let it through. */
  lastSeen: string | undefined;
}

export function createBatcher(parts: BatcherParts): Batcher {
  const batching: Batching = {
    parts,
    delivery: { ...parts.delivery, onProgress: (sequenceNumber) => moveTo(batching, sequenceNumber) },
    position: { ...parts.position },
    waiting: [],
    waitingSinceMs: 0,
    lastSeen: undefined,
  };
  return {
    add: (record) => add(batching, record),
    tick: (read) => tick(batching, read),
    finish: () => leaveWindow(batching),
  };
}

async function add(batching: Batching, record: StreamRecord): Promise<void> {
  const { mapping } = batching.parts;
  const { position } = batching;
  if (!mapping.accepts(record)) {
    batching.lastSeen = record.dynamodb.SequenceNumber;
    return;
  }
  const window = windowOf(record, mapping.tumblingWindowMs);
  if (position.window !== undefined && window !== undefined && window.startMs > position.window.startMs) {
    await leaveWindow(batching);
  }
  position.window ??= window;
  batching.lastSeen = record.dynamodb.SequenceNumber;
  if (batching.waiting.length === 0) batching.waitingSinceMs = batching.delivery.now();
  batching.waiting.push(record);
  if (batching.waiting.length >= mapping.batchSize) await flush(batching);
}

async function tick(batching: Batching, { caughtUp }: { caughtUp: boolean }): Promise<void> {
  const { parts, delivery, position, waiting, waitingSinceMs } = batching;
  const now = delivery.now();
  if (waiting.length === 0 || now - waitingSinceMs >= parts.mapping.batchingWindowMs) await flush(batching);
  if (caughtUp && position.window !== undefined && now >= position.window.endMs) await leaveWindow(batching);
}

async function flush(batching: Batching): Promise<void> {
  const { delivery, position, waiting: records } = batching;
  batching.waiting = [];
  if (records.length > 0) await deliverBatch(delivery, { records, window: position.window });
  const { lastSeen } = batching;
  if (lastSeen !== undefined && lastSeen !== position.sequenceNumber) moveTo(batching, lastSeen);
}

/** Ends the tumbling window that a record, or the clock, has left behind. */
async function leaveWindow(batching: Batching): Promise<void> {
  const { delivery, position } = batching;
  await flush(batching);
  if (position.window !== undefined) await closeWindow(delivery, position.window);
  position.window = undefined;
  savePosition(batching);
}

function moveTo(batching: Batching, sequenceNumber: string): void {
  batching.position.sequenceNumber = sequenceNumber;
  savePosition(batching);
}

function savePosition({ parts, position }: Batching): void {
  parts.savePosition({ ...position });
}

/** Windows are as long as the mapping says and start at multiples of that since 1970. */
function windowOf(record: StreamRecord, lengthMs: number): OpenWindow | undefined {
  if (lengthMs === 0) return undefined;
  const startMs = Math.floor(arrivalMs(record) / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs, state: {} };
}
