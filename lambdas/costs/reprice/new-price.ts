import { createHash } from 'node:crypto';
import { subtractUsd } from '#lambdas/platform/money.ts';
import { type Price, priceUsage } from '#lambdas/pricing/price.ts';
import type { PriceSettingsByProvider } from '#lambdas/pricing/price-settings.ts';
import type { PriceTable } from '#lambdas/pricing/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { billedPartsOf } from '#lambdas/request-log/entry-usage.ts';

export interface Repricing {
  /** Entries whose price is unknown or assumed, or all except those whose cost the provider stated. */
  entries: 'uncertain' | 'all';
  table: PriceTable;
  settings: PriceSettingsByProvider;
}

/**
 * Prices the entry as the chat function would. `null` when the entry keeps its price: because the provider reported it, the
 * entry has no usage, its cost and `pricing` stay the same, or there is no current price.
 */
export function newPriceOf(entry: LogEntry, { entries, table, settings }: Repricing): Price | null {
  const { provider, model, pricing } = entry;
  const isUncertain = pricing === 'unknown' || pricing === 'assumed';
  const isSelected = isUncertain || (entries === 'all' && pricing !== 'provider');
  const parts = billedPartsOf(entry);
  if (!isSelected || parts === null || provider === null || model === null) return null;
  const { price } = priceUsage(
    {
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
    },
    table,
  );
  if (price.pricing === 'unknown') return null;
  const isSame = price.pricing === pricing && subtractUsd(price.cost_usd, entry.cost_usd) === '0';
  return isSame ? null : price;
}

export interface TaskParameters {
  repricing: Repricing;
  /** Omitted for all organizations. */
  organization?: string;
  /** The bounds of the window as the operator entered them: the default of `to` differs in each run. */
  from?: number;
  to?: number;
}

/** A hash of everything that determines the result of a `costs reprice` task. A run continues only a task with the same name. */
export function taskName({ repricing, organization, from, to }: TaskParameters): string {
  const { entries, table, settings } = repricing;
  const prices = Object.keys(settings)
    .sort()
    .map((name) => [name, settings[name]?.prices ?? null, settings[name]?.priceFactor ?? null]);
  const identity = [entries, organization ?? null, from ?? null, to ?? null, table.version, prices];
  return createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 22);
}
