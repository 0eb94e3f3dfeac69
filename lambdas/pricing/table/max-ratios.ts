/**
 * Finds how many times as much as text a provider charges at most for another kind of tokens, as a bound for models whose
 * price of this kind is not known.
 */
import { hasOwnPrice, type ListPrices, ratesOf } from '../list-prices.ts';
import type { TokenKind } from '../rates.ts';
import { providerInTable } from './price-table-names.ts';
import { isSchedule, type ProviderPrices, providerPrices } from './provider-prices.ts';

export function textKindOf(kind: TokenKind): 'textInput' | 'textOutput' {
  return kind.endsWith('Output') ? 'textOutput' : 'textInput';
}

const knownRatios = new Map<ProviderPrices, Map<TokenKind, number | null>>();

/** The highest ratio among the provider's models; `null` if none of them has a price of its own for the kind. */
export function maxRatioOf(provider: string, kind: TokenKind): number | null {
  const prices = providerPrices(providerInTable(provider));
  if (prices === null) return null;
  const known = knownRatios.get(prices) ?? new Map();
  knownRatios.set(prices, known);
  if (!known.has(kind)) known.set(kind, findMaxRatio(prices, kind));
  return known.get(kind) ?? null;
}

function findMaxRatio(prices: ProviderPrices, kind: TokenKind): number | null {
  const ratios = listsOf(prices)
    .filter((list) => hasOwnPrice(list, kind) && writesText(list))
    .flatMap((list) => [ratioIn(list, kind, 0), ratioIn(list, kind, Number.POSITIVE_INFINITY)])
    .filter(Number.isFinite);
  return ratios.length === 0 ? null : Math.max(...ratios);
}

/** Not finite if text is free. */
function ratioIn(list: ListPrices, kind: TokenKind, contextTokens: number): number {
  const { [kind]: price, [textKindOf(kind)]: text } = ratesOf(list, contextTokens).usdPerMillion;
  return (price ?? 0) / (text ?? 0);
}

/** Requests for other models have no reservation, and text is cheap in embeddings. */
function writesText(list: ListPrices): boolean {
  return hasOwnPrice(list, 'textInput') && hasOwnPrice(list, 'textOutput');
}

function listsOf(prices: ProviderPrices): ListPrices[] {
  const fallbacks = (prices.fallbacks ?? []).map(providerPrices).filter((found) => found !== null);
  return [prices, ...fallbacks]
    .flatMap(({ models, tiers = [] }) => [...models, ...tiers.flatMap((tier) => tier.models)])
    .flatMap(([, listed]) => (isSchedule(listed) ? listed.map((entry) => entry.prices) : [listed]));
}
