/** Which model of the price table a name means: the one that the table's own library would find. */
import { priceData } from './price-data.ts';
/** By the table's name of the provider. */
export function findModel(provider: string, name: string): PricedModel | null {
  const prices = providerPrices(provider);
  if (prices === null) return null;
  const lowerCase = name.toLowerCase().trim();
  for (const spelling of new Set([lowerCase, withDashedDates(lowerCase)])) {
    const found = findHereOrThere(prices, spelling);
    if (found !== null) return found;
  }
  return null;
}

function findHereOrThere(here: ProviderPrices, name: string): PricedModel | null {
  const there = here.fallbacks?.map(providerPrices) ?? [];
  for (const prices of [here, ...there]) {
    const found = prices?.models.find(([id, , match = id]) => matches(match, name));
    if (found !== undefined) return found;
  }
  return null;
}

function matches(match: NameMatch, name: string): boolean {
  if (typeof match === 'string') return name === match.toLowerCase();
  if (isAnyOf(match)) return match.some((one) => matches(one, name));
  if ('and' in match) return match.and.every((one) => matches(one, name));
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  return new RegExp(match.regex).test(name);
}

/** `gpt-4o-20240806` is `gpt-4o-2024-08-06`, where that is a day. */
function withDashedDates(name: string): string {
  return name.replace(
    /-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g,
    (text, year: string, month: string, day: string) => {
      const isDay =
        new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
      return isDay ? `-${year}-${month}-${day}` : text;
    },
  );
}

// A model of the price table, and a line of `price-data.ts`.

export type PricedModel = readonly [
  id: string,
  prices: ModelPrices,
  /** The names that mean the model; its id alone where nothing is said. */
  match?: NameMatch,
  deprecated?: 'deprecated',
];

/** A whole name, whatever the case of its letters; any of several; or what a name in lower case has in it. */
export type NameMatch =
  | string
  | readonly NameMatch[]
  | { and: readonly NameMatch[] }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string };

export function isAnyOf(match: NameMatch): match is readonly NameMatch[] {
  return Array.isArray(match);
}

export type ModelPrices = ListPrices | PricesInTurn;

/** The last that holds counts, and the first if none does. */
export type PricesInTurn = readonly [DatedPrices, ...DatedPrices[]];

export function isDated(prices: ModelPrices): prices is PricesInTurn {
  return Array.isArray(prices);
}

export interface DatedPrices {
  /** The day (UTC) from which on they hold. */
  from?: string;
  /** The times of day (UTC) at which they begin and end to hold, each day. */
  between?: readonly [start: string, end: string];
  prices: ListPrices;
}

/** US dollars for a million tokens of each kind; a key that names another unit (`requests_kcount`) is for that. */
export type ListPrices = Readonly<Record<string, number | TieredPrice | undefined>>;

/** The whole request costs the price of the last tier that its input is longer than; the tiers are in order. */
export type TieredPrice = readonly [base: number, ...tiers: (readonly [above: number, price: number])[]];

export interface ProviderPrices {
  /** Providers whose models this one has too, at their prices. */
  fallbacks?: readonly string[];
  models: readonly PricedModel[];
}

// The price table of one provider, read when it is first asked for: most functions need no other's.

const read = new Map<string, ProviderPrices>();

/** By the table's name of the provider; `null` for one that it does not know. */
export function providerPrices(provider: string): ProviderPrices | null {
  const known = read.get(provider);
  if (known !== undefined) return known;
  const text = Object.hasOwn(priceData, provider) ? priceData[provider] : undefined;
  if (text === undefined) return null;
  const prices: ProviderPrices = JSON.parse(text);
  read.set(provider, prices);
  return prices;
}
