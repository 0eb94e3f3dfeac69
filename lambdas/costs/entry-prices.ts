/** Prices log entries as the chat function would, with the prices of the requests' time. */
import type { CustomPriceSnapshot } from '#lambdas/pricing/custom/store.ts';
import type { FindCustomPrices } from '#lambdas/pricing/precedence.ts';
import type { PriceRequest } from '#lambdas/pricing/price.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-settings.ts';
import type { PriceTable } from '#lambdas/pricing/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { billedPartsOf } from '#lambdas/request-log/entry-usage.ts';

/** All prices that the gateway has. */
export interface CurrentPrices {
  table: PriceTable;
  settings: PriceSettingsByProvider;
  customPrices: CustomPriceSnapshot;
}

/** Returns `null` for an entry without usage or provider. */
export function priceRequestOf(
  entry: LogEntry,
  { settings, customPrices }: CurrentPrices,
): { request: PriceRequest; findCustomPrices: FindCustomPrices } | null {
  const { provider, model } = entry;
  const parts = billedPartsOf(entry);
  if (parts === null || provider === null || model === null) return null;
  const request: PriceRequest = {
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
  const findCustomPrices = (name: string) => customPrices.find(entry.organization_id, `${provider}/${name}`);
  return { request, findCustomPrices };
}
