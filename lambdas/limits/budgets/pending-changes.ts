/**
 * The changes of budgets that are not in effect yet, in one partition of the Directory table: one item for each organization
 * and key with changes. Each write of an item is a record of the table's stream, which starts the budget function.
 */

import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { type DirectoryTable, queryPartition, updateRecordIf } from '#lambdas/access/directory-table.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { nullIfConditionFails, retryOnConflict } from '#lambdas/platform/dynamodb/conflicts.ts';
import {
  type Condition,
  conditionExpressions,
  equals,
  exists,
  ifNotExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { pendingChangesPartition } from '../schema.ts';
import type { BudgetScope } from './budget.ts';

export interface PendingChange {
  scope: BudgetScope;
  /** Increases with each change, and each time that the function is started again. */
  changes: number;
  /** The time of the first change, in RFC 3339. */
  since: string;
}

/** The table, with the clock for the times of changes. */
export interface BudgetChangesTable extends DirectoryTable {
  now(): Date;
}

/** All are in one partition. */
const maxConcurrentRestarts = 10;

/** The sort key of the organization's own budgets, instead of a key's id. */
export const organizationSortKey = 'organization';

export function scopeOf(organizationId: string, sortKey: string): BudgetScope {
  return { organizationId, keyId: sortKey === organizationSortKey ? null : sortKey };
}

function pendingKey({ organizationId, keyId }: BudgetScope) {
  return { pk: pendingChangesPartition, sk: `${organizationId}/${keyId ?? organizationSortKey}` };
}

function scopeOfPendingKey(sk: unknown): BudgetScope {
  const [organizationId = '', sortKey = ''] = String(sk).split('/');
  return scopeOf(organizationId, sortKey);
}

/** The scope of a record of the stream, whose filter lets only this partition through. */
export function scopeOfRecord({ dynamodb }: DynamoDBRecord): BudgetScope {
  return scopeOfPendingKey(dynamodb?.Keys?.sk?.S);
}

/** The item of the transaction that changes a budget. It is a new record of the stream even while an earlier change is pending. */
export function pendingChangeItem({ tableName, now }: BudgetChangesTable, scope: BudgetScope): TransactItem {
  return {
    Update: {
      TableName: tableName,
      Key: pendingKey(scope),
      ...updateExpressions({
        set: { pending_since: ifNotExists(now().toISOString()) },
        add: { changes: 1 },
      }),
    },
  };
}

export async function listPendingChanges(table: DirectoryTable): Promise<PendingChange[]> {
  const items = await queryPartition(table, pendingChangesPartition);
  return items.map(({ sk, changes, pending_since }) => ({
    scope: scopeOfPendingKey(sk),
    changes: Number(changes),
    since: String(pending_since),
  }));
}

/** Starts the budget function with a new record of the stream. Resolves to `false` if nothing is pending any more. */
export async function restartPendingChange(table: DirectoryTable, scope: BudgetScope): Promise<boolean> {
  const item = await updateRecordIf(table, {
    Key: pendingKey(scope),
    ...updateExpressions({ add: { changes: 1 } }, exists('pk')),
  });
  return item !== null;
}

/** Starts the budget function for each pending change. Resolves to those changes, the oldest first. */
export async function restartPendingChanges(table: DirectoryTable): Promise<PendingChange[]> {
  const restarted: PendingChange[] = [];
  await forEachConcurrently(await listPendingChanges(table), maxConcurrentRestarts, async (change) => {
    if (await restartPendingChange(table, change.scope)) restarted.push(change);
  });
  return restarted.sort((one, other) => one.since.localeCompare(other.since));
}

/** Resolves to `false` if there are more changes by now, which stay pending. */
export function removePendingChange(
  table: DirectoryTable,
  { scope, changes }: Pick<PendingChange, 'scope' | 'changes'>,
): Promise<boolean> {
  return deleteIf(table, pendingKey(scope), equals('changes', changes));
}

/** Writes an item that the transaction of a change may be writing at the same moment. Resolves to `null` when the condition fails. */
export function sendIf<Output>(send: () => Promise<Output>): Promise<Output | null> {
  return nullIfConditionFails(retryOnConflict(send));
}

/** Resolves to `false` when the condition fails. */
export async function deleteIf(
  { client, tableName }: DirectoryTable,
  Key: Item,
  condition: Condition,
): Promise<boolean> {
  const command = new DeleteCommand({ TableName: tableName, Key, ...conditionExpressions(condition) });
  return (await sendIf(() => client.send(command))) !== null;
}
