/** Finds an API key by the hash of its text: what every request begins with. */

import type { Item, TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import type { ApiKey, ApiKeys } from './directory.ts';

export interface ApiKeyTable {
  calls: Pick<TableCalls, 'get'>;
  /** Of the Directory table. */
  tableName: string;
}

export function createApiKeyFinder({ calls, tableName }: ApiKeyTable): Pick<ApiKeys, 'findApiKeyByHash'> {
  return {
    async findApiKeyByHash(keyHash) {
      const item = await calls.get(tableName, apiKeyKey(keyHash));
      return item && asApiKey(item);
    },
  };
}

export const apiKeyKey = (keyHash: string) => ({ pk: `key#${keyHash}`, sk: 'key' });

export function asApiKey(item: Item): ApiKey {
  const { id, organization_id, name, last_four, created_at, expires_at, revoked_at, log_shards } = item;
  return { id, organization_id, name, last_four, created_at, expires_at, revoked_at, log_shards } as ApiKey;
}
