/**
 * Quarantines stream records that the rollup function cannot read: an item for each, and a message in the dead-letter queue.
 *
 * The item alone decides that the rollups do not include the record and that `rollups replay` has to add it. So a record
 * stays quarantined, even if another version of the function receives it again and could read it. The same item stores
 * when the record was replayed.
 */

import { GetCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { type MessageSender, queueRetentionMs } from '#lambdas/platform/aws/sqs.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { ifNotExists, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import { maxConnections } from '#lambdas/platform/dynamodb/sdk-table.ts';
import {
  parseSortableNumber,
  sortableNumber,
  streamRetentionMs,
} from '#lambdas/platform/dynamodb/watermark.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { CostRollupsTable } from './item.ts';
import { costRollupsSchema, type ItemKey } from './schema.ts';

const { partitionKey, sortKey, expiry } = costRollupsSchema;

export interface Quarantine {
  /** The sequence numbers of the quarantined records in the range, both ends included. Strongly consistent. */
  find(shardId: string, range: { first: string; last: string }): Promise<ReadonlySet<string>>;
  add(shardId: string, sequenceNumbers: readonly string[]): Promise<void>;
}

export interface StreamRecordId {
  shardId: string;
  sequenceNumber: string;
}

/** Longer than the record can be redelivered and its message can stay in the queue, with a day as a margin. */
const quarantineRetentionMs = streamRetentionMs + queueRetentionMs + dayMs;

export function quarantineKey({ shardId, sequenceNumber }: StreamRecordId): ItemKey {
  return { [partitionKey]: `quarantine#${shardId}`, [sortKey]: sortableNumber(sequenceNumber) };
}

export function quarantineExpiry(now: Date): number {
  return Math.floor((now.getTime() + quarantineRetentionMs) / 1000);
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
        for (const item of Items) found.add(parseSortableNumber(String(item[sortKey])));
      return found;
    },

    add: (shardId, sequenceNumbers) =>
      forEachConcurrently(sequenceNumbers, maxConnections, async (sequenceNumber) => {
        await client.send(
          new UpdateCommand({
            TableName,
            Key: quarantineKey({ shardId, sequenceNumber }),
            ...updateExpressions({ set: { [expiry]: ifNotExists(quarantineExpiry(now())) } }),
          }),
        );
      }),
  };
}

export async function isReplayed(
  { client, tableName }: CostRollupsTable,
  recordId: StreamRecordId,
): Promise<boolean> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: quarantineKey(recordId), ConsistentRead: true }),
  );
  return Item?.replayed_ms !== undefined;
}

/** Consumed by `rollups replay`. */
export interface RollupDeadLetterQueue {
  /** Duplicates are harmless. */
  send(shardId: string, records: readonly DynamoDBRecord[]): Promise<void>;
}

interface RollupDeadLetterQueueOptions {
  queueUrl: string;
  sender: MessageSender;
}

/** Each uses its own connection. */
const maxConcurrentMessages = 50;

/** In characters. SQS allows 262,144 bytes, and a character may take six; the gateway's entries have a few thousand. */
const maxMessageLength = 40_000;

export function createRollupDeadLetterQueue({
  queueUrl,
  sender,
}: RollupDeadLetterQueueOptions): RollupDeadLetterQueue {
  return {
    async send(shardId, records) {
      await forEachConcurrently(records, maxConcurrentMessages, (record) =>
        sender.send(queueUrl, toDeadLetter(shardId, record)),
      );
    },
  };
}

function toDeadLetter(shardId: string, { eventID, eventName, dynamodb }: DynamoDBRecord): JsonObject {
  const { NewImage, OldImage, SequenceNumber, Keys, ApproximateCreationDateTime } = dynamodb ?? {};
  const record = { eventID, eventName, SequenceNumber, Keys, ApproximateCreationDateTime };
  const message = { kind: 'stream_record', shardId, record: { ...record, NewImage, OldImage } };
  if (JSON.stringify(message).length <= maxMessageLength) return message;
  return { ...message, record, note: 'The images of the record are longer than a message may be' };
}
