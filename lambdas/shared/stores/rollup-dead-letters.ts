/** Records of the stream that could not be counted, in the queue from which `rollups replay` takes them. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { JsonObject } from '../domain/json.ts';
import { forEachAtOnce } from '../domain/work-pool.ts';
import type { MessageSender } from './message-sender.ts';

export interface RollupDeadLetters {
  /** Resolves when the queue has all of them. One that is sent again does no harm. */
  send(shardId: string, records: readonly DynamoDBRecord[]): Promise<void>;
}

export interface RollupDeadLettersOptions {
  queueUrl: string;
  /** Called when the first record has to be sent: that is rare, and the client takes its time to load. */
  loadSender(): Promise<MessageSender>;
}

/** As many connections as the AWS SDK keeps. */
const messagesAtOnce = 50;

/** SQS takes 262,144 bytes, of which a character may need six. An entry of the gateway has some thousand. */
const longestMessage = 40_000;

export function createRollupDeadLetters({
  queueUrl,
  loadSender,
}: RollupDeadLettersOptions): RollupDeadLetters {
  let sender: MessageSender | undefined;
  return {
    async send(shardId, records) {
      if (records.length === 0) return;
      sender ??= await loadSender();
      const { send } = sender;
      await forEachAtOnce(records, messagesAtOnce, (record) => send(queueUrl, deadLetterOf(shardId, record)));
    },
  };
}

function deadLetterOf(shardId: string, { eventID, eventName, dynamodb }: DynamoDBRecord): JsonObject {
  const { NewImage, OldImage, SequenceNumber, Keys, ApproximateCreationDateTime } = dynamodb ?? {};
  const record = { eventID, eventName, SequenceNumber, Keys, ApproximateCreationDateTime };
  const letter = { kind: 'stream_record', shardId, record: { ...record, NewImage, OldImage } };
  if (JSON.stringify(letter).length <= longestMessage) return letter;
  return { ...letter, record, note: 'The images of the record are longer than a message may be' };
}
