/**
 * Requests whose cost was worked out by hand, from the prices that the providers publish.
 *
 * `worked` is tokens × dollars per million tokens, for each kind of token; `cost` is a millionth of its sum.
 */

export interface PriceList {
  provider: string;
  /** The page with the prices. */
  source: string;
  requests: readonly WorkedRequest[];
}

export interface WorkedRequest {
  /** What the request is here for. */
  shows: string;
  model: string;
  responseModel?: string;
  /** 2026-11-20T12:00:00Z when nothing is said. */
  at?: string;
  reportedCostUsd?: string;
  usage: WorkedUsage;
  worked: string;
  cost: string;
  pricing?: 'provider' | 'unknown';
}

export interface WorkedUsage {
  fresh?: number;
  cached?: number;
  written?: number;
  writtenForAnHour?: number;
  output?: number;
  /** Parts of the counts above. */
  reasoning?: number;
  audioInput?: number;
  cachedAudioInput?: number;
  audioOutput?: number;
  imageOutput?: number;
}
