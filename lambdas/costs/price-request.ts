/** Log entries as requests for a price, which is then the one that the chat function would calculate. */
import { subtractUsd } from '#lambdas/platform/money.ts';
import type { CustomPriceSnapshot } from '#lambdas/pricing/custom/store.ts';
import type { Price, PriceRequest } from '#lambdas/pricing/price.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-context.ts';
import type { PriceTable } from '#lambdas/pricing/table/price-table.ts';
import { chargedPrice } from '#lambdas/request-log/charged-price.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { billedPartsOf } from '#lambdas/request-log/entry-usage.ts';

/** All prices that the gateway knows now, with their starts. */
export interface KnownPrices {
  table: PriceTable;
  settings: PriceSettingsByProvider;
  customPrices: CustomPriceSnapshot;
}

/** Returns `null` for an entry without usage or provider. */
export function priceRequestOf(
  entry: LogEntry,
  { settings, customPrices }: KnownPrices,
): PriceRequest | null {
  const request = usageToPrice(entry, settings);
  if (request === null) return null;
  const { provider } = request;
  return {
    ...request,
    findCustomPrices: (name) => customPrices.find(entry.organization_id, `${provider}/${name}`),
  };
}

/** Returns `null` for an entry without usage or provider. */
export function usageToPrice(
  entry: LogEntry,
  settings: PriceSettingsByProvider,
): Omit<PriceRequest, 'findCustomPrices'> | null {
  const { provider, model } = entry;
  const parts = billedPartsOf(entry);
  if (parts === null || provider === null || model === null) return null;
  return {
    provider,
    model,
    responseModel: entry.response_model,
    context: {
      serviceTier: entry.service_tier,
      speed: entry.speed,
      inferenceGeo: entry.inference_geo,
      region: entry.region,
    },
    parts,
    gaps: entry.pricing_gaps ?? [],
    reportedCostUsd: null,
    at: new Date(entry.created_at),
    settings: (Object.hasOwn(settings, provider) && settings[provider]) || {},
  };
}

export function hasUncertainPrice({ pricing }: Pick<LogEntry, 'pricing'>): boolean {
  return pricing === 'unknown' || pricing === 'assumed';
}

/** Returns what the entry costs by `price`, that of its usage; `null` when it keeps its price. */
export function replacementOf(entry: LogEntry, price: Price): Price | null {
  if (price.pricing === 'unknown') return null;
  const charged = chargedPrice(price, entry);
  return isPriceOf(entry, charged) ? null : charged;
}

/** True when the entry already has this price, so that a reprice would not change it. */
export function isPriceOf({ pricing, cost_usd }: LogEntry, price: Price): boolean {
  return price.pricing === pricing && subtractUsd(price.cost_usd, cost_usd) === '0';
}
