/** Looks up active API keys by their hash. Concurrent lookups of a key share one read; results are cached briefly. */
import type { Item, TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { createTtlCache, setAsNewest } from '#lambdas/platform/ttl-cache.ts';
import { inactiveReason } from './api-key.ts';
import type { ApiKeyReader, BudgetCounterRef, KeyAccess, RequestKey } from './directory.ts';
import { keyAccessKey, organizationKey } from './item-keys.ts';
import type { RateLimits } from './rate-limits.ts';

interface ApiKeyTable {
  calls: Pick<TableCalls, 'get'>;
  tableName: string;
}

const maxCachedKeys = 10_000;

export function createApiKeyFinder({
  calls,
  tableName,
}: ApiKeyTable): Pick<ApiKeyReader, 'findApiKeyByHash'> {
  // The organization of a key never changes: once it is known, both items are read at the same time.
  const organizationIds = new Map<string, string>();
  const findOrganization = (id: string) => calls.get(tableName, organizationKey(id));
  return {
    async findApiKeyByHash(keyHash) {
      const knownId = organizationIds.get(keyHash);
      const [item, known] = await Promise.all([
        calls.get(tableName, keyAccessKey(keyHash)),
        knownId === undefined ? null : findOrganization(knownId),
      ]);
      if (item === null) return null;
      const access = toKeyAccess(item);
      const organization = known ?? (await findOrganization(access.organization_id));
      setAsNewest(organizationIds, keyHash, access.organization_id, maxCachedKeys);
      return organization && toRequestKey(access, organization);
    },
  };
}

function toKeyAccess({ pk: _, sk: __, ...access }: Item): KeyAccess {
  return access as unknown as KeyAccess;
}

function toRequestKey(access: KeyAccess, organization: Item): RequestKey {
  const { log_shards, budget, rate_limits, models, deleted_at } = organization;
  return {
    ...access,
    revoked_at: access.revoked_at ?? (deleted_at as string | undefined) ?? null,
    log_shards: Number(log_shards),
    ...(budget !== undefined && { organization_budget: budget as BudgetCounterRef }),
    ...(rate_limits !== undefined && { organization_rate_limits: rate_limits as RateLimits }),
    ...(models !== undefined && { organization_models: models as readonly string[] }),
  };
}

export interface ApiKeyLookupOptions {
  apiKeys: Pick<ApiKeyReader, 'findApiKeyByHash'>;
  now(): Date;
}

/** Why a well-formed key is not accepted. */
export type KeyRejection = 'unknown' | 'revoked' | 'expired';

type ApiKeyLookup = (keyHash: string) => Promise<RequestKey | KeyRejection>;

/** The maximum time that a function accepts a key after its revocation, in addition to the duration of one read. */
export const keyRevocationDelayMs = 20_000;
/** Limits a caller that retries with a rejected key to one read in this time. */
const rejectedTtlMs = 3000;

export function createApiKeyLookup({ apiKeys, now }: ApiKeyLookupOptions): ApiKeyLookup {
  // Two caches, so that a flood of rejected keys cannot evict active ones.
  const active = createTtlCache<RequestKey>({ ttlMs: keyRevocationDelayMs, maxEntries: maxCachedKeys });
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
