import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { LogAccess, Organization, OrganizationReader } from '../directory.ts';
import {
  byCreation,
  type DirectoryTable,
  findRecord,
  organizationKey,
  organizationsPartition,
  queryPartition,
} from '../directory-table.ts';
import { listKeyRecords } from '../keys/read.ts';

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
      const items = await queryPartition(table, organizationsPartition);
      return items.map(toOrganization).sort(byCreation);
    },

    logShardsOf: async (organizationId) => (await logAccessOf(organizationId)).shards,

    logAccessOf,
  };
}

/** Leaves out the cursor key, which is a secret, and the number of created keys, which is internal. */
export function toOrganization({
  pk: _,
  sk: __,
  cursor_key: ___,
  keys_created: ____,
  ...organization
}: Item) {
  return organization as unknown as Organization;
}

export interface OrganizationWithKeys {
  organization: Organization;
  /** The number of keys that the organization has created. If it is unchanged, `keys` has all of them. */
  keysCreated: unknown;
  /** The records of its keys. */
  keys: Item[];
}

export async function readOrganizationWithKeys(
  table: DirectoryTable,
  organizationId: string,
): Promise<OrganizationWithKeys | null> {
  // Before the keys: a key that the list misses changes the number.
  const item = await findRecord(table, organizationKey(organizationId));
  if (item === null) return null;
  const keys = await listKeyRecords(table, organizationId);
  return { organization: toOrganization(item), keysCreated: item.keys_created, keys };
}
