/**
 * Finds and lists API keys.
 *
 * A key has two items, which are created together. The record is stored under the hash, where requests find it. A pointer in
 * the partition of the organization has the hash, and never changes: it lists keys with strong consistency, which an index
 * could not.
 */
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { ApiKeyReader } from '../directory.ts';
import { byCreation, type DirectoryTable, findRecord, queryPartition } from '../directory-table.ts';
import { apiKeyItemKey, createApiKeyFinder, toApiKey } from '../key-lookup.ts';

const pointerPartition = (organizationId: string) => `keys#${organizationId}`;

export const pointerKey = (organizationId: string, keyId: string) => ({
  pk: pointerPartition(organizationId),
  sk: keyId,
});

export interface ApiKeyId {
  organizationId: string;
  keyId: string;
}

export function createApiKeyReader(table: DirectoryTable): ApiKeyReader {
  return {
    ...createApiKeyFinder({ calls: createSdkTableCalls(table.client), tableName: table.tableName }),

    async findApiKey(organizationId, keyId) {
      const key = await findKeyOfRecord(table, { organizationId, keyId });
      const item = key && (await findRecord(table, key));
      return item && toApiKey(item);
    },

    async listApiKeys(organizationId) {
      const items = await listKeyRecords(table, organizationId);
      return items.map(toApiKey).sort(byCreation);
    },
  };
}

/** The primary key of a key's record. It never changes. */
export async function findKeyOfRecord(
  table: DirectoryTable,
  { organizationId, keyId }: ApiKeyId,
): Promise<Item | null> {
  const pointer = await findRecord(table, pointerKey(organizationId, keyId));
  return pointer && apiKeyItemKey(String(pointer.key_hash));
}

/** The records of all keys of an organization, in any order. Strongly consistent. */
export async function listKeyRecords(table: DirectoryTable, organizationId: string): Promise<Item[]> {
  const pointers = await queryPartition(table, pointerPartition(organizationId));
  return batchGet(
    table,
    pointers.map(({ key_hash }) => apiKeyItemKey(String(key_hash))),
  );
}
