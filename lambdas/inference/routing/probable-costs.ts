/** Estimates what a request costs at each target of a route, by the price table and the custom prices. */
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { Route } from '#lambdas/routing/route.ts';
import type { PreparedExchange } from '../exchange/attempt.ts';
import { likelyOutputTokens } from '../exchange/likely-output.ts';
import { noBill } from '../exchange/log-entry.ts';
import type { OperationRequest } from '../operation.ts';
import type { RouteDependencies } from './dependencies.ts';

interface PricedRequest {
  text: string;
  parsed: OperationRequest;
  route: Pick<Route, 'targets'>;
}

/**
 * In dollars, in the order of the targets, for the estimated input and the requested limit of the output or a typical one. `null`
 * without a price.
 */
export async function probableCosts(
  { providers, loadPricing }: Pick<RouteDependencies, 'providers' | 'loadPricing'>,
  { apiKey, operation, receivedAtMs }: Pick<PreparedExchange, 'apiKey' | 'operation' | 'receivedAtMs'>,
  { text, parsed, route }: PricedRequest,
): Promise<(number | null)[]> {
  const pricing = await loadPricing();
  const { usage: input } = parsed.estimateInput().facts;
  const outputTokens = operation.name === 'embeddings' ? 0 : likelyOutputTokens(text);
  const usage = { ...noUsage, ...input, outputTokens };
  return Promise.all(
    route.targets.map(async (target) => {
      try {
        const { provider, model } = providers.resolve(target.model);
        const { name, host, settings } = provider;
        const region = pricing.findRegion({ provider: name, model, host, region: provider.region });
        const { price } = await pricing.priceUsage(apiKey.organization_id, {
          provider: name,
          model,
          responseModel: null,
          context: { ...noBill.context, region },
          parts: [{ model: null, usage }],
          gaps: [],
          reportedCostUsd: null,
          at: new Date(receivedAtMs),
          settings,
        });
        return price.pricing === 'unknown' ? null : Number(price.cost_usd);
      } catch (error) {
        logUnexpected(error);
        return null;
      }
    }),
  );
}
