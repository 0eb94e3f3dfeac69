/**
 * The dead-letter queue, and replays of what is in it. The queue is kept in the table, so that sending a message and
 * deleting it are calls like all others, which can fail and after which a run can end.
 */

import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { replayRecord } from '#lambdas/costs/repair/replay-record.ts';
import { rollupRecordOf } from '#lambdas/costs/rollups/increments.ts';
import type { RollupDeadLetters } from '#lambdas/costs/rollups/quarantine.ts';
import { startRun } from './interrupted-run.ts';
import type { World } from './rollup-world.ts';

export interface Message {
  key: { pk: string; sk: string };
  shardId: string;
  record: DynamoDBRecord;
}

const queueOf = ({ organizations }: World) => `queue ${organizations[0]?.id}`;

export function deadLettersOf(world: World, client: DynamoDBDocumentClient): RollupDeadLetters {
  return {
    async send(shardId, records) {
      for (const record of records) {
        world.sent += 1;
        const Item = {
          pk: queueOf(world),
          sk: String(world.sent),
          message: JSON.stringify({ shardId, record }),
        };
        await client.send(new PutCommand({ TableName: world.table.tableName, Item }));
      }
    },
  };
}

export async function messagesOf(world: World): Promise<Message[]> {
  const { Items = [] } = await world.client.send(
    new QueryCommand({
      TableName: world.table.tableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': queueOf(world) },
    }),
  );
  return Items.map(({ pk, sk, message }) => ({ key: { pk, sk }, ...JSON.parse(message) }));
}

/** Of some of the messages, the last ones first. */
export async function beginReplay(world: World, pick: number, size: number): Promise<void> {
  const messages = (await messagesOf(world)).reverse();
  const from = pick % Math.max(messages.length, 1);
  const chosen = messages.slice(from, from + size);
  world.replays.push(await startRun(world.client, (client) => replay(world, client, chosen)));
}

/** What can be read is added, and then its message deleted. The operator's version reads what is odd. */
async function replay(world: World, client: DynamoDBDocumentClient, messages: Message[]): Promise<void> {
  const costRollups = { ...world.table, client };
  const now = () => new Date(world.nowMs);
  for (const { key, shardId, record } of messages) {
    if (isForeign(record)) continue;
    await replayRecord(
      { costRollups, now, pause: async () => {} },
      { shardId, record: rollupRecordOf(record) },
    );
    await client.send(new DeleteCommand({ TableName: costRollups.tableName, Key: key }));
  }
}

export function isForeign({ dynamodb }: DynamoDBRecord): boolean {
  return dynamodb?.NewImage?.organization_id === undefined;
}
