/** The sources of prices in their order of precedence. */
import { type CustomPrice, type CustomPrices, customPriceAt } from './custom/custom-price.ts';
import { type ListPrices, listPricesOf, ratesOf } from './list-prices.ts';
import type { RateLookup } from './price-context.ts';
import type { PriceSettings, TokenPrices } from './price-settings.ts';
import type { PriceTable } from './price-table.ts';
import { multiplyRates, type Rates } from './rates.ts';
import { tierOf } from './tier.ts';

/** `model` is the provider's name for the model. */
export type FindCustomPrices = (model: string) => CustomPrices;

export interface FoundRates {
  rates: Rates;
  pricing: 'configuration' | 'table';
  version: string;
  /** True for prices that depend neither on the tier nor on the speed. */
  isForAllTiers: boolean;
}

/** Returns `null` when the source has no price for the model in its price context. */
export type RateSource = (lookup: RateLookup) => FoundRates | null;

/** The first source with a price takes precedence. */
export function rateSources(
  table: PriceTable,
  settings: PriceSettings,
  findCustomPrices: FindCustomPrices,
): RateSource[] {
  return [
    customRates('organization', table, findCustomPrices),
    customRates('all', table, findCustomPrices),
    configuredRates(table, settings),
    tableRates(table, settings),
  ];
}

function customRates(
  scope: keyof CustomPrices,
  table: PriceTable,
  findCustomPrices: FindCustomPrices,
): RateSource {
  return (lookup) => {
    const { [scope]: prices } = findCustomPrices(lookup.model);
    const found = prices.length === 0 ? null : findCustomPrice(prices, lookup);
    if (!found?.price) return null;
    return {
      rates: replaceTokenPrices(listPricesOf(found.price), table, lookup),
      pricing: 'configuration',
      version: `${scope}@${found.from}`,
      isForAllTiers: false,
    };
  };
}

function findCustomPrice(prices: readonly CustomPrice[], lookup: RateLookup): CustomPrice | null {
  const tier = tierOf(lookup.context);
  return tier === undefined ? null : customPriceAt(prices, { ...lookup, tier });
}

function configuredRates(table: PriceTable, { prices }: PriceSettings): RateSource {
  return (lookup) =>
    prices === undefined
      ? null
      : {
          rates: replaceTokenPrices(toListPrices(prices), table, lookup),
          pricing: 'configuration',
          version: 'configuration',
          isForAllTiers: true,
        };
}

function tableRates(table: PriceTable, { priceFactor = 1 }: PriceSettings): RateSource {
  return (lookup) => {
    const rates = table.findRates(lookup);
    if (rates === null) return null;
    const usdPerMillion = multiplyRates(rates.usdPerMillion, priceFactor);
    return {
      rates: { ...rates, usdPerMillion },
      pricing: 'table',
      version: table.version,
      isForAllTiers: false,
    };
  };
}

/** The prices of units, such as web searches, remain those of the table. */
function replaceTokenPrices(prices: ListPrices, table: PriceTable, lookup: RateLookup): Rates {
  const { cache_write_1h = prices.cache_write ?? prices.input } = prices;
  return {
    ...ratesOf({ ...prices, cache_write_1h }, lookup.contextTokens),
    units: table.findRates(lookup)?.units ?? {},
    isAssumed: false,
  };
}

function toListPrices({ input, output, cachedInput, cacheWriteInput }: TokenPrices): ListPrices {
  return { input, output, cache_read: cachedInput, cache_write: cacheWriteInput };
}
