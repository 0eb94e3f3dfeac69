/** The operator's settings of the providers. Synth validates them and hands them to the functions as JSON. */
import type { TokenPrices } from '#lambdas/pricing/price.ts';

export interface ProviderSettings {
  /** The provider's address, e.g. `https://llm.example.com/v1`; a trailing slash does not matter. */
  baseUrl?: string;
  /** The address is in a private network, where plain `http` is allowed. */
  private?: boolean;
  /** The region of a provider that has regions; the function's own by default. */
  region?: string;
  /** US dollars per million tokens; used instead of the built-in price table for every model of this provider. */
  prices?: TokenPrices;
  /** The models that `GET /ai/models` lists, by the provider's names; those of the price table by default. */
  models?: readonly string[];
}

/** By provider name. */
export type ProviderSettingsByName = Readonly<Record<string, ProviderSettings>>;

/** Lower-case letters, digits and hyphens. */
export const providerNamePattern = /^[a-z][a-z0-9-]{0,31}$/;

export function isProviderName(text: string): boolean {
  return providerNamePattern.test(text);
}
