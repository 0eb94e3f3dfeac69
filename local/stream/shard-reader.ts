/** Reads one shard of a stream in order, cuts it into batches, and has each delivered before it reads on. */
import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { closeWindow, type Delivery, deliverBatch } from './batch-delivery.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import type { OpenWindow, ShardPosition } from './stream-positions.ts';
import { arrivalMs, type StreamRecord, toStreamRecord } from './stream-records.ts';

export interface ShardReader {
  client: DynamoDBStreamsClient;
  mapping: EventSourceMapping;
  shardId: string;
  region: string;
  delivery: Omit<Delivery, 'onProgress'>;
  position: ShardPosition;
  savePosition(position: ShardPosition): void;
}

/** Lambda reads a shard four times a second; here a log entry should be counted sooner. */
const pollIntervalMs = 100;

/** Resolves when the shard has been closed and read to its end; rejects when the local run stops. */
export async function readShard(reader: ShardReader): Promise<void> {
  const { client, mapping, delivery } = reader;
  const batcher = createBatcher(reader);
  let iterator = await openIterator(reader);
  while (iterator !== undefined) {
    const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
    const records = page.Records ?? [];
    for (const record of records) {
      await batcher.add(toStreamRecord(record, { streamArn: mapping.streamArn, region: reader.region }));
    }
    await batcher.tick({ caughtUp: records.length === 0 });
    iterator = page.NextShardIterator;
    if (records.length === 0) await delivery.wait(pollIntervalMs);
  }
  await batcher.finish();
}

async function openIterator({
  client,
  mapping,
  shardId,
  position,
}: ShardReader): Promise<string | undefined> {
  const shard = { StreamArn: mapping.streamArn, ShardId: shardId };
  const start = { ...shard, ShardIteratorType: mapping.startingPosition };
  const { sequenceNumber } = position;
  if (sequenceNumber === undefined)
    return (await client.send(new GetShardIteratorCommand(start))).ShardIterator;
  try {
    const resume = {
      ...shard,
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const,
      SequenceNumber: sequenceNumber,
    };
    return (await client.send(new GetShardIteratorCommand(resume))).ShardIterator;
  } catch (error) {
    if (!(error instanceof TrimmedDataAccessException)) throw error;
    const oldest = { ...shard, ShardIteratorType: 'TRIM_HORIZON' as const };
    return (await client.send(new GetShardIteratorCommand(oldest))).ShardIterator;
  }
}

/** Collects records until a batch is full, its time is up, or its tumbling window ends. */
function createBatcher(reader: ShardReader) {
  const { mapping, delivery } = reader;
  const position: ShardPosition = { ...reader.position };
  const batchDelivery: Delivery = { ...delivery, onProgress: moveTo };
  let waiting: StreamRecord[] = [];
  let waitingSinceMs = 0;
  /** The last record read, whether or not the filter let it through. */
  let lastSeen: string | undefined;

  function moveTo(sequenceNumber: string): void {
    position.sequenceNumber = sequenceNumber;
    reader.savePosition({ ...position });
  }

  async function flush(): Promise<void> {
    const records = waiting;
    waiting = [];
    if (records.length > 0) await deliverBatch(batchDelivery, { records, window: position.window });
    if (lastSeen !== undefined && lastSeen !== position.sequenceNumber) moveTo(lastSeen);
  }

  /** Ends the tumbling window that a record, or the clock, has left behind. */
  async function leaveWindow(): Promise<void> {
    await flush();
    if (position.window !== undefined) await closeWindow(batchDelivery, position.window);
    position.window = undefined;
    reader.savePosition({ ...position });
  }

  return {
    async add(record: StreamRecord): Promise<void> {
      if (!mapping.accepts(record)) {
        lastSeen = record.dynamodb.SequenceNumber;
        return;
      }
      const window = windowOf(record, mapping.tumblingWindowMs);
      if (position.window !== undefined && window !== undefined && window.startMs > position.window.startMs) {
        await leaveWindow();
      }
      position.window ??= window;
      lastSeen = record.dynamodb.SequenceNumber;
      if (waiting.length === 0) waitingSinceMs = delivery.now();
      waiting.push(record);
      if (waiting.length >= mapping.batchSize) await flush();
    },
    /** After each read. `caughtUp` when there was nothing to read. */
    async tick({ caughtUp }: { caughtUp: boolean }): Promise<void> {
      const now = delivery.now();
      if (waiting.length === 0 || now - waitingSinceMs >= mapping.batchingWindowMs) await flush();
      if (caughtUp && position.window !== undefined && now >= position.window.endMs) await leaveWindow();
    },
    async finish(): Promise<void> {
      await leaveWindow();
    },
  };
}

/** Windows are as long as the mapping says and start at multiples of that since 1970. */
function windowOf(record: StreamRecord, lengthMs: number): OpenWindow | undefined {
  if (lengthMs === 0) return undefined;
  const startMs = Math.floor(arrivalMs(record) / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs, state: {} };
}
