/** A model of the price table, and a line of `price-data.ts`. */

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
