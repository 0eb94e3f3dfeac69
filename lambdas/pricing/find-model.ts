/** Finds a provider's model in the price table, with the same rules as the package that the table is generated from. */
import { priceData } from './price-data.ts';

/** Finds a model by the gateway's names of provider and model. */
export function findPricedModel(provider: string, model: string): PricedModel | null {
  for (const name of modelNamesInTable(provider, model)) {
    const found = findModel(providerInTable(provider), name);
    if (found !== null) return found;
  }
  return null;
}

/** The price table's names of a provider and its models, if they differ from the provider's names. */
interface TableNames {
  provider?: string;
  /** The table's names of models that it does not have, or for which it has an outdated price. */
  models?: Readonly<Record<string, string>>;
  /** Parts to remove from a model's name, one after the other, until the table has a model with this name. */
  ignoredParts?: readonly RegExp[];
}

const namesByProvider: Readonly<Record<string, TableNames>> = {
  bedrock: {
    provider: 'aws',
    ignoredParts: [
      // arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-…
      /^arn:[^/]*\//,
      // A geographic inference profile has the same price as the model in a region; `global.` is cheaper.
      // https://platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock#regions
      /^(us|eu|apac|au|ca|in|jp)\./,
    ],
  },
  google: {
    // `models/gemini-2.5-flash` is the full name; `-001` is a version of the model with the same price.
    // https://ai.google.dev/gemini-api/docs/models
    ignoredParts: [/^models\//, /-\d{3}$/],
  },
  mistral: {
    // Mistral's responses contain the alias. The models behind the aliases: https://docs.mistral.ai/models
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

/** Returns the names to look up, best first. */
export function modelNamesInTable(provider: string, model: string): string[] {
  const { models = {}, ignoredParts = [] } = namesOf(provider);
  let name = (Object.hasOwn(models, model) && models[model]) || model;
  const names = new Set([name]);
  for (const part of ignoredParts) {
    name = name.replace(part, '');
    names.add(name);
  }
  return [...names];
}

function namesOf(provider: string): TableNames {
  return (Object.hasOwn(namesByProvider, provider) && namesByProvider[provider]) || {};
}

/** Finds a model by the price table's name of the provider. */
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

function findWithFallbacks(ownPrices: ProviderPrices, name: string): PricedModel | null {
  const fallbacks = ownPrices.fallbacks?.map(providerPrices) ?? [];
  for (const prices of [ownPrices, ...fallbacks]) {
    const found = prices?.models.find(([id, , match = id]) => matches(match, name));
    if (found !== undefined) return found;
  }
  return null;
}

function matches(match: NameMatcher, name: string): boolean {
  if (typeof match === 'string') return name === match.toLowerCase();
  if (isMatcherList(match)) return match.some((inner) => matches(inner, name));
  if ('and' in match) return match.and.every((inner) => matches(inner, name));
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  return new RegExp(match.regex).test(name);
}

/** Rewrites `gpt-4o-20240806` as `gpt-4o-2024-08-06` if the digits are a valid date. */
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

export interface ProviderPrices {
  /** Providers whose models this provider also offers, at the same prices. */
  fallbacks?: readonly string[];
  models: readonly PricedModel[];
}

/** A model of the price table; one line of `price-data.ts`. */
export type PricedModel = readonly [
  id: string,
  prices: ModelPrices,
  /** Matches the names of the model; by default its id only. */
  match?: NameMatcher,
  deprecated?: 'deprecated',
];

/** A full name in any case, a list of alternatives, or a pattern for the name in lower case. */
export type NameMatcher =
  | string
  | readonly NameMatcher[]
  | { and: readonly NameMatcher[] }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
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

export interface ScheduledPrices {
  /** The first day (UTC) on which the prices apply. */
  from?: string;
  /** The daily hours (UTC) during which the prices apply. */
  between?: readonly [start: string, end: string];
  prices: ListPrices;
}

/** US dollars per million tokens of each kind, or per thousand units for keys that end in `_kcount`. */
export type ListPrices = Readonly<Record<string, number | TieredPrice | undefined>>;

/** The last tier whose bound the input exceeds sets the price of the whole request. Tiers are in ascending order. */
export type TieredPrice = readonly [base: number, ...tiers: (readonly [above: number, price: number])[]];
