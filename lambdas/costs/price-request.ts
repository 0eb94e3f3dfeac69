/** Log entries as requests for a price, which is then the one that the chat function would calculate. */
import type { CustomPriceSnapshot } from '#lambdas/pricing/custom/store.ts';
import type { PriceRequest } from '#lambdas/pricing/price.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-settings.ts';
import type { PriceTable } from '#lambdas/pricing/table/price-table.ts';
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
    findCustomPrices: (name) => customPrices.find(entry.organization_id, `${provider}/${name}`),
  };
}
