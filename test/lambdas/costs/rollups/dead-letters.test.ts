import type { DynamoDBRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
import { createRollupDeadLetterQueue } from '#lambdas/costs/rollups/quarantine.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

const queueUrl = 'https://sqs.example.com/1/DeadLetters';
const dynamodb = {
  SequenceNumber: '100',
  ApproximateCreationDateTime: 1_769_850_600,
  Keys: { organization_shard: { S: 'org_1#0' }, id: { S: 'x' } },
  NewImage: { id: { S: 'x' } },
  OldImage: { id: { S: 'y' } },
};
const record: DynamoDBRecord = { eventID: 'event-1', eventName: 'MODIFY', eventSourceARN: 'arn', dynamodb };

it('sends each record with the fields needed for a replay and its shard', async () => {
  const sent: [string, JsonObject][] = [];
  const sender = { send: async (...message: [string, JsonObject]) => void sent.push(message) };
  const deadLetters = createRollupDeadLetterQueue({ queueUrl, sender });
  await deadLetters.send('shardId-1', []);
  await deadLetters.send('shardId-1', [record]);
  await deadLetters.send('shardId-1', [record]);
  const message = {
    kind: 'stream_record',
    shardId: 'shardId-1',
    record: { eventID: 'event-1', eventName: 'MODIFY', ...dynamodb },
  };
  expect(sent).toEqual([
    [queueUrl, message],
    [queueUrl, message],
  ]);
});

it('omits images that exceed the message size, and adds a note', async () => {
  const sent: JsonObject[] = [];
  const sender = { send: async (_: string, message: JsonObject) => void sent.push(message) };
  const OldImage = { id: { S: 'y'.repeat(40_000) } };
  await createRollupDeadLetterQueue({ queueUrl, sender }).send('shardId-1', [
    { ...record, dynamodb: { ...dynamodb, OldImage } },
  ]);
  const { NewImage: _new, OldImage: _old, ...rest } = dynamodb;
  expect(sent).toEqual([
    {
      kind: 'stream_record',
      shardId: 'shardId-1',
      record: { eventID: 'event-1', eventName: 'MODIFY', ...rest },
      note: 'The images of the record are longer than a message may be',
    },
  ]);
});

it('rejects when the queue rejects a record', async () => {
  const sender = { send: () => Promise.reject(new Error('The queue is unavailable')) };
  const sending = createRollupDeadLetterQueue({ queueUrl, sender }).send('shardId-1', [record]);
  await expect(sending).rejects.toThrow('The queue is unavailable');
});
