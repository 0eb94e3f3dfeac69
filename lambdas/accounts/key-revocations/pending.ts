/**
 * The removed members whose keys are still to be revoked, in one partition of the Directory table. Each is written in the
 * transaction that ends the membership, and starts the function `KeyRevocations` through the table's stream, as does each
 * further write of it: a function that was killed is continued.
 */
import { type DirectoryTable, queryPartition } from '#lambdas/access/directory-table.ts';
import type { Actor } from '#lambdas/audit/record.ts';
import {
  conditionExpressions,
  equals,
  exists,
  ifNotExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import type { Membership } from '../members/membership.ts';
import { keyRevocationsPartition } from '../schema.ts';

export interface KeyRevocation {
  organizationId: string;
  /** The removed member. */
  userId: string;
  /** The member's name or address; `null` for a user whose account is deleted. */
  userName: string | null;
  /** The end of the membership, in RFC 3339. */
  removedAt: string;
  /** Has removed the member. The keys are revoked in this name. */
  actor: Actor;
  /** Joins its audit records. */
  operationId: string;
  revokedKeys: number;
  /** `null` until they have been counted. */
  totalKeys: number | null;
}

type RevocationId = Pick<KeyRevocation, 'organizationId' | 'userId'>;

/** A member who was removed, came back and is removed again replaces the revocation: it covers the earlier keys too. */
export function pendingRevocationItem(
  { tableName: TableName }: DirectoryTable,
  { organizationId, userId }: Membership,
  {
    userName,
    removedAt,
    actor,
    operationId,
  }: Omit<KeyRevocation, keyof RevocationId | 'revokedKeys' | 'totalKeys'>,
): TransactItem {
  const fields = { user_name: userName, removed_at: removedAt, actor, operation_id: operationId };
  return { Put: { TableName, Item: { ...itemKey({ organizationId, userId }), ...fields, revoked_keys: 0 } } };
}

/** Without an organization, those of all. */
export async function listKeyRevocations(
  table: DirectoryTable,
  organizationId?: string,
): Promise<KeyRevocation[]> {
  const prefix = organizationId === undefined ? undefined : `${organizationId}/`;
  return (await queryPartition(table, keyRevocationsPartition, prefix)).map(toRevocation);
}

/** Fails if another removal has replaced it. The first batch also stores how many keys there are. */
export function progressItem(
  { tableName: TableName }: DirectoryTable,
  revocation: KeyRevocation,
  { revokedKeys, totalKeys }: { revokedKeys: number; totalKeys: number },
): TransactItem {
  return {
    Update: {
      TableName,
      Key: itemKey(revocation),
      ...updateExpressions(
        { set: { total_keys: ifNotExists(totalKeys) }, add: { revoked_keys: revokedKeys } },
        ...isSame(revocation),
      ),
    },
  };
}

/** Fails like `progressItem`. */
export function endItem({ tableName: TableName }: DirectoryTable, revocation: KeyRevocation): TransactItem {
  return {
    Delete: { TableName, Key: itemKey(revocation), ...conditionExpressions(...isSame(revocation)) },
  };
}

function isSame({ operationId }: KeyRevocation) {
  return [exists('pk'), equals('operation_id', operationId)] as const;
}

function itemKey({ organizationId, userId }: RevocationId) {
  return { pk: keyRevocationsPartition, sk: `${organizationId}/${userId}` };
}

function toRevocation(item: Item): KeyRevocation {
  const [organizationId = '', userId = ''] = String(item.sk).split('/');
  return {
    organizationId,
    userId,
    userName: item.user_name === null ? null : String(item.user_name),
    removedAt: String(item.removed_at),
    actor: item.actor as Actor,
    operationId: String(item.operation_id),
    revokedKeys: Number(item.revoked_keys),
    totalKeys: item.total_keys === undefined ? null : Number(item.total_keys),
  };
}
