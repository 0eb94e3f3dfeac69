import { createHash } from 'node:crypto';
import { type Price, priceUsage } from '#lambdas/pricing/price.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { hasUncertainPrice, type KnownPrices, priceRequestOf, replacementOf } from '../price-request.ts';

export interface Repricing extends KnownPrices {
  /** Entries whose price is unknown or assumed, or all except those whose cost the provider stated. */
  entries: 'uncertain' | 'all';
}

/**
 * Prices the entry as the chat function would. `null` when the entry keeps its price: because the provider reported it, the
 * entry has no usage, its cost and `pricing` stay the same, or there is no current price.
 */
export function newPriceOf(entry: LogEntry, repricing: Repricing): Price | null {
  const { entries, table } = repricing;
  const isSelected = hasUncertainPrice(entry) || (entries === 'all' && entry.pricing !== 'provider');
  const request = isSelected ? priceRequestOf(entry, repricing) : null;
  return request && replacementOf(entry, priceUsage(request, table).price);
}

interface TaskParameters {
  repricing: Repricing;
  /** Omitted for all organizations. */
  organization?: string;
  /** The bounds of the window as the operator entered them: the default of `to` differs in each run. */
  from?: number;
  to?: number;
}

/** A hash of everything that determines the result of a `costs reprice` task. A run continues only a task with the same name. */
export function taskName({ repricing, organization, from, to }: TaskParameters): string {
  const { entries, table, settings, customPrices } = repricing;
  const settingsPrices = Object.keys(settings)
    .sort()
    .map((name) => [name, settings[name]?.prices ?? null, settings[name]?.priceFactor ?? null]);
  const identity = [
    entries,
    organization ?? null,
    from ?? null,
    to ?? null,
    table.version,
    settingsPrices,
    customPrices.all,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 22);
}
