/**
 * Finds and lists API keys.
 *
 * A key has two items, which are created and changed together. What requests need is stored under the hash. The key itself is in
 * one of two partitions of its organization: a current one, whose size is limited, or the archive. So lists are strongly
 * consistent, which an index could not be, and what reads all active keys is bounded.
 */
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { type ApiKey, type ApiKeyReader, maxCurrentKeys } from '../directory.ts';
import { byCreation, type DirectoryTable, queryDescending, queryPartition } from '../directory-table.ts';
import { keyPartition, keyRecordKey, replacementsOf } from '../item-keys.ts';
import { createApiKeyFinder } from '../key-lookup.ts';

/** A key, and where its items are. */
export interface KeyRecord {
  apiKey: ApiKey;
  /** The SHA-256 of the full key, under which requests find it. */
  keyHash: string;
  isArchived: boolean;
}

export interface ApiKeyId {
  organizationId: string;
  keyId: string;
}

export function createApiKeyReader(table: DirectoryTable): ApiKeyReader {
  return {
    ...createApiKeyFinder({ calls: createSdkTableCalls(table.client), tableName: table.tableName }),

    async findApiKey(organizationId, keyId) {
      return (await findKeyRecord(table, { organizationId, keyId }))?.apiKey ?? null;
    },

    async findApiKeys(organizationId, keyIds) {
      const records = await findKeyRecords(table, organizationId, keyIds);
      return records.map(({ apiKey }) => apiKey);
    },

    async queryApiKeys({ organizationId, archived, before, limit }) {
      const partition = keyPartition({ organizationId, archived });
      const { items, more } = await queryDescending(table, { partition, before, limit });
      return { apiKeys: items.map(toApiKey), more };
    },

    async listCurrentApiKeys(organizationId) {
      return (await listCurrentKeyRecords(table, organizationId)).map(({ apiKey }) => apiKey);
    },

    async listReplacements(organizationId, firstKeyId) {
      const keyIds = await listReplacementIds(table, organizationId, firstKeyId);
      const records = await findKeyRecords(table, organizationId, keyIds);
      return records.map(({ apiKey }) => apiKey).sort(byCreation);
    },
  };
}

export async function findKeyRecord(
  table: DirectoryTable,
  { organizationId, keyId }: ApiKeyId,
): Promise<KeyRecord | null> {
  const [record = null] = await findKeyRecords(table, organizationId, [keyId]);
  return record;
}

/** The oldest first. */
export async function listReplacementIds(
  table: DirectoryTable,
  organizationId: string,
  firstKeyId: string,
): Promise<string[]> {
  const { partition, prefix } = replacementsOf(organizationId, firstKeyId);
  const pointers = await queryPartition(table, partition, prefix);
  return pointers.map(({ sk }) => String(sk).slice(prefix.length));
}

/** In any order. Ids without a key are left out. */
export async function findKeyRecords(
  table: DirectoryTable,
  organizationId: string,
  keyIds: readonly string[],
): Promise<KeyRecord[]> {
  const keysIn = (archived: boolean, ids: readonly string[]) =>
    ids.map((keyId) => keyRecordKey({ organizationId, archived }, keyId));
  const distinctIds = [...new Set(keyIds)];
  const current = (await batchGet(table, keysIn(false, distinctIds))).map(toKeyRecord);
  const found = new Set(current.map(({ apiKey }) => apiKey.id));
  const others = distinctIds.filter((keyId) => !found.has(keyId));
  if (others.length === 0) return current;
  // Afterwards: so a key that is archived in the meantime is not missed.
  return [...current, ...(await batchGet(table, keysIn(true, others))).map(toKeyRecord)];
}

/** The newest first. */
export async function listCurrentKeyRecords(
  table: DirectoryTable,
  organizationId: string,
): Promise<KeyRecord[]> {
  const partition = keyPartition({ organizationId, archived: false });
  const { items } = await queryDescending(table, { partition, before: null, limit: maxCurrentKeys });
  return items.map(toKeyRecord);
}

function toKeyRecord(item: Item): KeyRecord {
  const apiKey = toApiKey(item);
  return {
    apiKey,
    keyHash: String(item.key_hash),
    isArchived: item.pk === keyPartition({ organizationId: apiKey.organization_id, archived: true }),
  };
}

function toApiKey({ pk: _, sk: __, key_hash: ___, ...apiKey }: Item): ApiKey {
  return apiKey as unknown as ApiKey;
}
