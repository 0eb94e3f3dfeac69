/** The records of a table's stream as the embedded engine gives them, all from its beginning on. */
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { type StreamRecord, toStreamRecord } from '#local/stream/stream-records.ts';

export interface StreamTail {
  shardId: string;
  /** All records that there are by now. */
  read(): Promise<readonly StreamRecord[]>;
  stop(): void;
}

/** Of a stream with one shard, as the engine makes them. */
export async function openStreamTail(endpoint: string, streamArn: string): Promise<StreamTail> {
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBStreamsClient({ endpoint, region, credentials });
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const [shardId, ...others] = (StreamDescription?.Shards ?? []).map(({ ShardId }) => ShardId);
  if (shardId === undefined || others.length > 0) throw new Error('The stream has not one shard');
  const first = await client.send(
    new GetShardIteratorCommand({
      StreamArn: streamArn,
      ShardId: shardId,
      ShardIteratorType: 'TRIM_HORIZON',
    }),
  );
  let iterator = first.ShardIterator;
  const records: StreamRecord[] = [];
  const readOn = async () => {
    for (;;) {
      const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator }));
      iterator = page.NextShardIterator;
      if (page.Records === undefined || page.Records.length === 0) return;
      records.push(...page.Records.map((record) => toStreamRecord(record, { streamArn, region })));
    }
  };
  // One after the other, or a record would be read twice.
  let reading = Promise.resolve();
  return {
    shardId,
    async read() {
      reading = reading.then(readOn);
      await reading;
      return records;
    },
    stop: () => client.destroy(),
  };
}
