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
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { type AccountsTable, type ItemKey, queryItems } from '../accounts-table.ts';
import type { Role } from '../permissions.ts';
import { organizationPartition, userPartition } from '../schema.ts';
import type { Membership } from './membership.ts';

export interface MemberStore {
  find(organizationId: string, userId: string): Promise<Membership | null>;
  /** Oldest first. */
  listOfUser(userId: string): Promise<Membership[]>;
  /** Oldest first. */
  listOfOrganization(organizationId: string): Promise<Membership[]>;
  /** Fails if the membership has changed or ended. */
  check(membership: Membership): NonNullable<TransactItem['ConditionCheck']>;
  /** The first item fails for a member. */
  joinItems(membership: Membership): TransactItem[];
  /** The first item fails if the membership has changed or ended, and the last one for the last owner. */
  leaveItems(membership: Membership): TransactItem[];
  /** Like `leaveItems`. */
  roleItems(membership: Membership, role: Role): TransactItem[];
  /** Remove all members of an organization. None of them fails. Owners come last. */
  deletionItems(organizationId: string): Promise<TransactItem[]>;
}

const memberPrefix = 'member#';
const pointerPrefix = 'organization#';

export function createMemberStore(table: AccountsTable): MemberStore {
  const { client, tableName: TableName } = table;

  const listOfOrganization = async (organizationId: string) => {
    const items = await queryItems(table, organizationPartition(organizationId), memberPrefix);
    return items.map(toMembership).sort(byJoining);
  };

  const addOwner = (organizationId: string): TransactItem => ({
    Update: {
      TableName,
      Key: ownersKey(organizationId),
      ...updateExpressions({ add: { count: 1 } }),
    },
  });

  const subtractOwner = (organizationId: string): TransactItem => ({
    Update: {
      TableName,
      Key: ownersKey(organizationId),
      ...updateExpressions({ add: { count: -1 } }, compares('count', '>', 1)),
    },
  });

  const check = (membership: Membership) => ({
    TableName,
    Key: memberKey(membership),
    ...conditionExpressions(equals('role', membership.role)),
  });

  return {
    async find(organizationId, userId) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: memberKey({ organizationId, userId }), ConsistentRead: true }),
      );
      return Item === undefined ? null : toMembership(Item);
    },

    async listOfUser(userId) {
      const pointers = await queryItems(table, userPartition(userId), pointerPrefix);
      const keys = pointers.map((pointer) =>
        memberKey({ organizationId: String(pointer.organization_id), userId }),
      );
      return (await batchGet(table, keys)).map(toMembership).sort(byJoining);
    },

    listOfOrganization,

    check,

    joinItems(membership) {
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
        ...(role === 'owner' ? [addOwner(organizationId)] : []),
      ];
    },

    leaveItems(membership) {
      const { organizationId, role } = membership;
      return [
        { Delete: check(membership) },
        { Delete: { TableName, Key: pointerKey(membership) } },
        ...(role === 'owner' ? [subtractOwner(organizationId)] : []),
      ];
    },

    roleItems(membership, role) {
      const { organizationId, role: before } = membership;
      return [
        {
          Update: {
            TableName,
            Key: memberKey(membership),
            ...updateExpressions({ set: { role } }, equals('role', before)),
          },
        },
        ...(role === 'owner' && before !== 'owner' ? [addOwner(organizationId)] : []),
        ...(role !== 'owner' && before === 'owner' ? [subtractOwner(organizationId)] : []),
      ];
    },

    async deletionItems(organizationId) {
      const memberships = await listOfOrganization(organizationId);
      // If a deletion in several transactions fails in between, an owner remains who can repeat it.
      const ownersLast = memberships.sort(
        (one, other) => Number(one.role === 'owner') - Number(other.role === 'owner'),
      );
      const keys = ownersLast.flatMap((membership) => [pointerKey(membership), memberKey(membership)]);
      return [...keys, ownersKey(organizationId)].map((Key) => ({ Delete: { TableName, Key } }));
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
