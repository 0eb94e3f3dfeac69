/** The price of an entry that was priced before, by the prices of today. */

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
import { usageOf } from '#lambdas/request-log/entry-usage.ts';

export interface Repricing {
  /** The entries without a price, or also those with a price from a list. */
  entries: 'unknown' | 'all';
  table: PriceTable;
  settings: ConfiguredPrices;
}

/**
 * The price that the entry should have from now on, as chat would price it; `null` where it keeps what it has: what a
 * provider stated, what has no usage, what costs the same, and what has no price today, though it may have had one.
 */
export function newPriceOf(entry: LogEntry, { entries, table, settings }: Repricing): Price | null {
  const { provider, model, pricing } = entry;
  const isChosen = pricing === 'unknown' || (pricing === 'table' && entries === 'all');
  const usage = usageOf(entry);
  if (!isChosen || usage === null || provider === null || model === null) return null;
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

export interface TaskFacts {
  repricing: Repricing;
  /** The organization that was named: of all, a run leaves out those before the one where it was stopped. */
  organization?: string;
  /** As they were given: an open end is not the same moment in each run. */
  from?: number;
  to?: number;
}

/** Identifies a task of `costs reprice` by everything that decides what it does: a task only continues itself. */
export function taskName({ repricing, organization, from, to }: TaskFacts): string {
  const { entries, table, settings } = repricing;
  const prices = Object.keys(settings)
    .sort()
    .map((name) => [name, settings[name]?.prices ?? null]);
  const facts = [entries, organization ?? null, from ?? null, to ?? null, table.version, prices];
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 22);
}
