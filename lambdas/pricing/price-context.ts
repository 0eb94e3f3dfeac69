/** Everything besides the model and the time that can change a price. `null` where the response says nothing. */
export interface PriceContext {
  /** The tier that served the request, as the provider names it; it may differ from the requested one. */
  serviceTier: string | null;
  /** Anthropic's speed mode. */
  speed: string | null;
  /** Where the provider ran the inference, as it names it. */
  inferenceGeo: string | null;
  /** Follows from the provider's address or the model's name. */
  region: string | null;
}

export interface RateLookup {
  provider: string;
  model: string;
  context: PriceContext;
  at: Date;
  /** The input tokens that select a long-context price, cached or not. */
  contextTokens: number;
}

/** Names of the standard tier, speed or place. Case does not matter. */
export function isStandardName(name: string): boolean {
  return /^(default|standard|auto|on_demand)$/i.test(name);
}

/** The part of a provider's settings that contains prices. */
export interface PriceSettings {
  /** Replace the token prices of the table for every model of this provider. */
  prices?: TokenPrices;
  /** Multiplies the token prices of the table, for example for a regional endpoint. */
  priceFactor?: number;
}

/** US dollars per million tokens. Cached input and cache writes without their own price cost as much as `input`. */
export interface TokenPrices {
  input: number;
  output: number;
  cachedInput?: number;
  cacheWriteInput?: number;
}

/** By provider name. */
export type PriceSettingsByProvider = Readonly<Record<string, PriceSettings>>;

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
export const pricingGaps = [
  'code_execution',
  'browser_automation',
  'maps_grounding',
  'image_generation',
] as const;
export type PricingGap = (typeof pricingGaps)[number];
