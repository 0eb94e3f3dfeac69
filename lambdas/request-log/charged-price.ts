/** Calculates what a request counts as, where its usage or the price of its usage is not certain. */
import { toUnits } from '#lambdas/platform/money.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import type { LogEntry } from './entry.ts';

export type ChargedRequest = Pick<LogEntry, 'outcome' | 'usage_source' | 'usage_warnings' | 'reserved_usd'>;

/**
 * `price` is that of the known usage. The provider may have charged more, such as for hidden reasoning, so a request that has
 * reserved an amount from a hard budget then costs at least that amount. Reported usage that cannot be right keeps its cost,
 * which is then not certain. A cost that the response states is certain.
 */
export function chargedPrice(price: Price, request: ChargedRequest): Price {
  const { outcome, usage_source, usage_warnings, reserved_usd } = request;
  const { pricing, cost_usd, pricing_gaps } = price;
  if (pricing === 'provider') return price;
  const isReported = usage_source === 'provider' && pricing !== 'unknown';
  if (!isReported && reserved_usd !== null && toUnits(reserved_usd) > toUnits(cost_usd)) {
    return { cost_usd: reserved_usd, pricing: 'assumed', pricing_version: null, pricing_gaps };
  }
  const isIncomplete = usage_source === 'incomplete' || (outcome === 'interrupted' && !isReported);
  const isAssumed = isIncomplete || usage_warnings !== null;
  return isAssumed && pricing !== 'unknown' ? { ...price, pricing: 'assumed' } : price;
}
