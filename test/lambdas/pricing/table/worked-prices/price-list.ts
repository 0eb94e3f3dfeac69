/** Requests whose cost was calculated manually from the providers' published prices. */

export interface PriceList {
  provider: string;
  source: string;
  requests: readonly PricedRequest[];
}

export interface PricedRequest {
  scenario: string;
  model: string;
  responseModel?: string;
  /** 2026-11-20T12:00:00Z when missing. */
  at?: string;
  reportedCostUsd?: string;
  usage: PricedUsage;
  /** The sum of tokens × US dollars per million tokens, such as `1000 × 5 + 500 × 25`. */
  calculation: string;
  /** In US dollars. */
  cost: string;
  pricing?: 'provider' | 'assumed' | 'unknown';
}

export interface PricedUsage {
  fresh?: number;
  cached?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  output?: number;
  // Parts of the counts above.
  reasoning?: number;
  audioInput?: number;
  cachedAudioInput?: number;
  audioOutput?: number;
  imageOutput?: number;
}
