/** The models of all providers with their prices. Imports the price table, so it is loaded on demand. */
import { modelsOf, type ProviderModel } from '#lambdas/inference/models/list.ts';
import { providerEndpoint } from '#lambdas/inference/providers/endpoint.ts';
import { type ProviderSetUp, readProviderSetUps } from '#lambdas/inference/providers/set-up.ts';
import { usdFromNumber } from '#lambdas/platform/money.ts';
import { type CustomPriceSnapshot, readCustomPricesForModels } from '#lambdas/pricing/custom/store.ts';
import { type KindRate, type ModelPrice, modelPricesOf } from '#lambdas/pricing/model-prices.ts';
import { type PriceVersion, priceVersionsOf } from '#lambdas/pricing/price-versions.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import { chargeTypes } from '#lambdas/reports/logs/cost-breakdown.ts';
import type { ProviderDependencies } from './call.ts';
import type {
  ModelList,
  ModelPrice as ModelPriceJson,
  ModelRate,
  ModelSummary,
  PriceVersion as PriceVersionJson,
} from './responses.ts';

interface PriceListRequest {
  providers: ProviderDependencies;
  organizationId: string;
  at: Date;
}

export async function readPriceList({ providers, organizationId, at }: PriceListRequest): Promise<ModelList> {
  const { region, customPrices } = providers;
  const setUps = await readProviderSetUps(providers);
  const models = setUps.flatMap((setUp) =>
    modelsOf(setUp.access, { region, at }).map((model) => ({
      ...model,
      setUp,
      id: `${setUp.access.name}/${model.name}`,
    })),
  );
  const ids = models.map(({ id }) => id);
  const snapshot = await readCustomPricesForModels(customPrices, organizationId, ids);
  const request = { region, organizationId, snapshot, at };
  return {
    object: 'list',
    data: models.map((model) => toSummary(model, request)).sort((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

interface NamedModel extends ProviderModel {
  setUp: ProviderSetUp;
  id: string;
}

interface SummaryRequest {
  region: string;
  organizationId: string;
  snapshot: CustomPriceSnapshot;
  at: Date;
}

function toSummary({ setUp, name, id, operations }: NamedModel, request: SummaryRequest): ModelSummary {
  const { access, isSetUp } = setUp;
  const { name: provider, settings } = access;
  const endpoint = providerEndpoint(access, request.region);
  const sources = {
    provider,
    model: name,
    settings,
    findCustomPrices: (model: string) =>
      request.snapshot.find(request.organizationId, `${provider}/${model}`),
  };
  const region = priceTable.findRegion({ provider, model: name, ...endpoint });
  const prices = modelPricesOf({ ...sources, at: request.at, region });
  const versions = priceVersionsOf(sources).map(versionJson);
  return { id, provider, operations, set_up: isSetUp, prices: prices.map(priceJson), versions };
}

function priceJson({ isAssumed, rates, above, ...price }: ModelPrice): ModelPriceJson {
  return {
    ...price,
    assumed: isAssumed,
    rates: rates.map(rateJson),
    above: above.map((tier) => ({ input_tokens: tier.inputTokens, rates: tier.rates.map(rateJson) })),
  };
}

function versionJson({ source, tier, from, usd, set }: PriceVersion): PriceVersionJson {
  return {
    source,
    tier,
    from,
    input_usd: usd && usdFromNumber(usd.input),
    cached_input_usd: usd?.cachedInput == null ? null : usdFromNumber(usd.cachedInput),
    output_usd: usd && usdFromNumber(usd.output),
    set_by: set?.by ?? null,
    set_at: set?.at ?? null,
  };
}

function rateJson({ kind, usd, per, isAssumed }: KindRate): ModelRate {
  return { type: chargeTypes[kind], usd: usdFromNumber(usd), per, assumed: isAssumed };
}
