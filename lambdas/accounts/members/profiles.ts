/**
 * Names and addresses of users for the lists that other members see: copies of what the identity provider says. The same item
 * has what users choose for themselves.
 */
import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { type AccountsTable, type ItemKey, textOrNull } from '../accounts-table.ts';
import type { Identity } from '../identity.ts';
import { userPartition } from '../schema.ts';

export type Profile = Pick<Identity, 'id' | 'email' | 'name'>;

/** Keeps what the user has chosen. */
export async function saveProfile(table: AccountsTable, { id, email, name }: Profile): Promise<void> {
  await updateProfile(table, id, { user_id: id, email, name });
}

/** `null` without one. */
export async function saveTimeZone(
  table: AccountsTable,
  { id, email, name }: Profile,
  timeZone: string | null,
): Promise<void> {
  // The whole profile, in case there is none yet.
  await updateProfile(table, id, { user_id: id, email, name, time_zone: timeZone });
}

/** An IANA time zone; `null` if the user has not chosen any. */
export async function findTimeZone(
  { client, tableName: TableName }: AccountsTable,
  userId: string,
): Promise<string | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName, Key: profileKey(userId), ConsistentRead: true }),
  );
  return textOrNull(Item?.time_zone);
}

async function updateProfile(
  { client, tableName: TableName }: AccountsTable,
  userId: string,
  set: Item,
): Promise<void> {
  await client.send(new UpdateCommand({ TableName, Key: profileKey(userId), ...updateExpressions({ set }) }));
}

/** By user id. Users whose account is deleted are left out. */
export async function findProfiles(
  table: AccountsTable,
  userIds: readonly string[],
): Promise<Map<string, Profile>> {
  const items = await batchGet(table, userIds.map(profileKey));
  return new Map(
    items.map(({ user_id, email, name }) => {
      const id = String(user_id);
      return [id, { id, email: String(email), name: textOrNull(name) }];
    }),
  );
}

export async function deleteProfile(
  { client, tableName: TableName }: AccountsTable,
  userId: string,
): Promise<void> {
  await client.send(new DeleteCommand({ TableName, Key: profileKey(userId) }));
}

function profileKey(userId: string): ItemKey {
  return { pk: userPartition(userId), sk: 'profile' };
}
