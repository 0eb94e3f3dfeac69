/** Finds a provider's model in the price table. Without rows of the folder `prices`, it finds the same as the package. */

import type { TokenPriceName } from '../list-prices.ts';
import { modelNamesInTable, providerInTable } from './price-table-names.ts';
import {
  isMatcherList,
  type NameMatcher,
  type PricedModel,
  type ProviderPrices,
  providerPrices,
} from './provider-prices.ts';

export interface FoundModel {
  model: PricedModel;
  /** False when the name goes beyond the model's by more than a date or a version, so that it may be another model. */
  isExact: boolean;
}

/** Finds a model by the gateway's names of provider and model. An exact match takes precedence over an earlier name. */
export function findPricedModel(provider: string, model: string): FoundModel | null {
  const { free = [] } = providerPrices(providerInTable(provider)) ?? {};
  if (matchesModelName(free, provider, model)) return { model: [model, {}], isExact: true };
  const found = modelNamesInTable(provider, model)
    .map((name) => findModel(providerInTable(provider), name))
    .filter((match) => match !== null);
  return found.find(({ isExact }) => isExact) ?? found[0] ?? null;
}

/** Finds a model by the price table's name of the provider. */
export function findModel(provider: string, name: string): FoundModel | null {
  const prices = providerPrices(provider);
  return prices && firstInSpelling(name, (spelling) => findWithFallbacks(prices, spelling));
}

/** Finds a model with own prices in a service tier. */
export function findModelInTier(provider: string, model: string, tier: string): FoundModel | null {
  const { tiers = [] } = providerPrices(providerInTable(provider)) ?? {};
  const models = tiers.filter(({ names }) => names.includes(tier)).flatMap((named) => named.models);
  for (const name of modelNamesInTable(provider, model)) {
    const found = firstInSpelling(name, (spelling) => findIn(models, spelling));
    if (found !== null) return found;
  }
  return null;
}

export function matchesModelName(match: NameMatcher, provider: string, model: string): boolean {
  return modelNamesInTable(provider, model).some(
    (name) => firstInSpelling(name, (spelling) => matches(match, spelling) || null) !== null,
  );
}

function findWithFallbacks(ownPrices: ProviderPrices, name: string): FoundModel | null {
  const fallbacks = ownPrices.fallbacks?.map(providerPrices) ?? [];
  for (const prices of [ownPrices, ...fallbacks]) {
    const found = findIn(prices?.models ?? [], name);
    if (found !== null) return found;
  }
  return null;
}

function findIn(models: readonly PricedModel[], name: string): FoundModel | null {
  const model = models.find(([id, , match = id]) => matches(match, name));
  if (model === undefined) return null;
  const [id, , match = id] = model;
  return { model, isExact: [id, match].some((known) => isNamed(known, name)) };
}

/** Whether a matcher of the price table fits the name of a model, which is in lower case. */
export function matches(match: NameMatcher, name: string): boolean {
  if (typeof match === 'string') return name === match.toLowerCase();
  if (isMatcherList(match)) return match.some((inner) => matches(inner, name));
  if ('and' in match) return match.and.every((inner) => matches(inner, name));
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  if ('versions_of' in match) return isVersionOf(match.versions_of, name);
  return new RegExp(match.regex).test(name);
}

/** Only dates and versions as in `-20250929-v1:0`: other numbers and `latest` can name another model. */
function isVersionOf(known: string, name: string): boolean {
  const text = known.toLowerCase();
  return (
    name.startsWith(text) && /^(-\d{8}|-\d{4}-\d{2}-\d{2})?(-v\d+)?(:\d+)?$/.test(name.slice(text.length))
  );
}

/** True for `-20250929`, `-2024-08-06`, `@20250929`, `-latest`, `-001`, `-0613`, `-v1:0` and combinations of them. */
function isVersionSuffix(text: string): boolean {
  const parts = text
    .replace(/\d{4}-\d{2}-\d{2}/g, '')
    .replace(/:\d+$/, '')
    .split(/[-@:.]/);
  return parts.every((part) => /^$|^latest$|^\d{3,4}$|^\d{6}$|^\d{8}$|^v\d+$/.test(part));
}

/** True when the name is one of the matcher's names, perhaps with a namespace before it and a date or version after it. */
export function isNamed(match: NameMatcher, name: string): boolean {
  if (isMatcherList(match)) return match.some((inner) => isNamed(inner, name));
  if (typeof match === 'string') return isNamedBy(match, name);
  if ('and' in match) return match.and.some((inner) => isNamed(inner, name));
  // A pattern for the whole name, such as one with a date.
  if ('regex' in match) return /^\^[^|]*\$$/.test(match.regex) && matches(match, name);
  return Object.values(match).some((text) => isNamedBy(text, name));
}

function isNamedBy(text: string, name: string): boolean {
  const known = text.toLowerCase();
  const at = name.indexOf(known);
  const namespace = name.slice(0, Math.max(at, 0));
  return at !== -1 && /^$|[./]$/.test(namespace) && isVersionSuffix(name.slice(at + known.length));
}

/** Returns the first result for the name in lower case or, if there is none, for its spelling with dashes in dates. */
function firstInSpelling<Found>(name: string, find: (spelling: string) => Found | null): Found | null {
  const lowerCase = name.toLowerCase().trim();
  for (const spelling of new Set([lowerCase, withDashedDates(lowerCase)])) {
    const found = find(spelling);
    if (found !== null) return found;
  }
  return null;
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

/**
 * Reasoning is output that every provider charges as such:
 * https://developers.openai.com/api/docs/guides/reasoning#how-reasoning-works,
 * https://ai.google.dev/gemini-api/docs/thinking#pricing,
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#pricing
 */
const derivedEverywhere: readonly TokenPriceName[] = ['output_reasoning'];

/** The prices that follow from those of more general kinds of tokens, as the provider documents. */
export function derivedPrices(provider: string, model: string): ReadonlySet<string> {
  const { derived = [] } = providerPrices(providerInTable(provider)) ?? {};
  const documented = derived.filter(({ match }) => matchesModelName(match, provider, model));
  return new Set([...derivedEverywhere, ...documented.flatMap(({ prices }) => prices)]);
}
