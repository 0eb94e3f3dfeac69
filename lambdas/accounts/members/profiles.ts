/** Names and addresses of users for the lists that other members see: copies of what the identity provider says. */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { type AccountsTable, type ItemKey, textOrNull } from '../accounts-table.ts';
import type { Identity } from '../identity.ts';
import { userPartition } from '../schema.ts';

export type Profile = Pick<Identity, 'id' | 'email' | 'name'>;

export interface ProfileStore {
  save(profile: Profile): Promise<void>;
  /** By user id. Users whose account is deleted are left out. */
  findAll(userIds: readonly string[]): Promise<Map<string, Profile>>;
  delete(userId: string): Promise<void>;
}

export function createProfileStore(table: AccountsTable): ProfileStore {
  const { client, tableName: TableName } = table;
  return {
    async save({ id, email, name }) {
      await client.send(new PutCommand({ TableName, Item: { ...profileKey(id), user_id: id, email, name } }));
    },

    async findAll(userIds) {
      const items = await batchGet(table, userIds.map(profileKey));
      return new Map(
        items.map(({ user_id, email, name }) => {
          const id = String(user_id);
          return [id, { id, email: String(email), name: textOrNull(name) }];
        }),
      );
    },

    async delete(userId) {
      await client.send(new DeleteCommand({ TableName, Key: profileKey(userId) }));
    },
  };
}

function profileKey(userId: string): ItemKey {
  return { pk: userPartition(userId), sk: 'profile' };
}
