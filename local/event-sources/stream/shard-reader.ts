/** Reads one shard of a stream in order and delivers each batch before it reads further. */
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { type BatcherOptions, createBatcher } from './batcher.ts';
import { toStreamRecord } from './records.ts';

export interface ShardReaderOptions extends BatcherOptions {
  client: DynamoDBStreamsClient;
  shardId: string;
  region: string;
}

/** As on AWS: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html. Polling is most of the cost of an idle gateway. */
const pollIntervalMs = 250;

/** Resolves when the shard is closed and read to its end; rejects when the local run stops. */
export async function readShard(options: ShardReaderOptions): Promise<void> {
  const { client, mapping, region, delivery } = options;
  const batcher = createBatcher(options);
  let iterator = await openIterator(options);
  while (iterator !== undefined) {
    const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
    const records = page.Records ?? [];
    for (const record of records) {
      await batcher.add(toStreamRecord(record, { streamArn: mapping.streamArn, region }));
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
}: ShardReaderOptions): Promise<string | undefined> {
  const shard = { StreamArn: mapping.streamArn, ShardId: shardId };
  const oldest = new GetShardIteratorCommand({ ...shard, ShardIteratorType: 'TRIM_HORIZON' });
  const { sequenceNumber } = position;
  if (sequenceNumber === undefined) return (await client.send(oldest)).ShardIterator;
  try {
    const resume = {
      ...shard,
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const,
      SequenceNumber: sequenceNumber,
    };
    return (await client.send(new GetShardIteratorCommand(resume))).ShardIterator;
  } catch (error) {
    if (!(error instanceof TrimmedDataAccessException)) throw error;
    return (await client.send(oldest)).ShardIterator;
  }
}

export async function listShards(client: DynamoDBStreamsClient, streamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let lastShardId: string | undefined;
  do {
    const page = await client.send(
      new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId: lastShardId }),
    );
    shards.push(...(page.StreamDescription?.Shards ?? []));
    lastShardId = page.StreamDescription?.LastEvaluatedShardId;
  } while (lastShardId !== undefined);
  return shards;
}

/** Excludes shards whose parent has not been read to its end, which preserves the order of changes to an item. */
export function readableShards(shards: readonly Shard[], finished: ReadonlySet<string>): string[] {
  const unfinished = new Set(
    shards.map((shard) => shard.ShardId).filter((id) => id !== undefined && !finished.has(id)),
  );
  return shards.flatMap(({ ShardId: id, ParentShardId: parent }) =>
    id === undefined || (parent !== undefined && unfinished.has(parent)) ? [] : [id],
  );
}
