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
  sender: MessageSender;
}

/** Each over a connection of its own. */
const messagesAtOnce = 50;

/** SQS takes 262,144 bytes, of which a character may need six. An entry of the gateway has some thousand. */
const longestMessage = 40_000;

export function createRollupDeadLetters({ queueUrl, sender }: RollupDeadLettersOptions): RollupDeadLetters {
  return {
    async send(shardId, records) {
      await forEachAtOnce(records, messagesAtOnce, (record) =>
        sender.send(queueUrl, deadLetterOf(shardId, record)),
      );
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
