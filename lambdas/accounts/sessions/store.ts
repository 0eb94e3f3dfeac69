/**
 * The sessions in the Accounts table: one item for each, in the partition of its user. All reads are strongly consistent,
 * and every update requires that the item exists, so that nothing restores a session that has been signed out. A record is as
 * it was read: `false` results mean that another request has changed or deleted it since.
 */
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { nullIfConditionFails } from '#lambdas/platform/dynamodb/conflicts.ts';
import {
  type Condition,
  compares,
  conditionExpressions,
  equals,
  exists,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { type AccountsTable, queryItems, textOrNull } from '../accounts-table.ts';
import type { Identity } from '../identity.ts';
import { userPartition } from '../schema.ts';

export interface SessionRecord {
  /** SHA-256 of the cookie's value. */
  hash: string;
  /** A copy of the last ID token's identity. */
  identity: Identity;
  /** An address that the user has asked for in this session and not verified yet. */
  pendingEmail: string | null;
  userAgent: string | null;
  signedInAt: string;
  lastRenewedAt: string;
  /** In epoch seconds, the unit of DynamoDB's TTL. */
  expiresAt: number;
  /** Until then, one request renews the session and the others wait. In epoch milliseconds; 0 if no request renews it. */
  leaseUntilMs: number;
  sealedTokens: Uint8Array;
}

interface SessionKey {
  userId: string;
  hash: string;
}

interface Renewal {
  identity: Identity;
  sealedTokens: Uint8Array;
  renewedAt: string;
}

const sessionPrefix = 'session#';

export async function insertSession(
  { client, tableName: TableName }: AccountsTable,
  record: SessionRecord,
): Promise<void> {
  await client.send(
    new PutCommand({ TableName, Item: toItem(record), ConditionExpression: 'attribute_not_exists(pk)' }),
  );
}

/** Also returns sessions that have ended and that DynamoDB has not deleted yet. */
export async function findSession(
  { client, tableName: TableName }: AccountsTable,
  key: SessionKey,
): Promise<SessionRecord | null> {
  const { Item } = await client.send(new GetCommand({ TableName, Key: itemKey(key), ConsistentRead: true }));
  return Item === undefined ? null : toRecord(Item);
}

/** Like `findSession`. */
export async function listSessionsOfUser(table: AccountsTable, userId: string): Promise<SessionRecord[]> {
  const items = await queryItems(table, userPartition(userId), sessionPrefix);
  return items.map(toRecord);
}

/** `false` as well if another request holds a lease at `nowMs`. */
export function acquireRenewalLease(
  table: AccountsTable,
  record: SessionRecord,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<boolean> {
  return updateSession(
    table,
    keyOf(record),
    { lease_until_ms: untilMs },
    isNotRenewed(record),
    compares('lease_until_ms', '<=', nowMs),
  );
}

/** Ends only the lease until `untilMs`, not that of a request that has taken over. */
export function releaseRenewalLease(
  table: AccountsTable,
  record: SessionRecord,
  untilMs: number,
): Promise<boolean> {
  return updateSession(table, keyOf(record), { lease_until_ms: 0 }, equals('lease_until_ms', untilMs));
}

/** Does not require the lease: the first result counts, since a new refresh token must not get lost. */
export function renewSession(
  table: AccountsTable,
  record: SessionRecord,
  { identity, sealedTokens, renewedAt }: Renewal,
): Promise<boolean> {
  const set = {
    email: identity.email,
    name: identity.name,
    identity_provider: identity.identityProvider,
    sealed_tokens: sealedTokens,
    last_renewed_at: renewedAt,
    lease_until_ms: 0,
  };
  return updateSession(table, keyOf(record), set, isNotRenewed(record));
}

/** Updates the copies of what the user has changed. */
export function updateSessionProfile(
  table: AccountsTable,
  key: SessionKey,
  { email, name, pendingEmail }: Pick<Identity, 'email' | 'name'> & { pendingEmail: string | null },
): Promise<boolean> {
  return updateSession(table, key, { email, name, pending_email: pendingEmail });
}

function updateSession(
  { client, tableName: TableName }: AccountsTable,
  key: SessionKey,
  set: Item,
  ...conditions: readonly Condition[]
): Promise<boolean> {
  return isApplied(
    client.send(
      new UpdateCommand({
        TableName,
        Key: itemKey(key),
        ...updateExpressions({ set }, exists('pk'), ...conditions),
      }),
    ),
  );
}

export async function deleteSession(
  { client, tableName: TableName }: AccountsTable,
  key: SessionKey,
): Promise<void> {
  await client.send(new DeleteCommand({ TableName, Key: itemKey(key) }));
}

/** Keeps a session that another request has renewed in the meantime. */
export function deleteSessionUnlessRenewed(
  { client, tableName: TableName }: AccountsTable,
  record: SessionRecord,
): Promise<boolean> {
  return isApplied(
    client.send(
      new DeleteCommand({
        TableName,
        Key: itemKey(keyOf(record)),
        ...conditionExpressions(isNotRenewed(record)),
      }),
    ),
  );
}

function isNotRenewed({ lastRenewedAt }: SessionRecord): Condition {
  return equals('last_renewed_at', lastRenewedAt);
}

async function isApplied(write: Promise<unknown>): Promise<boolean> {
  return (await nullIfConditionFails(write)) !== null;
}

export function keyOf({ hash, identity }: SessionRecord): SessionKey {
  return { userId: identity.id, hash };
}

function itemKey({ userId, hash }: SessionKey) {
  return { pk: userPartition(userId), sk: sessionPrefix + hash };
}

function toItem(record: SessionRecord): Item {
  return {
    ...itemKey(keyOf(record)),
    user_id: record.identity.id,
    email: record.identity.email,
    name: record.identity.name,
    identity_provider: record.identity.identityProvider,
    pending_email: record.pendingEmail,
    user_agent: record.userAgent,
    signed_in_at: record.signedInAt,
    last_renewed_at: record.lastRenewedAt,
    expires_at: record.expiresAt,
    lease_until_ms: record.leaseUntilMs,
    sealed_tokens: record.sealedTokens,
  };
}

function toRecord(item: Item): SessionRecord {
  return {
    hash: String(item.sk).slice(sessionPrefix.length),
    identity: {
      id: String(item.user_id),
      email: String(item.email),
      name: textOrNull(item.name),
      identityProvider: textOrNull(item.identity_provider),
    },
    pendingEmail: textOrNull(item.pending_email),
    userAgent: textOrNull(item.user_agent),
    signedInAt: String(item.signed_in_at),
    lastRenewedAt: String(item.last_renewed_at),
    expiresAt: Number(item.expires_at),
    leaseUntilMs: Number(item.lease_until_ms),
    sealedTokens: item.sealed_tokens instanceof Uint8Array ? item.sealed_tokens : new Uint8Array(),
  };
}
