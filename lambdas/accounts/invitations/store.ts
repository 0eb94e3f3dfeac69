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

type InvitationKey = Pick<Invitation, 'organizationId' | 'hash'>;

type InvitationEnd = 'accepted_at' | 'revoked_at';

const prefix = 'invitation#';

/** How long members and holders of the link can see what became of an invitation. */
const retentionMs = 30 * dayMs;

export async function findInvitation(table: AccountsTable, key: InvitationKey): Promise<Invitation | null> {
  const item = await findItem(table, itemKey(key));
  return item === undefined ? null : toInvitation(item);
}

export async function findInvitationById(
  table: AccountsTable,
  organizationId: string,
  id: string,
): Promise<Invitation | null> {
  const [item] = await queryItems(table, organizationPartition(organizationId), prefix + id);
  const invitation = item === undefined ? null : toInvitation(item);
  return invitation?.id === id ? invitation : null;
}

/** The newest first. */
export async function listPendingInvitations(
  table: AccountsTable,
  organizationId: string,
  now: Date,
): Promise<Invitation[]> {
  const items = await queryItems(table, organizationPartition(organizationId), prefix);
  return items
    .map(toInvitation)
    .filter((invitation) => invitationState(invitation, now) === 'pending')
    .sort((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt));
}

/** The hash of the last invitation for the address that was neither accepted nor revoked. */
export async function findInvitationHash(
  table: AccountsTable,
  organizationId: string,
  email: string,
): Promise<string | null> {
  const item = await findItem(table, invitedAddressKey(organizationId, email));
  return item === undefined ? null : String(item.invitation_hash);
}

/** The first item fails if `replacedHash` is not what `findInvitationHash` would resolve to. */
export function invitationCreationItems(
  { tableName: TableName }: AccountsTable,
  invitation: Invitation,
  replacedHash: string | null,
): TransactItem[] {
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
  ];
}

/** Accept or revoke an invitation. The first item fails unless it is pending. */
export function invitationEndItems(
  table: AccountsTable,
  invitation: Invitation,
  end: InvitationEnd,
  now: Date,
): TransactItem[] {
  return [endMark(table, invitation, end, now), addressDeletion(table, invitation)];
}

/** Like `invitationEndItems`, for an invitation that another one for the same address replaces. */
export function invitationReplacementItems(
  table: AccountsTable,
  invitation: Invitation,
  now: Date,
): TransactItem[] {
  return [endMark(table, invitation, 'revoked_at', now)];
}

/** Remove the pending invitations of an organization. None of them fails. */
export async function invitationDeletionItems(
  table: AccountsTable,
  organizationId: string,
  now: Date,
): Promise<TransactItem[]> {
  const pending = await listPendingInvitations(table, organizationId, now);
  return pending.flatMap((invitation) => [
    { Delete: { TableName: table.tableName, Key: itemKey(invitation) } },
    addressDeletion(table, invitation),
  ]);
}

async function findItem(
  { client, tableName: TableName }: AccountsTable,
  Key: ItemKey,
): Promise<Item | undefined> {
  return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
}

function endMark(
  { tableName: TableName }: AccountsTable,
  invitation: Invitation,
  end: InvitationEnd,
  now: Date,
): TransactItem {
  return {
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
  };
}

function addressDeletion(
  { tableName: TableName }: AccountsTable,
  { organizationId, email }: Invitation,
): TransactItem {
  return { Delete: { TableName, Key: invitedAddressKey(organizationId, email) } };
}

function itemKey({ organizationId, hash }: InvitationKey): ItemKey {
  return { pk: organizationPartition(organizationId), sk: prefix + hash };
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
