/**
 * How certain a price is, most certain first: stated in the response, configured by the operator, in the price table,
 * derived from the price of a similar model or tier, or not known.
 */
export const priceSources = ['provider', 'configuration', 'table', 'assumed', 'unknown'] as const;
export type PriceSource = (typeof priceSources)[number];

/** The price of usage for which none is known yet. */
export const unknownPrice = {
  cost_usd: '0',
  pricing: 'unknown',
  pricing_version: null,
  pricing_gaps: null,
} as const;

/** Charges that a response shows without their amount. */
export const pricingGaps = ['code_execution', 'browser_automation', 'maps_grounding'] as const;
export type PricingGap = (typeof pricingGaps)[number];
