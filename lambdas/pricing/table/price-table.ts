/**
 * The built-in price table, with tiers, cache prices, dated price changes and surcharges: the prices of
 * `@pydantic/genai-prices` and those of the folder `prices`, which take precedence.
 *
 * The chat function imports this file while it waits for the provider's response. The gateway calculates costs itself,
 * since the package adds binary floating-point numbers and rejects contradictory usage.
 */

import { assumedKindsOf, isFree, type ListPrices, ratesOf } from '../list-prices.ts';
import { isStandardName, type PriceContext, type RateLookup } from '../price-context.ts';
import { multiplyRates, type Rates, type UnitRate } from '../rates.ts';
import type { UnitKind } from '../usage.ts';
import {
  derivedPrices,
  type FoundModel,
  findModelInTier,
  findPricedModel,
  matchesModelName,
} from './find-model.ts';
import { priceDataVersion } from './price-data.ts';
import { geographyPattern, providerInTable } from './price-table-names.ts';
import {
  type FactorCondition,
  isSchedule,
  type ModelPrices,
  type PricedUnit,
  type ProviderPrices,
  providerPrices,
  type ScheduledPrices,
  type UnitPrice,
} from './provider-prices.ts';

export interface PriceTable {
  version: string;
  findRates(lookup: RateLookup): Rates | null;
  findRegion(endpoint: ModelEndpoint): string | null;
}

interface ModelEndpoint {
  provider: string;
  model: string;
  host: string;
  /** The region of the endpoint, for a provider in AWS. */
  region: string | null;
}

export const priceTable: PriceTable = {
  version: priceDataVersion,

  findRates({ at, contextTokens, ...names }) {
    const { found, hasAssumedFactor, factor, units, derived } = resolveOnce(names);
    if (found === null) return null;
    const entry = entryAt(found.model[1], at);
    const rates = ratesOf(entry.prices, contextTokens);
    return {
      ...rates,
      usdPerMillion: multiplyRates(rates.usdPerMillion, factor),
      units: { ...rates.units, ...units },
      isAssumed: (hasAssumedFactor && !isFree(entry.prices)) || !found.isExact || entry.assumed === true,
      assumedKinds: assumedKindsOf(entry.prices, derived),
    };
  },

  findRegion({ provider, model, host, region }) {
    if (region !== null) return geographyOf(model) ?? region;
    const { hosts = {} } = providerPrices(providerInTable(provider)) ?? {};
    return (Object.hasOwn(hosts, host) && hosts[host]) || null;
  },
};

interface TablePrices {
  /** As the table states them, without the factors of tiers and places. */
  prices: ListPrices;
  /** The first day on which they apply (UTC); `null` if they apply since before the table began. */
  from: string | null;
}

/** The prices from which `findRates` calculates. */
export function findTablePrices({ at, ...names }: Omit<RateLookup, 'contextTokens'>): TablePrices | null {
  const { found } = resolveOnce(names);
  if (found === null) return null;
  const { prices, from = null } = entryAt(found.model[1], at);
  return { prices, from };
}

/** `us.anthropic.claude-…` is an inference profile of Bedrock, which distributes requests over a geography. */
function geographyOf(model: string): string | null {
  return geographyPattern.exec(model)?.[1] ?? null;
}

/** Everything about a model in a price context that depends neither on the time nor on the usage. */
interface ResolvedModel {
  found: FoundModel | null;
  factor: number;
  /** True when the tier or place may have another factor. */
  hasAssumedFactor: boolean;
  units: Rates['units'];
  derived: ReadonlySet<string>;
}

/** A lookup compares the name with all models of the provider. Callers' model names have at most 256 bytes. */
const memoized = memoize<ResolvedModel>({ maxEntries: 1000, maxKeyLength: 500 });

type ModelInContext = Pick<RateLookup, 'provider' | 'model' | 'context'>;

function resolveOnce({ provider, model, context }: ModelInContext): ResolvedModel {
  return memoized(JSON.stringify([provider, model, context]), () => resolve(provider, model, context));
}

