/** Lists the prices of a model, as requests are billed now: for its standard tier, and for its other tiers and speeds. */

import { customPriceAt } from './custom/custom-price.ts';
import { contextBounds, hasOwnPrice, type ListPrices } from './list-prices.ts';
import { type FoundRates, type PriceOrigin, type PriceSources, rateFinders } from './precedence.ts';
import { isStandardName, type PriceContext, type RateLookup } from './price-context.ts';
import { type ChargeKind, type Rates, tokenKinds } from './rates.ts';
import { findModelInTier, matchesModelName } from './table/find-model.ts';
import { findTablePrices, priceTable } from './table/price-table.ts';
import { providerInTable } from './table/price-table-names.ts';
import { providerPrices } from './table/provider-prices.ts';
import { isSameTier } from './tier.ts';
import { unitKinds } from './usage.ts';

interface ModelPricesRequest extends PriceSources {
  provider: string;
  /** The provider's name for the model. */
  model: string;
  /** As `findRegion` returns it. */
  region: string | null;
  at: Date;
}

export interface ModelPrice {
  /** `null` for the standard tier. */
  tier: string | null;
  source: PriceOrigin['source'];
  /** The version of the price table; `null` for prices of the operator. */
  version: string | null;
  /** When the price began, in RFC 3339; `null` if it has been valid since before the table or setting began. */
  since: string | null;
  /** True when the prices of tokens may not be those of the model and its tier. */
  isAssumed: boolean;
  rates: readonly KindRate[];
  /** The rates of requests with more input tokens, in ascending order. */
  above: readonly { inputTokens: number; rates: readonly KindRate[] }[];
}

/** Kinds whose price is not stated, but follows from that of another kind, are left out. */
export interface KindRate {
  kind: ChargeKind;
  usd: number;
  /** For this number of tokens, requests or units. */
  per: number;
  isAssumed: boolean;
}

/** The standard tier first. Empty without a known price. */
export function modelPricesOf(request: ModelPricesRequest): ModelPrice[] {
  const prices = contextsOf(request).map((tier) => priceOfTier(request, tier));
  return prices.filter((price) => price !== null);
}

interface TierContext {
  tier: string | null;
  context: PriceContext;
}

function contextsOf(request: ModelPricesRequest): TierContext[] {
  const { provider, region } = request;
  const standard: PriceContext = { serviceTier: null, speed: null, inferenceGeo: null, region };
  const others: TierContext[] = [];
  for (const [tier, field] of [...tiersInTable(request), ...tiersWithCustomPrice(request)]) {
    const isListed = others.some((other) => isSameTier(provider, other.tier, tier));
    if (!isListed && !isStandardName(tier)) others.push({ tier, context: { ...standard, [field]: tier } });
  }
  return [{ tier: null, context: standard }, ...others];
}

type NamedTier = readonly [tier: string, field: 'serviceTier' | 'speed'];

function tiersInTable({ provider, model }: ModelPricesRequest): NamedTier[] {
  const { tiers = [], factors = [] } = providerPrices(providerInTable(provider)) ?? {};
  const withPrices = tiers
    .flatMap(({ names }) => names.slice(0, 1))
    .filter((name) => findModelInTier(provider, model, name) !== null);
  const withFactor = factors
    .filter(({ when }) => when === 'service_tier' || when === 'speed')
    .filter(({ match }) => matchesModelName(match, provider, model));
  return [
    ...withPrices.map((name) => [name, 'serviceTier'] as const),
    ...withFactor.map(({ when, is }) => [is, when === 'speed' ? 'speed' : 'serviceTier'] as const),
  ];
}

function tiersWithCustomPrice({ provider, model, at, findCustomPrices }: ModelPricesRequest): NamedTier[] {
  const { organization, all } = findCustomPrices(model);
  return [organization, all].flatMap((prices) =>
    prices.flatMap(({ tier }) =>
      tier !== null && customPriceAt(prices, { provider, tier, at })?.price
        ? [[tier, 'serviceTier'] as const]
        : [],
    ),
  );
}

function priceOfTier(request: ModelPricesRequest, { tier, context }: TierContext): ModelPrice | null {
  const { provider, model, at } = request;
  const lookup = { provider, model, context, at };
  const finders = rateFinders(request, priceTable);
  const ratesFor = (contextTokens: number) => {
    for (const findRates of finders) {
      const found = findRates({ ...lookup, contextTokens });
      if (found !== null) return withUnits(found, { ...lookup, contextTokens });
    }
    return null;
  };
  const found = ratesFor(0);
  if (found === null || (tier !== null && found.isForAllTiers)) return null;
  const { prices, since } = statedPrices(found.origin, lookup);
  const rates = kindRates(found.rates, prices);
  if (rates.length === 0) return null;
  return {
    tier,
    source: found.origin.source,
    version: found.origin.source === 'table' ? found.version : null,
    since,
    isAssumed: found.rates.isAssumed,
    rates,
    above: contextBounds(prices).map((inputTokens) => {
      const longer = ratesFor(inputTokens + 1) ?? found;
      return { inputTokens, rates: kindRates(longer.rates, prices) };
    }),
  };
}

/** Only the table has prices of units, which are added to all others. */
function withUnits(found: FoundRates, lookup: RateLookup): FoundRates {
  const units = { ...priceTable.findRates(lookup)?.units, ...found.rates.units };
  return { ...found, rates: { ...found.rates, units } };
}

function statedPrices(
  origin: PriceOrigin,
  lookup: Omit<RateLookup, 'contextTokens'>,
): { prices: ListPrices; since: string | null } {
  if (origin.source !== 'table') return origin;
  const { prices, from } = findTablePrices(lookup) ?? { prices: {}, from: null };
  return { prices, since: from === null ? null : new Date(from).toISOString() };
}

function kindRates({ usdPerMillion, usdPerThousandRequests, units }: Rates, prices: ListPrices): KindRate[] {
  const rates: KindRate[] = [];
  for (const kind of tokenKinds) {
    const usd = usdPerMillion[kind];
    if (usd === null) continue;
    // A free model states no price.
    const isListed = hasOwnPrice(prices, kind) || kind === 'textInput' || kind === 'textOutput';
    if (isListed) rates.push({ kind, usd, per: 1_000_000, isAssumed: false });
  }
  if (usdPerThousandRequests > 0) {
    rates.push({ kind: 'requests', usd: usdPerThousandRequests, per: 1_000, isAssumed: false });
  }
  for (const kind of unitKinds) {
    const rate = units[kind];
    if (rate === undefined) continue;
    const { usd, per, oncePerRequest, isAssumed = false } = rate;
    rates.push({ kind: oncePerRequest ? 'groundedRequests' : kind, usd, per, isAssumed });
  }
  return rates;
}
