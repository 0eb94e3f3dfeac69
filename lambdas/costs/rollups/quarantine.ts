/**
 * Records of the stream that the rollup function cannot read: an item for each, and a message in the dead-letter queue.
 *
 * A record that was quarantined once stays so, though another version of the function may meet it again and be able to
 * read it: that the sums lack the record, and that `rollups replay` is to add it, is decided here and nowhere else. The
 * same item says when that was done.
 */
import { GetCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { type MessageSender, queueRetentionMs } from '#lambdas/platform/aws/sqs.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { CostRollupsTable } from './item.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';
import { sequenceNumberIn, sortableNumber, streamRetentionMs } from './watermark.ts';

const { partitionKey, sortKey, expiry } = costRollupsSchema;

export interface Quarantine {
  /** The numbers of the quarantined records between two, both of these included. Strongly consistent. */
  find(shardId: string, range: { first: string; last: string }): Promise<ReadonlySet<string>>;
  add(shardId: string, sequenceNumbers: readonly string[]): Promise<void>;
}

export interface StreamRecordId {
  shardId: string;
  sequenceNumber: string;
}

/** As many connections as the AWS SDK keeps. */
const itemsAtOnce = 50;

/** The stream may bring the record again, and the queue then keeps its message. The day more is for what lags. */
const keptMs = streamRetentionMs + queueRetentionMs + 86_400_000;

export function quarantineKey({ shardId, sequenceNumber }: StreamRecordId): ItemKey {
  return { [partitionKey]: `quarantine#${shardId}`, [sortKey]: sortableNumber(sequenceNumber) };
}

export function quarantineExpiry(now: Date): number {
  return Math.floor((now.getTime() + keptMs) / 1000);
}

export function createQuarantine(table: CostRollupsTable, now: () => Date): Quarantine {
  const { client, tableName: TableName } = table;
  return {
    async find(shardId, { first, last }) {
      const from = quarantineKey({ shardId, sequenceNumber: first });
      const to = quarantineKey({ shardId, sequenceNumber: last });
      const pages = paginateQuery(
        { client },
        {
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: `${partitionKey} = :partition AND ${sortKey} BETWEEN :from AND :to`,
          ProjectionExpression: sortKey,
          ExpressionAttributeValues: {
            ':partition': from[partitionKey],
            ':from': from[sortKey],
            ':to': to[sortKey],
          },
        },
      );
      const found = new Set<string>();
      for await (const { Items = [] } of pages)
        for (const item of Items) found.add(sequenceNumberIn(String(item[sortKey])));
      return found;
    },

    add: (shardId, sequenceNumbers) =>
      forEachConcurrently(sequenceNumbers, itemsAtOnce, async (sequenceNumber) => {
        await client.send(
          new UpdateCommand({
            TableName,
            Key: quarantineKey({ shardId, sequenceNumber }),
            UpdateExpression: `SET ${expiry} = if_not_exists(${expiry}, :expiry)`,
            ExpressionAttributeValues: { ':expiry': quarantineExpiry(now()) },
          }),
        );
      }),
  };
}

/** Whether `rollups replay` has added the record. Strongly consistent. */
export async function isReplayed(
  { client, tableName }: CostRollupsTable,
  name: StreamRecordId,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: quarantineKey(name), ConsistentRead: true }),
  );
  return Item?.replayed_ms !== undefined;
}

/** The queue from which `rollups replay` takes quarantined records. */
export interface RollupDeadLetters {
  /** Resolves when the queue has all of them. A record that is sent again does no harm. */
  send(shardId: string, records: readonly DynamoDBRecord[]): Promise<void>;
}

export interface RollupDeadLettersOptions {
  queueUrl: string;
  sender: MessageSender;
}

/** Each over a connection of its own. */
const messagesAtOnce = 50;

/** SQS takes 262,144 bytes, of which a character may need six. An entry of the gateway has some thousand. */
const maxMessageLength = 40_000;

export function createRollupDeadLetters({ queueUrl, sender }: RollupDeadLettersOptions): RollupDeadLetters {
  return {
    async send(shardId, records) {
      await forEachConcurrently(records, messagesAtOnce, (record) =>
        sender.send(queueUrl, deadLetterOf(shardId, record)),
      );
    },
  };
}

function deadLetterOf(shardId: string, { eventID, eventName, dynamodb }: DynamoDBRecord): JsonObject {
  const { NewImage, OldImage, SequenceNumber, Keys, ApproximateCreationDateTime } = dynamodb ?? {};
  const record = { eventID, eventName, SequenceNumber, Keys, ApproximateCreationDateTime };
  const letter = { kind: 'stream_record', shardId, record: { ...record, NewImage, OldImage } };
  if (JSON.stringify(letter).length <= maxMessageLength) return letter;
  return { ...letter, record, note: 'The images of the record are longer than a message may be' };
}
