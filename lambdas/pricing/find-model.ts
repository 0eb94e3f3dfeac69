/** Finds a provider's model in the price table, as the table's own library would find it. */
import { priceData } from './price-data.ts';

/** The model of the table that a provider's name for it means; both names as callers of the gateway write them. */
export function findPricedModel(provider: string, model: string): PricedModel | null {
  for (const name of modelNamesInTable(provider, model)) {
    const found = findModel(providerInTable(provider), name);
    if (found !== null) return found;
  }
  return null;
}

/** How the price table names a provider and its models where the provider itself uses other names. */
interface TableNames {
  /** The table's name of the provider. */
  provider?: string;
  /** Models that the table does not know, or for which it has an outdated price. */
  models?: Readonly<Record<string, string>>;
  /** Parts to remove from a model's name, one after the other, until the table knows it. */
  leaveOut?: readonly RegExp[];
}

const namesByProvider: Readonly<Record<string, TableNames>> = {
  bedrock: {
    provider: 'aws',
    leaveOut: [
      // arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-…
      /^arn:[^/]*\//,
      // An inference profile within a geography costs what the model costs in a region; `global.` costs less.
      // https://platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock#regions
      /^(us|eu|apac|au|ca|in|jp)\./,
    ],
  },
  google: {
    // `models/gemini-2.5-flash` is the full name; `-001` is a version of the model without it, at its price.
    // https://ai.google.dev/gemini-api/docs/models
    leaveOut: [/^models\//, /-\d{3}$/],
  },
  mistral: {
    // Mistral responds with the alias. The models behind the aliases: https://docs.mistral.ai/models
    models: {
      'codestral-latest': 'codestral-2508',
      'devstral-latest': 'devstral-2512',
      'devstral-medium-latest': 'devstral-2512',
      'ministral-3b-latest': 'ministral-3b-2512',
      'ministral-14b-latest': 'ministral-14b-2512',
      'mistral-large-latest': 'mistral-large-2512',
      'mistral-small-latest': 'mistral-small-2603',
    },
  },
  xai: { provider: 'x-ai' },
};

export function providerInTable(provider: string): string {
  return namesOf(provider).provider ?? provider;
}

/** The names to look a model up by, best first. */
export function modelNamesInTable(provider: string, model: string): string[] {
  const { models = {}, leaveOut = [] } = namesOf(provider);
  let name = (Object.hasOwn(models, model) && models[model]) || model;
  const names = new Set([name]);
  for (const part of leaveOut) {
    name = name.replace(part, '');
    names.add(name);
  }
  return [...names];
}

function namesOf(provider: string): TableNames {
  return (Object.hasOwn(namesByProvider, provider) && namesByProvider[provider]) || {};
}

/** Expects the table's name of the provider. */
export function findModel(provider: string, name: string): PricedModel | null {
  const prices = providerPrices(provider);
  if (prices === null) return null;
  const lowerCase = name.toLowerCase().trim();
  for (const spelling of new Set([lowerCase, withDashedDates(lowerCase)])) {
    const found = findWithFallbacks(prices, spelling);
    if (found !== null) return found;
  }
  return null;
}

function findWithFallbacks(own: ProviderPrices, name: string): PricedModel | null {
  const fallbacks = own.fallbacks?.map(providerPrices) ?? [];
  for (const prices of [own, ...fallbacks]) {
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

/** Writes `gpt-4o-20240806` as `gpt-4o-2024-08-06`, provided that the digits are a date. */
function withDashedDates(name: string): string {
  return name.replace(
    /-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g,
    (text, year: string, month: string, day: string) => {
      const isDate =
        new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
      return isDate ? `-${year}-${month}-${day}` : text;
    },
  );
}

const parsed = new Map<string, ProviderPrices>();

/**
 * Expects the table's name of the provider; `null` for one that the table does not know. Prices are parsed on first
 * use, since most functions need those of few providers.
 */
export function providerPrices(provider: string): ProviderPrices | null {
  const known = parsed.get(provider);
  if (known !== undefined) return known;
  const text = Object.hasOwn(priceData, provider) ? priceData[provider] : undefined;
  if (text === undefined) return null;
  const prices: ProviderPrices = JSON.parse(text);
  parsed.set(provider, prices);
  return prices;
}

export interface ProviderPrices {
  /** Providers whose models this one offers too, at their prices. */
  fallbacks?: readonly string[];
  models: readonly PricedModel[];
}

/** A model of the price table: one line of `price-data.ts`. */
export type PricedModel = readonly [
  id: string,
  prices: ModelPrices,
  /** The names that mean the model; by default its id alone. */
  match?: NameMatch,
  deprecated?: 'deprecated',
];

/** A full name in any case, any of several matches, or a pattern for the name in lower case. */
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

/** The last entry that applies at a time counts, and the first if none does. */
export type PricesInTurn = readonly [DatedPrices, ...DatedPrices[]];

export function isDated(prices: ModelPrices): prices is PricesInTurn {
  return Array.isArray(prices);
}

export interface DatedPrices {
  /** The day (UTC) from which on the prices apply. */
  from?: string;
  /** The daily hours (UTC) during which the prices apply. */
  between?: readonly [start: string, end: string];
  prices: ListPrices;
}

/** US dollars per million tokens of each kind; a key that names another unit (`requests_kcount`) counts in that. */
export type ListPrices = Readonly<Record<string, number | TieredPrice | undefined>>;

/** The whole request costs the price of the last tier that its input exceeds; the tiers are in ascending order. */
export type TieredPrice = readonly [base: number, ...tiers: (readonly [above: number, price: number])[]];
