/** Finds the custom prices of models for a request, and caches them and their absence. */
import type { TableCalls } from '#lambdas/platform/dynamodb/table.ts';
import { createTtlCache } from '#lambdas/platform/ttl-cache.ts';
import { type CustomPrices, noCustomPrices } from './custom-price.ts';
import { fromPriceItem, noStoredPrices, priceItemKey, type StoredPrices, scopeOfAll } from './item.ts';

/** `model` is `<provider>/<model>`. */
export type CustomPriceLookup = (organizationId: string, model: string) => Promise<CustomPrices>;

export interface CustomPriceReads {
  calls: Pick<TableCalls, 'get'>;
  tableName: string;
  now(): Date;
  /** For each of at most two reads, one after the other. Default: no limit but those of `calls`. */
  timeoutMs?: number;
}

export const customPriceTtlMs = 60_000;
/**
 * The default time between setting a price and its start: the life of a cached item, and time for the write and for
 * clocks that differ. So a request is priced with the prices that are valid when it arrives, as in a later reprice.
 */
export const customPriceDelayMs = customPriceTtlMs + 10_000;
const maxCachedItems = 10_000;

/**
 * A name without custom prices costs one read a minute, whatever the number of organizations and of other names with
 * prices.
 */
export function createCustomPriceLookup({
  calls,
  tableName,
  now,
  timeoutMs,
}: CustomPriceReads): CustomPriceLookup {
  const cache = createTtlCache<StoredPrices>({ ttlMs: customPriceTtlMs, maxEntries: maxCachedItems });
  const inFlight = new Map<string, Promise<StoredPrices>>();

  const read = async (key: string, model: string, scope: string): Promise<StoredPrices> => {
    const readAtMs = now().getTime();
    const item = await calls.get(tableName, priceItemKey(model, scope), timeoutMs);
    const stored = item === null ? noStoredPrices : fromPriceItem(item);
    cache.set(key, stored, readAtMs);
    return stored;
  };

  const find = async (model: string, scope: string): Promise<StoredPrices> => {
    const key = `${scope} ${model}`;
    const cached = cache.get(key, now().getTime());
    if (cached !== undefined) return cached;
    const lookup = inFlight.get(key) ?? read(key, model, scope).finally(() => inFlight.delete(key));
    inFlight.set(key, lookup);
    return lookup;
  };

  return async (organizationId, model) => {
    const all = await find(model, scopeOfAll);
    if (!all.hasOrganizationPrices) return { ...noCustomPrices, all: all.prices };
    const { prices: organization } = await find(model, organizationId);
    return { organization, all: all.prices };
  };
}
