/** Looks up active API keys by their hash. Concurrent lookups of a key share one read; results are cached briefly. */
import type { Item, TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { createTtlCache } from '#lambdas/platform/ttl-cache.ts';
import { inactiveReason } from './api-key.ts';
import type { ApiKey, ApiKeyReader } from './directory.ts';

interface ApiKeyTable {
  calls: Pick<TableCalls, 'get'>;
  tableName: string;
}

export function createApiKeyFinder({
  calls,
  tableName,
}: ApiKeyTable): Pick<ApiKeyReader, 'findApiKeyByHash'> {
  return {
    async findApiKeyByHash(keyHash) {
      const item = await calls.get(tableName, apiKeyItemKey(keyHash));
      return item && toApiKey(item);
    },
  };
}

export const apiKeyItemKey = (keyHash: string) => ({ pk: `key#${keyHash}`, sk: 'key' });

export function toApiKey({ pk: _, sk: __, ...apiKey }: Item): ApiKey {
  return apiKey as unknown as ApiKey;
}

export interface ApiKeyLookupOptions {
  apiKeys: Pick<ApiKeyReader, 'findApiKeyByHash'>;
  now(): Date;
}

/** Why a well-formed key is not accepted. */
export type KeyRejection = 'unknown' | 'revoked' | 'expired';

type ApiKeyLookup = (keyHash: string) => Promise<ApiKey | KeyRejection>;

/** The maximum time that a function accepts a key after its revocation, in addition to the duration of one read. */
export const keyRevocationDelayMs = 20_000;
/** Limits a caller that retries with a rejected key to one read in this time. */
const rejectedTtlMs = 3000;
const maxCachedKeys = 10_000;

export function createApiKeyLookup({ apiKeys, now }: ApiKeyLookupOptions): ApiKeyLookup {
  // Two caches, so that a flood of rejected keys cannot evict active ones.
  const active = createTtlCache<ApiKey>({ ttlMs: keyRevocationDelayMs, maxEntries: maxCachedKeys });
  const rejected = createTtlCache<KeyRejection>({ ttlMs: rejectedTtlMs, maxEntries: maxCachedKeys });
  const inFlight = new Map<string, ReturnType<ApiKeyLookup>>();

  const read: ApiKeyLookup = async (keyHash) => {
    const readAtMs = now().getTime();
    const apiKey = await apiKeys.findApiKeyByHash(keyHash);
    const accepted = apiKey === null ? 'unknown' : (inactiveReason(apiKey, now()) ?? apiKey);
    if (typeof accepted === 'string') rejected.set(keyHash, accepted, readAtMs);
    else active.set(keyHash, accepted, readAtMs);
    return accepted;
  };

  return async (keyHash) => {
    const atMs = now().getTime();
    const cached = active.get(keyHash, atMs) ?? rejected.get(keyHash, atMs);
    if (cached !== undefined) return cached;
    const pending = inFlight.get(keyHash) ?? read(keyHash).finally(() => inFlight.delete(keyHash));
    inFlight.set(keyHash, pending);
    return pending;
  };
}
