/** Names and addresses of users for the lists that other members see: copies of what the identity provider says. */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { type AccountsTable, type ItemKey, textOrNull } from '../accounts-table.ts';
import type { Identity } from '../identity.ts';
import { userPartition } from '../schema.ts';

export type Profile = Pick<Identity, 'id' | 'email' | 'name'>;

export async function saveProfile(
  { client, tableName: TableName }: AccountsTable,
  { id, email, name }: Profile,
): Promise<void> {
  await client.send(new PutCommand({ TableName, Item: { ...profileKey(id), user_id: id, email, name } }));
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
