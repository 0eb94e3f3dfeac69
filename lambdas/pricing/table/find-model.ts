/** Finds a provider's model in the price table. Without rows of the folder `prices`, it finds the same as the package. */
import { firstInSpelling, isNamed, matches } from './match-name.ts';
import {
  type NameMatcher,
  type PricedModel,
  type ProviderPrices,
  providerPrices,
} from './provider-prices.ts';
import { modelNamesInTable, providerInTable } from './table-names.ts';

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
