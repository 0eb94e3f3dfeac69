/**
 * Calls that users have made with an idempotency key, in the partition of the user. A record is written in the transaction of the
 * call's change, so that the change is made once, however often the call is repeated within an hour. It has the hash of the request
 * and the id of what was created: never a key or a link, which are stored nowhere.
 */
import { createHash } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { hourMs } from '#lambdas/platform/duration.ts';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import { anyOf, compares, conditionExpressions, notExists } from '#lambdas/platform/dynamodb/expressions.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { type AccountsTable, type ItemKey, textOrNull } from './accounts-table.ts';
import { userPartition } from './schema.ts';

export interface IdempotentCall {
  userId: string;
  /** A UUID in lower case. */
  idempotencyKey: string;
  /** SHA-256 of method, path and body. */
  requestHash: string;
}

interface RecordedCall {
  requestHash: string;
  /** `null` if nothing had to be changed. */
  createdId: string | null;
}

const recordLifetimeMs = hourMs;

export function requestHashOf({ method, path }: { method: string; path: string }, body: string): string {
  return createHash('sha256').update(`${method} ${path}\n${body}`).digest('hex');
}

/** Strongly consistent. `null` without a record of the last hour. */
export async function findRecordedCall(
  { client, tableName: TableName }: AccountsTable,
  call: IdempotentCall,
  now: Date,
): Promise<RecordedCall | null> {
  const { Item } = await client.send(new GetCommand({ TableName, Key: itemKey(call), ConsistentRead: true }));
  // DynamoDB deletes expired items late.
  if (Item === undefined || String(Item.valid_until) <= now.toISOString()) return null;
  return { requestHash: String(Item.request_hash), createdId: textOrNull(Item.created_id) };
}

/** An item of the change's transaction. Fails if there is a record of the last hour. */
export function callRecordItem(
  { tableName: TableName }: AccountsTable,
  call: IdempotentCall,
  createdId: string | null,
  now: Date,
): { Put: NonNullable<TransactItem['Put']> } {
  const validUntilMs = now.getTime() + recordLifetimeMs;
  return {
    Put: {
      TableName,
      Item: {
        ...itemKey(call),
        request_hash: call.requestHash,
        created_id: createdId,
        valid_until: new Date(validUntilMs).toISOString(),
        expires_at: Math.ceil(validUntilMs / 1000),
      },
      ...conditionExpressions(anyOf(notExists('pk'), compares('valid_until', '<=', now.toISOString()))),
    },
  };
}

/** Records a call that had nothing to change. An earlier record stays. */
export async function recordUnchangedCall(
  accounts: AccountsTable,
  call: IdempotentCall,
  now: Date,
): Promise<void> {
  const { Put } = callRecordItem(accounts, call, null, now);
  await nullIfConditionFails(accounts.client.send(new PutCommand(Put)));
}

function itemKey({ userId, idempotencyKey }: IdempotentCall): ItemKey {
  return { pk: userPartition(userId), sk: `call#${idempotencyKey}` };
}
