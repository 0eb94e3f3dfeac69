/** The setting `providers`. Synth validates it and passes it to the functions as JSON. */
import type { TokenPrices } from '#lambdas/pricing/price.ts';

export interface ProviderSettings {
  /** For example `https://llm.example.com/v1`. A trailing slash is ignored. */
  baseUrl?: string;
  /** Set when the base URL is in a private network, which allows plain `http`. */
  private?: boolean;
  /** The function's region by default. */
  region?: string;
  /** US dollars per million tokens, which replace the built-in price table for every model of this provider. */
  prices?: TokenPrices;
  /** The models that `GET /ai/models` lists, by the provider's names; those of the price table by default. */
  models?: readonly string[];
}

export type ProviderSettingsByName = Readonly<Record<string, ProviderSettings>>;

export const providerNamePattern = /^[a-z][a-z0-9-]{0,31}$/;

export function isProviderName(text: string): boolean {
  return providerNamePattern.test(text);
}
