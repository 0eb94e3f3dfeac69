/** The sources of token prices in their order of precedence. */
import { type CustomPrices, customPriceAt } from './custom/custom-price.ts';
import { assumedKindsOf, type ListPrices, listPricesOf, ratesOf } from './list-prices.ts';
import type { PriceSettings, RateLookup, TokenPrices } from './price-context.ts';
import { multiplyRates, type Rates } from './rates.ts';
import { derivedPrices } from './table/find-model.ts';
import type { PriceTable } from './table/price-table.ts';
import { tierOf } from './tier.ts';

/** `model` is the provider's name for the model. */
type FindCustomPrices = (model: string) => CustomPrices;

export interface PriceSources {
  settings: PriceSettings;
  findCustomPrices: FindCustomPrices;
}

/** Where token prices are from, and what is stated there. */
export type PriceOrigin =
  | {
      source: 'organization' | 'all_organizations' | 'configuration';
      prices: ListPrices;
      /** The start of a custom price, in RFC 3339. */
      since: string | null;
    }
  | { source: 'table' };

export interface FoundRates {
  origin: PriceOrigin;
  /** Only those of the table include units, such as web searches. */
  rates: Rates;
  pricing: 'configuration' | 'table';
  version: string;
  /** True for prices that depend neither on the tier nor on the speed. */
  isForAllTiers: boolean;
}

/** Returns `null` when there is no price for the model in its price context. */
export type FindRates = (lookup: RateLookup) => FoundRates | null;

/** The first one that finds a price takes precedence. */
export function rateFinders({ settings, findCustomPrices }: PriceSources, table: PriceTable): FindRates[] {
  return [
    customRates('organization', findCustomPrices),
    customRates('all', findCustomPrices),
    configuredRates(settings),
    tableRates(table, settings),
  ];
}

const sourceNames = { organization: 'organization', all: 'all_organizations' } as const;

function customRates(scope: keyof CustomPrices, findCustomPrices: FindCustomPrices): FindRates {
  return (lookup) => {
    const { [scope]: schedule } = findCustomPrices(lookup.model);
    const tier = schedule.length === 0 ? undefined : tierOf(lookup.context);
    const found = tier === undefined ? null : customPriceAt(schedule, { ...lookup, tier });
    if (!found?.price) return null;
    const prices = listPricesOf(found.price);
    return {
      origin: { source: sourceNames[scope], prices, since: found.from },
      rates: tokenRates(prices, lookup),
      pricing: 'configuration',
      version: `${scope}@${found.from}`,
      isForAllTiers: false,
    };
  };
}

function configuredRates({ prices }: PriceSettings): FindRates {
  if (prices === undefined) return () => null;
  const origin = { source: 'configuration', prices: toListPrices(prices), since: null } as const;
  return (lookup) => ({
    origin,
    rates: tokenRates(origin.prices, lookup),
    pricing: 'configuration',
    version: 'configuration',
    isForAllTiers: true,
  });
}

function tableRates(table: PriceTable, { priceFactor = 1 }: PriceSettings): FindRates {
  return (lookup) => {
    const rates = table.findRates(lookup);
    if (rates === null) return null;
    const usdPerMillion = multiplyRates(rates.usdPerMillion, priceFactor);
    return {
      origin: { source: 'table' },
      rates: { ...rates, usdPerMillion },
      pricing: 'table',
      version: table.version,
      isForAllTiers: false,
    };
  };
}

function tokenRates(prices: ListPrices, { provider, model, contextTokens }: RateLookup): Rates {
  const { input, cache_read = input, cache_write = input, cache_write_1h = cache_write } = prices;
  const stated = { ...prices, cache_read, cache_write, cache_write_1h };
  return {
    ...ratesOf(stated, contextTokens),
    isAssumed: false,
    assumedKinds: assumedKindsOf(stated, derivedPrices(provider, model)),
  };
}

function toListPrices({ input, output, cachedInput, cacheWriteInput }: TokenPrices): ListPrices {
  return { input, output, cache_read: cachedInput, cache_write: cacheWriteInput };
}
