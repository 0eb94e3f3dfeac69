/**
 * Simulates the dead-letter queue and its replays. The queue is stored in the table, so that sending and deleting a message
 * are interruptible DynamoDB calls too.
 */

import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { replayRecord } from '#lambdas/costs/repair/replay-record.ts';
import type { RollupDeadLetterQueue } from '#lambdas/costs/rollups/quarantine.ts';
import { toRollupRecord } from '#lambdas/costs/rollups/row-updates.ts';
import { startRun } from './interruptible-run.ts';
import type { RollupFixture } from './rollup-fixture.ts';

export interface Message {
  key: { pk: string; sk: string };
  shardId: string;
  record: DynamoDBRecord;
}

const queueKeyOf = ({ organizations }: RollupFixture) => `queue ${organizations[0]?.id}`;

export function createDeadLetterQueue(
  fixture: RollupFixture,
  client: DynamoDBDocumentClient,
): RollupDeadLetterQueue {
  return {
    async send(shardId, records) {
      for (const record of records) {
        fixture.sentMessages += 1;
        const Item = {
          pk: queueKeyOf(fixture),
          sk: String(fixture.sentMessages),
          message: JSON.stringify({ shardId, record }),
        };
        await client.send(new PutCommand({ TableName: fixture.table.tableName, Item }));
      }
    },
  };
}

export async function readMessages(fixture: RollupFixture): Promise<Message[]> {
  const { Items = [] } = await fixture.client.send(
    new QueryCommand({
      TableName: fixture.table.tableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': queueKeyOf(fixture) },
    }),
  );
  return Items.map(({ pk, sk, message }) => ({ key: { pk, sk }, ...JSON.parse(message) }));
}

/** Starts a replay of some messages, in reverse order. */
export async function startReplay(fixture: RollupFixture, pick: number, size: number): Promise<void> {
  const messages = (await readMessages(fixture)).reverse();
  const from = pick % Math.max(messages.length, 1);
  const selected = messages.slice(from, from + size);
  fixture.replays.push(await startRun(fixture.client, (client) => replay(fixture, client, selected)));
}

/** Adds readable records and deletes their messages. The operator's version reads all records that are not malformed. */
async function replay(
  fixture: RollupFixture,
  client: DynamoDBDocumentClient,
  messages: Message[],
): Promise<void> {
  const costRollups = { ...fixture.table, client };
  const now = () => new Date(fixture.nowMs);
  for (const { key, shardId, record } of messages) {
    if (isMalformed(record)) continue;
    await replayRecord(
      { costRollups, budgetCounters: { client, tableName: 'BudgetCounters' }, now, pause: async () => {} },
      { shardId, record: toRollupRecord(record) },
    );
    await client.send(new DeleteCommand({ TableName: costRollups.tableName, Key: key }));
  }
}

export function isMalformed({ dynamodb }: DynamoDBRecord): boolean {
  return dynamodb?.NewImage?.organization_id === undefined;
}
