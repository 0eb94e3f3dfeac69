import { createHash } from 'node:crypto';
import { subtractUsd } from '#lambdas/platform/money.ts';
import {
  type ConfiguredPrices,
  type Price,
  type PriceTable,
  priceUsage,
  type TokenPrices,
} from '#lambdas/pricing/price.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFromFields } from '#lambdas/request-log/entry-usage.ts';

export interface Repricing {
  /** Only entries without a price, or also entries with a list price. */
  entries: 'unknown' | 'all';
  table: PriceTable;
  settings: ConfiguredPrices;
}

/**
 * Prices the entry as the chat function would. `null` when the entry keeps its price: because the provider reported it, the
 * entry has no usage, the cost is the same, or there is no current price.
 */
export function newPriceOf(entry: LogEntry, { entries, table, settings }: Repricing): Price | null {
  const { provider, model, pricing } = entry;
  const isSelected = pricing === 'unknown' || (pricing === 'table' && entries === 'all');
  const usage = usageFromFields(entry);
  if (!isSelected || usage === null || provider === null || model === null) return null;
  const price = priceUsage(
    {
      provider,
      model,
      responseModel: entry.response_model,
      usage,
      reportedCostUsd: null,
      at: new Date(entry.created_at),
      configuredPrices: configuredPrices(settings, provider),
    },
    table,
  );
  if (price.pricing === 'unknown') return null;
  const isSame = price.pricing === pricing && subtractUsd(price.cost_usd, entry.cost_usd) === '0';
  return isSame ? null : price;
}

function configuredPrices(settings: ConfiguredPrices, provider: string): TokenPrices | null {
  return (Object.hasOwn(settings, provider) && settings[provider]?.prices) || null;
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
    .map((name) => [name, settings[name]?.prices ?? null]);
  const identity = [entries, organization ?? null, from ?? null, to ?? null, table.version, prices];
  return createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 22);
}
