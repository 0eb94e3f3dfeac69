/**
 * Finds the custom prices of models for a request, and caches them and their absence. If they cannot be read again, those that
 * were read last apply.
 */
import { minuteMs } from '#lambdas/platform/duration.ts';
import type { TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { setAsNewest } from '#lambdas/platform/ttl-cache.ts';
import {
  type CustomPrices,
  fromPriceItem,
  noCustomPrices,
  noStoredPrices,
  priceItemKey,
  type StoredPrices,
  scopeOfAll,
} from './custom-price.ts';

/** `model` is `<provider>/<model>`. Rejects when the prices could never be read. */
type CustomPriceLookup = (organizationId: string, model: string) => Promise<FoundPrices>;

interface FoundPrices {
  prices: CustomPrices;
  /** Requests that were received before this time have these prices, in milliseconds since 1970. */
  validUntilMs: number;
}

export interface CustomPriceDependencies {
  calls: Pick<TableCalls, 'get'>;
  tableName: string;
  now(): Date;
  /** For each of at most two reads, one after the other. Default: no limit but those of `calls`. */
  timeoutMs?: number;
}

export const customPriceTtlMs = minuteMs;
/**
 * The default time between setting a price and its start: the life of a cached item, and time for the write and for
 * clocks that differ. So a request is priced with the prices that are valid when it arrives, as in a later reprice.
 */
export const customPriceDelayMs = customPriceTtlMs + 10_000;
const maxCachedItems = 10_000;

interface CachedPrices {
  stored: StoredPrices;
  validUntilMs: number;
}

/** A model without custom prices costs one read a minute, whatever the number of organizations and of other models. */
export function createCustomPriceLookup({
  calls,
  tableName,
  now,
  timeoutMs,
}: CustomPriceDependencies): CustomPriceLookup {
  // Kept until others need the place, in case they cannot be read again.
  const cache = new Map<string, CachedPrices>();
  const inFlight = new Map<string, Promise<CachedPrices>>();

  const read = async (key: string, model: string, scope: string): Promise<CachedPrices> => {
    const readAtMs = now().getTime();
    const item = await calls.get(tableName, priceItemKey(model, scope), timeoutMs);
    const stored = item === null ? noStoredPrices : fromPriceItem(item);
    const cached = { stored, validUntilMs: readAtMs + customPriceTtlMs };
    setAsNewest(cache, key, cached, maxCachedItems);
    return cached;
  };

  const find = async (model: string, scope: string): Promise<CachedPrices> => {
    const key = `${scope} ${model}`;
    const cached = cache.get(key);
    if (cached !== undefined && now().getTime() < cached.validUntilMs) return cached;
    const pending = inFlight.get(key) ?? read(key, model, scope).finally(() => inFlight.delete(key));
    inFlight.set(key, pending);
    try {
      return await pending;
    } catch (error) {
      if (cached === undefined) throw error;
      return cached;
    }
  };

  return async (organizationId, model) => {
    const { stored: all, validUntilMs } = await find(model, scopeOfAll);
    if (!all.hasOrganizationPrices) {
      return { prices: { ...noCustomPrices, all: all.prices }, validUntilMs };
    }
    const organization = await find(model, organizationId);
    return {
      prices: { organization: organization.stored.prices, all: all.prices },
      validUntilMs: Math.min(validUntilMs, organization.validUntilMs),
    };
  };
}
