/** The format of the price data, and access to it. */
import type { ListPrices, TokenPriceName } from '../list-prices.ts';
import { priceData } from './price-data.ts';

export interface ProviderPrices {
  /** Providers whose models this provider also offers, at the same prices. */
  fallbacks?: readonly string[];
  models: readonly PricedModel[];
  tiers?: readonly PricedTier[];
  factors?: readonly PriceFactor[];
  units?: readonly UnitPrice[];
  derived?: readonly DerivedPrices[];
  /** Models that cost nothing, also if `models` does not list them. */
  free?: readonly NameMatcher[];
  /** Regions, by host name of the provider's regional endpoints. */
  hosts?: Readonly<Record<string, string>>;
}

/** The models with own prices in a service tier or speed mode. */
export interface PricedTier {
  /** The names of the tier in responses. */
  names: readonly string[];
  models: readonly PricedModel[];
}

/** A model of the price table; one line of `price-data.ts`. */
export type PricedModel = readonly [
  id: string,
  prices: ModelPrices,
  /** Matches the names of the model; by default its id only. */
  match?: NameMatcher,
  mark?: 'deprecated',
];

/** A full name in any case, a list of alternatives, or a pattern for the name in lower case. */
export type NameMatcher =
  | string
  | readonly NameMatcher[]
  | { and: readonly NameMatcher[] }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  /** The name itself, also with a date or a version after it. */
  | { versions_of: string }
  | { regex: string };

export function isMatcherList(match: NameMatcher): match is readonly NameMatcher[] {
  return Array.isArray(match);
}

export type ModelPrices = ListPrices | PriceSchedule;

/** The last entry that applies at a time is used; the first entry if none applies. */
export type PriceSchedule = readonly [ScheduledPrices, ...ScheduledPrices[]];

export function isSchedule(prices: ModelPrices): prices is PriceSchedule {
  return Array.isArray(prices);
}

/** The prices apply when all conditions hold. */
export interface ScheduledPrices {
  /** The first day (UTC) on which the prices apply. */
  from?: string;
  /** The daily hours (UTC) during which the prices apply. */
  between?: readonly [start: string, end: string];
  /** Only from Monday to Friday (UTC). */
  weekdays?: true;
  /** Days (UTC) on which the prices do not apply. */
  except?: readonly string[];
  assumed?: true;
  prices: ListPrices;
}

/** The part of the price context that a factor applies to. */
export type FactorCondition = 'service_tier' | 'speed' | 'inference_geo' | 'region';

/** Multiplies the token prices of the matching models. */
export interface PriceFactor {
  when: FactorCondition;
  is: string;
  match: NameMatcher;
  factor: number;
  assumed?: true;
}

/** The price of a unit for the matching models, which replaces the price in the model's row. */
export interface UnitPrice {
  unit: PricedUnit;
  match: NameMatcher;
  usd: number;
  assumed?: true;
}

/** The prices that the matching models do not state, since they follow from those of more general kinds of tokens. */
interface DerivedPrices {
  match: NameMatcher;
  prices: readonly TokenPriceName[];
}

/** Prices are per thousand searches, visits or requests, and per minute of audio. */
export const pricedUnits = [
  'web_searches',
  'grounded_requests',
  'page_visits',
  'file_searches',
  'audio_minutes',
] as const;
export type PricedUnit = (typeof pricedUnits)[number];

const parsed = new Map<string, ProviderPrices>();

/** `provider` is a name in the price table. Prices are parsed on first use: most functions need few providers. */
export function providerPrices(provider: string): ProviderPrices | null {
  const cached = parsed.get(provider);
  if (cached !== undefined) return cached;
  const text = Object.hasOwn(priceData, provider) ? priceData[provider] : undefined;
  if (text === undefined) return null;
  const prices: ProviderPrices = JSON.parse(text);
  parsed.set(provider, prices);
  return prices;
}
