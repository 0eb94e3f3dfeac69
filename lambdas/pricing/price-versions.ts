/** The versions of a model's prices over time, as far as they are stored: those of the operator, and dated ones of the table. */
import type { CustomPrice, PriceAuthor } from './custom/custom-price.ts';
import type { ListPrices } from './list-prices.ts';
import type { PriceSources } from './precedence.ts';
import { findPricedModel } from './table/find-model.ts';
import { isSchedule } from './table/provider-prices.ts';

export interface PriceVersion {
  source: 'organization' | 'all_organizations' | 'table';
  tier: string | null;
  /** RFC 3339; `null` for the first version of the table. */
  from: string | null;
  /** US dollars per million tokens; `null` when a price of the operator ends. */
  usd: { input: number; cachedInput: number | null; output: number } | null;
  set: PriceAuthor | null;
}

interface VersionsRequest extends PriceSources {
  provider: string;
  model: string;
}

/** The version that begins last comes first. */
export function priceVersionsOf(request: VersionsRequest): PriceVersion[] {
  const { organization, all } = request.findCustomPrices(request.model);
  const versions = [
    ...organization.map((price) => customVersion('organization', price)),
    ...all.map((price) => customVersion('all_organizations', price)),
    ...tableVersions(request),
  ];
  return versions.toSorted((one, other) => startOf(other) - startOf(one));
}

function startOf({ from }: PriceVersion): number {
  return from === null ? 0 : Date.parse(from);
}

function customVersion(
  source: PriceVersion['source'],
  { from, tier, price, set }: CustomPrice,
): PriceVersion {
  const usd = price && {
    input: price.prices.input,
    cachedInput: price.prices.cache_read ?? null,
    output: price.prices.output,
  };
  return { source, tier, from, usd, set: set ?? null };
}

/** Prices of hours of the day are no versions. With settings of the operator, the table has not the prices that apply. */
function tableVersions({ provider, model, settings }: VersionsRequest): PriceVersion[] {
  const prices = findPricedModel(provider, model)?.model[1];
  if (prices === undefined || !isSchedule(prices) || settings.priceFactor !== undefined) return [];
  if (prices.every(({ from }) => from === undefined)) return [];
  return prices.flatMap(({ from, between, prices: list }): PriceVersion[] => {
    const [input, output] = [basePrice(list, 'input'), basePrice(list, 'output')];
    if (between !== undefined || input === null) return [];
    const usd = { input, cachedInput: basePrice(list, 'cache_read'), output: output ?? 0 };
    return [
      { source: 'table', tier: null, from: from ? new Date(from).toISOString() : null, usd, set: null },
    ];
  });
}

function basePrice(prices: ListPrices, kind: 'input' | 'cache_read' | 'output'): number | null {
  const price = prices[kind];
  if (price === undefined) return null;
  return typeof price === 'number' ? price : price[0];
}
