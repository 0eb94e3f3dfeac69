/** Finds live API keys by their hash: one read for all concurrent requests, and a short-lived cache. */
import type { Item, TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { createTtlCache } from '#lambdas/platform/ttl-cache.ts';
import { isLive } from './api-key.ts';
import type { ApiKey, ApiKeys } from './directory.ts';

export interface ApiKeyTable {
  calls: Pick<TableCalls, 'get'>;
  /** The name of the Directory table. */
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

export interface ApiKeyLookupOptions {
  directory: Pick<ApiKeys, 'findApiKeyByHash'>;
  now(): Date;
}

/** `null` for a key that is unknown, revoked or expired. */
export type ApiKeyLookup = (keyHash: string) => Promise<ApiKey | null>;

/** A function may accept a key for this long after its revocation, plus the time of one read. */
export const keyRevocationDelayMs = 20_000;
/** A caller that retries with a rejected key costs one read in this time. */
const rejectedTtlMs = 3000;
const maxCachedKeys = 10_000;

export function createApiKeyLookup({ directory, now }: ApiKeyLookupOptions): ApiKeyLookup {
  // Two caches, so that no flood of rejected keys evicts a live one.
  const live = createTtlCache<ApiKey>({ ttlMs: keyRevocationDelayMs, maxEntries: maxCachedKeys });
  const rejected = createTtlCache<null>({ ttlMs: rejectedTtlMs, maxEntries: maxCachedKeys });
  const inFlight = new Map<string, Promise<ApiKey | null>>();

  const read = async (keyHash: string): Promise<ApiKey | null> => {
    const readAtMs = now().getTime();
    const apiKey = await directory.findApiKeyByHash(keyHash);
    if (apiKey === null || !isLive(apiKey, now())) {
      rejected.set(keyHash, null, readAtMs);
      return null;
    }
    live.set(keyHash, apiKey, readAtMs);
    return apiKey;
  };

  return async (keyHash) => {
    const atMs = now().getTime();
    const cached = live.get(keyHash, atMs) ?? rejected.get(keyHash, atMs);
    if (cached !== undefined) return cached;
    const reading = inFlight.get(keyHash) ?? read(keyHash).finally(() => inFlight.delete(keyHash));
    inFlight.set(keyHash, reading);
    return reading;
  };
}
