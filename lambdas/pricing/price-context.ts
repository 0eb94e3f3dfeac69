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
