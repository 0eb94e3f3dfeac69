import type { Pricing } from '#lambdas/pricing/pricing.ts';
import type { Exchange } from './exchange.ts';

/** Loads the price table and the custom prices of the model while the provider works. `billOf` handles a failure. */
export function prefetchPrices(
  { apiKey, provider, model }: Readonly<Pick<Exchange, 'apiKey' | 'provider' | 'model'>>,
  loadPricing: () => Promise<Pricing>,
): void {
  if (provider === null || model === null) return;
  loadPricing()
    .then((pricing) => pricing.prefetch(apiKey.organization_id, provider.name, model))
    .catch(() => {});
}
