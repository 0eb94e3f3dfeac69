/**
 * The members of organizations in the Accounts table. The item of a membership is the only place of the role; a pointer in
 * the partition of the user finds it. The number of owners has an item of its own, so that a transaction can refuse to
 * remove the last one. All reads are strongly consistent.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import {
  compares,
  conditionExpressions,
  equals,
  notExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { type AccountsTable, type ItemKey, queryItems } from '../accounts-table.ts';
import type { Role } from '../permissions.ts';
import { organizationPartition, userPartition } from '../schema.ts';
import type { Membership } from './membership.ts';

const memberPrefix = 'member#';
const pointerPrefix = 'organization#';

export async function findMembership(
  { client, tableName: TableName }: AccountsTable,
  organizationId: string,
  userId: string,
): Promise<Membership | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName, Key: memberKey({ organizationId, userId }), ConsistentRead: true }),
  );
  return Item === undefined ? null : toMembership(Item);
}

/** By user id. Users who are no members are left out. */
export async function findRoles(
  table: AccountsTable,
  organizationId: string,
  userIds: readonly string[],
): Promise<Map<string, Role>> {
  const keys = userIds.map((userId) => memberKey({ organizationId, userId }));
  const items = await batchGet(table, keys);
  return new Map(items.map(toMembership).map(({ userId, role }) => [userId, role]));
}

/** Oldest first. */
export async function listMembershipsOfUser(table: AccountsTable, userId: string): Promise<Membership[]> {
  const pointers = await queryItems(table, userPartition(userId), pointerPrefix);
  const keys = pointers.map((pointer) =>
    memberKey({ organizationId: String(pointer.organization_id), userId }),
  );
  return (await batchGet(table, keys)).map(toMembership).sort(byJoining);
}

/** Oldest first. */
export async function listMembershipsOfOrganization(
  table: AccountsTable,
  organizationId: string,
): Promise<Membership[]> {
  const items = await queryItems(table, organizationPartition(organizationId), memberPrefix);
  return items.map(toMembership).sort(byJoining);
}

/** Fails if the membership has changed or ended; for the role `null`, if the user is a member. */
export function membershipCheck(
  { tableName: TableName }: AccountsTable,
  { role, ...id }: MembershipId & { role: Role | null },
): NonNullable<TransactItem['ConditionCheck']> {
  return {
    TableName,
    Key: memberKey(id),
    ...conditionExpressions(role === null ? notExists('pk') : equals('role', role)),
  };
}

/** The first item fails for a member. */
export function joinItems(table: AccountsTable, membership: Membership): TransactItem[] {
  const { tableName: TableName } = table;
  const { organizationId, userId, role, joinedAt } = membership;
  const pointer = { organization_id: organizationId, joined_at: joinedAt };
  return [
    {
      Put: {
        TableName,
        Item: { ...memberKey(membership), ...pointer, user_id: userId, role },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    { Put: { TableName, Item: { ...pointerKey(membership), ...pointer } } },
    ...(role === 'owner' ? [addOwner(table, organizationId)] : []),
  ];
}

/** The first item fails if the membership has changed or ended, and the last one for the last owner. */
export function leaveItems(table: AccountsTable, membership: Membership): TransactItem[] {
  const { organizationId, role } = membership;
  return [
    { Delete: membershipCheck(table, membership) },
    { Delete: { TableName: table.tableName, Key: pointerKey(membership) } },
    ...(role === 'owner' ? [subtractOwner(table, organizationId)] : []),
  ];
}

/** Like `leaveItems`. */
export function roleChangeItems(table: AccountsTable, membership: Membership, role: Role): TransactItem[] {
  const { organizationId, role: before } = membership;
  return [
    {
      Update: {
        TableName: table.tableName,
        Key: memberKey(membership),
        ...updateExpressions({ set: { role } }, equals('role', before)),
      },
    },
    ...(role === 'owner' && before !== 'owner' ? [addOwner(table, organizationId)] : []),
    ...(role !== 'owner' && before === 'owner' ? [subtractOwner(table, organizationId)] : []),
  ];
}

/** Remove all members of an organization. None of them fails. Owners come last. */
export async function membershipDeletionItems(
  table: AccountsTable,
  organizationId: string,
): Promise<TransactItem[]> {
  const memberships = await listMembershipsOfOrganization(table, organizationId);
  // If a deletion in several transactions fails in between, an owner remains who can repeat it.
  const ownersLast = memberships.sort(
    (one, other) => Number(one.role === 'owner') - Number(other.role === 'owner'),
  );
  const keys = ownersLast.flatMap((membership) => [pointerKey(membership), memberKey(membership)]);
  return [...keys, ownersKey(organizationId)].map((Key) => ({ Delete: { TableName: table.tableName, Key } }));
}

function addOwner({ tableName: TableName }: AccountsTable, organizationId: string): TransactItem {
  return {
    Update: {
      TableName,
      Key: ownersKey(organizationId),
      ...updateExpressions({ add: { count: 1 } }),
    },
  };
}

function subtractOwner({ tableName: TableName }: AccountsTable, organizationId: string): TransactItem {
  return {
    Update: {
      TableName,
      Key: ownersKey(organizationId),
      ...updateExpressions({ add: { count: -1 } }, compares('count', '>', 1)),
    },
  };
}

type MembershipId = Pick<Membership, 'organizationId' | 'userId'>;

function memberKey({ organizationId, userId }: MembershipId): ItemKey {
  return { pk: organizationPartition(organizationId), sk: memberPrefix + userId };
}

function pointerKey({ organizationId, userId }: MembershipId): ItemKey {
  return { pk: userPartition(userId), sk: pointerPrefix + organizationId };
}

function ownersKey(organizationId: string): ItemKey {
  return { pk: organizationPartition(organizationId), sk: 'owners' };
}

function toMembership(item: Item): Membership {
  return {
    organizationId: String(item.organization_id),
    userId: String(item.user_id),
    role: item.role as Role,
    joinedAt: String(item.joined_at),
  };
}

function byJoining(one: Membership, other: Membership): number {
  return Date.parse(one.joinedAt) - Date.parse(other.joinedAt) || (idOf(one) < idOf(other) ? -1 : 1);
}

function idOf({ organizationId, userId }: MembershipId): string {
  return `${organizationId}/${userId}`;
}
