/** Reads all records of a table's stream from the embedded DynamoDB. */
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { type StreamRecord, toStreamRecord } from '#local/event-sources/stream/records.ts';

export interface StreamTail {
  shardId: string;
  read(): Promise<readonly StreamRecord[]>;
  stop(): void;
}

/** The engine's streams have one shard. */
export async function openStreamTail(endpoint: string, streamArn: string): Promise<StreamTail> {
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBStreamsClient({ endpoint, region, credentials });
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const [shardId, ...others] = (StreamDescription?.Shards ?? []).map(({ ShardId }) => ShardId);
  if (shardId === undefined || others.length > 0) throw new Error('Expected a stream with one shard');
  const first = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shardId,
      ShardIteratorType: 'TRIM_HORIZON',
    }),
  );
  let iterator = first.ShardIterator;
  const records: StreamRecord[] = [];
  const readNewRecords = async () => {
    for (;;) {
      const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
      iterator = page.NextShardIterator;
      if (page.Records === undefined || page.Records.length === 0) return;
      records.push(...page.Records.map((record) => toStreamRecord(record, { streamArn, region })));
    }
  };
  // Concurrent reads would return records twice.
  let reading = Promise.resolve();
  return {
    shardId,
    async read() {
      reading = reading.then(readNewRecords);
      await reading;
      return records;
    },
    stop: () => client.destroy(),
  };
}