function resolve(provider: string, model: string, context: PriceContext): ResolvedModel {
  const { serviceTier, speed, inferenceGeo, region } = context;
  const prices = providerPrices(providerInTable(provider)) ?? { models: [] };
  const tierRow = serviceTier === null ? null : findModelInTier(provider, model, serviceTier);
  const speedRow = speed === null || tierRow !== null ? null : findModelInTier(provider, model, speed);
  const conditions: [FactorCondition, string | null][] = [
    ['service_tier', tierRow === null ? serviceTier : null],
    ['speed', speedRow === null ? speed : null],
    ['inference_geo', inferenceGeo],
    ['region', region],
  ];
  let factor = 1;
  let hasAssumedFactor = false;
  for (const [when, is] of conditions) {
    if (is === null || isStandardName(is)) continue;
    const surcharge = prices.factors?.find(
      (candidate) =>
        candidate.when === when && candidate.is === is && matchesModelName(candidate.match, provider, model),
    );
    factor *= surcharge?.factor ?? 1;
    // A place without a surcharge for the model is normal; a tier without a price for the model is not.
    const hasPrice = surcharge !== undefined || when === 'inference_geo' || when === 'region';
    hasAssumedFactor ||= !hasPrice || surcharge?.assumed === true;
  }
  return {
    found: tierRow ?? speedRow ?? findPricedModel(provider, model),
    factor,
    hasAssumedFactor,
    units: unitRates(prices, ({ match }) => matchesModelName(match, provider, model)),
    derived: derivedPrices(provider, model),
  };
}

const unitRatesOf: Record<PricedUnit, { kind: UnitKind; rate: Omit<UnitRate, 'usd'> }> = {
  web_searches: { kind: 'webSearches', rate: { per: 1_000 } },
  grounded_requests: { kind: 'webSearches', rate: { per: 1_000, oncePerRequest: true } },
  page_visits: { kind: 'pageVisits', rate: { per: 1_000 } },
  file_searches: { kind: 'fileSearches', rate: { per: 1_000 } },
  audio_minutes: { kind: 'audioInputSeconds', rate: { per: 60 } },
};

function unitRates(
  { units = [] }: ProviderPrices,
  applies: (price: UnitPrice) => boolean,
): Partial<Record<UnitKind, UnitRate>> {
  const rates: Partial<Record<UnitKind, UnitRate>> = {};
  for (const price of units.filter(applies)) {
    const { kind, rate } = unitRatesOf[price.unit];
    rates[kind] = { ...rate, usd: price.usd, ...(price.assumed && { isAssumed: true }) };
  }
  return rates;
}

type Memoized<Value> = (key: string, compute: () => Value) => Value;

/** Caches at most `maxEntries` values. A full cache is cleared: frequent keys are soon cached again. */
export function memoize<Value extends object | null>({
  maxEntries,
  maxKeyLength,
}: {
  maxEntries: number;
  maxKeyLength: number;
}): Memoized<Value> {
  const cached = new Map<string, Value>();
  return (key, compute) => {
    const hit = cached.get(key);
    if (hit !== undefined) return hit;
    const value = compute();
    if (key.length > maxKeyLength) return value;
    if (cached.size >= maxEntries) cached.clear();
    cached.set(key, value);
    return value;
  };
}

export function entryAt(prices: ModelPrices, at: Date): Pick<ScheduledPrices, 'prices' | 'assumed' | 'from'> {
  if (!isSchedule(prices)) return { prices };
  return prices.findLast((entry) => applies(entry, at)) ?? prices[0];
}

/** ISO 8601 days and times sort as text. */
function applies(
  { from = '', between, weekdays, except }: Omit<ScheduledPrices, 'prices' | 'assumed'>,
  at: Date,
): boolean {
  const [day = '', time = ''] = at.toISOString().split('T');
  if (day < from || except?.includes(day)) return false;
  if (weekdays && (at.getUTCDay() === 0 || at.getUTCDay() === 6)) return false;
  if (between === undefined) return true;
  const [start, end] = between;
  return end < start ? time >= start || time < end : time >= start && time < end;
}
