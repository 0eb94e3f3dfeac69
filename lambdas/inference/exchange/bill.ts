/**
 * Prices the usage of a request. Logs errors instead of throwing them, since the response has already been sent. Loaded while
 * the provider works.
 */
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import type { Price } from '#lambdas/pricing/price.ts';
import { type PriceContext, unknownPrice } from '#lambdas/pricing/price-context.ts';
import type { Pricing } from '#lambdas/pricing/pricing.ts';
import { type BilledParts, mergeRounds } from '#lambdas/pricing/usage.ts';
import type { ResponseFacts } from '../completion/facts.ts';
import type { Exchange } from './exchange.ts';
import { type Bill, noBill } from './log-entry.ts';

type PriceInput = Readonly<Pick<Exchange, 'facts' | 'apiKey' | 'provider' | 'model' | 'receivedAtMs'>>;

/** Applies the prices that were valid when the request was received. */
export async function billOf(
  { facts, apiKey, provider, model, receivedAtMs }: PriceInput,
  loadPricing: () => Promise<Pricing>,
): Promise<Bill> {
  const { usage, billedParts, responseModel, reportedCostUsd, pricingGaps: gaps } = facts;
  const { serviceTier, speed, inferenceGeo } = facts;
  const context: PriceContext = { serviceTier, speed, inferenceGeo, region: null };
  const bill: Bill = { ...noBill, context };
  if (provider === null || model === null) return bill;
  if (usage === null) return reportedCostUsd === null ? bill : { ...bill, price: priceWithoutTable(facts) };
  const { name, settings } = provider;
  const parts: BilledParts = billedParts ?? [{ model: null, usage }];
  const at = new Date(receivedAtMs);
  try {
    const pricing = await loadPricing();
    context.region = pricing.findRegion({
      provider: name,
      model,
      host: provider.host,
      region: provider.region,
    });
    const request = { provider: name, model, responseModel, context, parts, gaps, at, settings };
    const priced = await pricing.priceUsage(apiKey.organization_id, { ...request, reportedCostUsd });
    const { parts: pricedParts, price, isCurrent } = priced;
    const isAssumed = !isCurrent && price.pricing !== 'unknown';
    return {
      ...bill,
      parts: pricedParts,
      price: isAssumed ? { ...price, pricing: 'assumed' } : price,
      isPriceUnread: !isCurrent,
    };
  } catch (error) {
    logUnexpected(error);
    const price = priceWithoutTable(facts);
    return { ...bill, parts: mergeRounds(parts), price, isPriceUnread: price.pricing === 'unknown' };
  }
}

/** A cost that the response states is kept: it cannot be calculated later. */
function priceWithoutTable({ reportedCostUsd, pricingGaps }: ResponseFacts): Price {
  if (reportedCostUsd !== null) {
    return { cost_usd: reportedCostUsd, pricing: 'provider', pricing_version: null, pricing_gaps: null };
  }
  const pricing_gaps = pricingGaps.length === 0 ? null : pricingGaps;
  return { ...unknownPrice, pricing_gaps };
}
