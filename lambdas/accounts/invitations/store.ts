/** The invitations in the Accounts table. All reads are strongly consistent. */

import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Creator } from '#lambdas/audit/record.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import {
  compares,
  conditionExpressions,
  equals,
  notExists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { type AccountsTable, type ItemKey, queryItems, textOrNull } from '../accounts-table.ts';
import type { Role } from '../permissions.ts';
import { organizationPartition } from '../schema.ts';
import { type Invitation, invitationId, invitationState } from './invitation.ts';
import { invitedAddressKey } from './invited-addresses.ts';

export interface InvitationStore {
  find(invitation: InvitationKey): Promise<Invitation | null>;
  findById(organizationId: string, id: string): Promise<Invitation | null>;
  /** The newest first. */
  listPending(organizationId: string, now: Date): Promise<Invitation[]>;
  /** The hash of the last invitation for the address that was neither accepted nor revoked. */
  findHash(organizationId: string, email: string): Promise<string | null>;
  /** The number of invitations that the organization has created. Read it before a list that has to be complete. */
  countCreated(organizationId: string): Promise<number>;
  /** Fails if the organization has created an invitation since it had created this number. */
  noneCreatedSince(organizationId: string, created: number): TransactItem;
  /** The first item fails if `replacedHash` is not what `findHash` would resolve to. */
  creationItems(invitation: Invitation, replacedHash: string | null): TransactItem[];
  /** Accept or revoke an invitation. The first item fails unless it is pending. */
  endItems(invitation: Invitation, end: InvitationEnd, now: Date): TransactItem[];
  /** Like `endItems`, for an invitation that another one for the same address replaces. */
  replacementItems(invitation: Invitation, now: Date): TransactItem[];
  /** Remove the pending invitations of an organization. None of them fails. */
  deletionItems(organizationId: string, now: Date): Promise<TransactItem[]>;
  /** Removes the number that `countCreated` resolves to. Fails like `noneCreatedSince`. */
  countDeletion(organizationId: string, created: number): TransactItem;
}

type InvitationKey = Pick<Invitation, 'organizationId' | 'hash'>;

type InvitationEnd = 'accepted_at' | 'revoked_at';

const prefix = 'invitation#';

/** How long members and holders of the link can see what became of an invitation. */
const retentionMs = 30 * dayMs;

export function createInvitationStore(table: AccountsTable): InvitationStore {
  const { client, tableName: TableName } = table;

  const get = async (Key: ItemKey): Promise<Item | undefined> =>
    (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

  const listPending = async (organizationId: string, now: Date) => {
    const items = await queryItems(table, organizationPartition(organizationId), prefix);
    return items
      .map(toInvitation)
      .filter((invitation) => invitationState(invitation, now) === 'pending')
      .sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
  };

  const markItem = (invitation: Invitation, end: InvitationEnd, now: Date): TransactItem => ({
    Update: {
      TableName,
      Key: itemKey(invitation),
      ...updateExpressions(
        { set: { [end]: now.toISOString() } },
        compares('valid_until', '>', now.toISOString()),
        notExists('accepted_at'),
        notExists('revoked_at'),
      ),
    },
  });

  const removeAddress = ({ organizationId, email }: Invitation): TransactItem => ({
    Delete: { TableName, Key: invitedAddressKey(organizationId, email) },
  });

  const unchangedCount = (organizationId: string, created: number) => ({
    TableName,
    Key: countKey(organizationId),
    ...conditionExpressions(created === 0 ? notExists('pk') : equals('invitations_created', created)),
  });

  return {
    async find(key) {
      const item = await get(itemKey(key));
      return item === undefined ? null : toInvitation(item);
    },

    async findById(organizationId, id) {
      const [item] = await queryItems(table, organizationPartition(organizationId), prefix + id);
      const invitation = item === undefined ? null : toInvitation(item);
      return invitation?.id === id ? invitation : null;
    },

    listPending,

    async findHash(organizationId, email) {
      const item = await get(invitedAddressKey(organizationId, email));
      return item === undefined ? null : String(item.invitation_hash);
    },

    async countCreated(organizationId) {
      return Number((await get(countKey(organizationId)))?.invitations_created ?? 0);
    },

    noneCreatedSince: (organizationId, created) => ({
      ConditionCheck: unchangedCount(organizationId, created),
    }),

    creationItems(invitation, replacedHash) {
      const { organizationId, email, hash, validUntil } = invitation;
      return [
        {
          Put: {
            TableName,
            Item: {
              ...invitedAddressKey(organizationId, email),
              invitation_hash: hash,
              valid_until: validUntil,
              expires_at: epochSeconds(validUntil),
            },
            ...conditionExpressions(
              replacedHash === null ? notExists('pk') : equals('invitation_hash', replacedHash),
            ),
          },
        },
        { Put: { TableName, Item: toItem(invitation), ConditionExpression: 'attribute_not_exists(pk)' } },
        {
          Update: {
            TableName,
            Key: countKey(organizationId),
            ...updateExpressions({ add: { invitations_created: 1 } }),
          },
        },
      ];
    },

    endItems: (invitation, end, now) => [markItem(invitation, end, now), removeAddress(invitation)],

    replacementItems: (invitation, now) => [markItem(invitation, 'revoked_at', now)],

    async deletionItems(organizationId, now) {
      const pending = await listPending(organizationId, now);
      return pending.flatMap((invitation) => [
        { Delete: { TableName, Key: itemKey(invitation) } },
        removeAddress(invitation),
      ]);
    },

    countDeletion: (organizationId, created) => ({ Delete: unchangedCount(organizationId, created) }),
  };
}

function itemKey({ organizationId, hash }: InvitationKey): ItemKey {
  return { pk: organizationPartition(organizationId), sk: prefix + hash };
}

function countKey(organizationId: string): ItemKey {
  return { pk: organizationPartition(organizationId), sk: 'invitations' };
}

function epochSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function toItem(invitation: Invitation): Item {
  return {
    ...itemKey(invitation),
    organization_id: invitation.organizationId,
    email: invitation.email,
    role: invitation.role,
    created_at: invitation.createdAt,
    created_by: invitation.createdBy,
    valid_until: invitation.validUntil,
    expires_at: epochSeconds(invitation.validUntil) + retentionMs / 1000,
  };
}

function toInvitation(item: Item): Invitation {
  const hash = String(item.sk).slice(prefix.length);
  return {
    id: invitationId(hash),
    organizationId: String(item.organization_id),
    hash,
    email: String(item.email),
    role: item.role as Role,
    createdAt: String(item.created_at),
    createdBy: item.created_by as Creator,
    validUntil: String(item.valid_until),
    acceptedAt: textOrNull(item.accepted_at),
    revokedAt: textOrNull(item.revoked_at),
  };
}
