import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { LogAccess, Organization, OrganizationReader } from '../directory.ts';
import { byCreation, type DirectoryTable, findRecord, queryPartition } from '../directory-table.ts';
import { organizationKey, organizationsPartition } from '../item-keys.ts';

export function createOrganizationReader(table: DirectoryTable): OrganizationReader {
  const logAccessOf = async (organizationId: string): Promise<LogAccess> => {
    const item = await findRecord(table, organizationKey(organizationId));
    if (item === null) throw new Error(`There is no organization ${organizationId}`);
    const { log_shards: shards, cursor_key: cursorKey } = item;
    if (typeof shards !== 'number' || typeof cursorKey !== 'string') {
      throw new Error(`The record of organization ${organizationId} has no log_shards or no cursor_key`);
    }
    return { shards, cursorKey };
  };

  return {
    async findOrganization(organizationId) {
      const item = await findRecord(table, organizationKey(organizationId));
      return item && toOrganization(item);
    },

    async listOrganizations() {
      const pointers = await queryPartition(table, organizationsPartition);
      const items = await batchGet(
        table,
        pointers.map(({ sk }) => organizationKey(String(sk))),
      );
      return items.map(toOrganization).sort(byCreation);
    },

    logShardsOf: async (organizationId) => (await logAccessOf(organizationId)).shards,

    logAccessOf,
  };
}

/** Leaves out the cursor key, which is a secret, and the number of current keys, which is internal. */
export function toOrganization({
  pk: _,
  sk: __,
  cursor_key: ___,
  current_keys: ____,
  ...organization
}: Item) {
  return organization as unknown as Organization;
}
