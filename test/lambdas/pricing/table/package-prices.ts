/** Looks up prices in `@pydantic/genai-prices` and returns them in the format of the gateway's price table. */
import {
  calcPrice,
  type MatchLogic,
  type ModelPrice,
  type Provider,
  waitForUpdate,
} from '@pydantic/genai-prices';
import { isPricedByToken } from '#bin/prices/package-models.ts';
import { readPriceRows } from '#bin/prices/price-rows.ts';
import { isProviderName } from '#lambdas/inference/providers/settings.ts';
import type { ListPrices } from '#lambdas/pricing/list-prices.ts';

export interface FoundPrices {
  id: string;
  prices: ListPrices;
}

/** The providers of the package whose names are valid provider names of the gateway. */
export const packageProviders = ((await waitForUpdate()) ?? []).filter(({ id }) => isProviderName(id));

/** The models whose prices are the gateway's own. */
export const ownModels = new Set(
  [...readPriceRows().values()]
    .flat()
    .flatMap((row) => (row.unit === 'usd_per_million_tokens' ? row.models : [])),
);

export function findPackagePrices(providerId: string, name: string, at: Date): FoundPrices | null {
  const found = calcPrice({}, name, { providerId, timestamp: at });
  if (found === null) return null;
  const { id } = found.model;
  // The names of OpenRouter's free models occur under other providers too.
  const isForeign = id.endsWith(':free') && providerId !== 'openrouter';
  return isForeign || !isPricedByToken(id) ? null : { id, prices: toListPrices(found.model_price) };
}

function toListPrices(prices: ModelPrice): ListPrices {
  return Object.fromEntries(
    Object.entries(prices).map(([key, price]) => [
      key.endsWith('_mtok') ? key.slice(0, -'_mtok'.length) : key,
      typeof price === 'object'
        ? [price.base, ...price.tiers.map(({ start, price }) => [start, price] as const)]
        : price,
    ]),
  );
}

export function namesToTry({ models, fallback_model_providers: fallbacks = [] }: Provider): string[] {
  const fallbackProviders = packageProviders.filter(({ id }) => fallbacks.includes(id));
  const all = [...models, ...fallbackProviders.flatMap((provider) => provider.models)];
  return [...new Set(all.flatMap(({ id, match }) => [id, ...namesFor(match)]).flatMap(variantsOf))];
}

function namesFor(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(namesFor);
  if ('and' in match) return [...match.and.flatMap(namesFor), match.and.flatMap(namesFor).join('')];
  if ('equals' in match) return [match.equals];
  if ('starts_with' in match) return [match.starts_with, `x${match.starts_with}`];
  if ('ends_with' in match) return [match.ends_with, `x-${match.ends_with}`];
  if ('contains' in match) return [match.contains, `x-${match.contains}-x`];
  return [nameForPattern(match.regex)];
}

/** Supports only patterns like those of the package: `^name-\d{8}$`, with a date in one of two formats. */
function nameForPattern(pattern: string): string {
  return pattern
    .replace(/\(\?!.*\)+/, '')
    .replaceAll('\\d{8}', '20260817')
    .replaceAll('\\d{4}-\\d{2}-\\d{2}', '2026-08-17')
    .replaceAll('\\d', '1')
    .replace(/[\\^$]/g, '');
}

function variantsOf(name: string): string[] {
  return [
    name,
    ...[name.toUpperCase(), ` ${name} `, `${name}x`, `x${name}`, name.slice(0, -1), name.slice(1)],
    ...[
      `${name}-20260817`,
      `${name}-2026-08-17`,
      `${name}-20260231`,
      `${name}-20240229:free`,
      `${name}:free`,
    ],
    ...[name.replaceAll('.', '-'), name.replaceAll('-', ''), name.replace(/-(?=\d)/, '.')],
    name.replace(/(\d{4})-(\d{2})-(\d{2})/, '$1$2$3'),
  ];
}
