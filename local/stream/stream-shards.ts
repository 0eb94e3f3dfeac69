/** The shards of a stream, and those of them that may be read. */
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  type Shard,
} from '@aws-sdk/client-dynamodb-streams';

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

/**
 * Returns shard ids. A shard is read once its parent has been read to its end: that keeps the order of an item's
 * changes.
 */
export function readableShards(shards: readonly Shard[], finished: ReadonlySet<string>): string[] {
  const unfinished = new Set(
    shards.map((shard) => shard.ShardId).filter((id) => id !== undefined && !finished.has(id)),
  );
  return shards.flatMap(({ ShardId: id, ParentShardId: parent }) =>
    id === undefined || (parent !== undefined && unfinished.has(parent)) ? [] : [id],
  );
}
