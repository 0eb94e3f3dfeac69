import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { Organization } from '../directory.ts';
import { type DirectoryTable, findRecord, organizationKey } from '../directory-table.ts';
import { listKeyRecords } from '../keys/read.ts';
import { toOrganization } from './read.ts';

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
