/**
 * The context windows of models, as far as the price package states them. Few requests need them: those that a model of a route
 * has refused as too long.
 */
import { contextWindowData } from './context-window-data.ts';
import { findPricedModel } from './find-model.ts';
import { providerInTable } from './price-table-names.ts';
import { providerPrices } from './provider-prices.ts';

/** In tokens, by the gateway's names of provider and model; `null` if it is not known. */
export function findContextWindow(provider: string, model: string): number | null {
  const found = findPricedModel(provider, model);
  if (found === null) return null;
  const [id] = found.model;
  const name = providerInTable(provider);
  const { fallbacks = [] } = providerPrices(name) ?? {};
  for (const listed of [name, ...fallbacks]) {
    const tokens = windowsOf(listed)[id];
    if (tokens !== undefined) return tokens;
  }
  return null;
}

function windowsOf(provider: string): Readonly<Record<string, number>> {
  const text = Object.hasOwn(contextWindowData, provider) ? contextWindowData[provider] : undefined;
  return text === undefined ? {} : JSON.parse(text);
}
