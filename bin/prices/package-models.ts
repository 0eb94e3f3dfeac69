/** Reads the models of the installed `@pydantic/genai-prices`, reduced to the fields that the gateway uses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConditionalPrice,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
  waitForUpdate,
} from '@pydantic/genai-prices';
import { isProviderName } from '#lambdas/inference/providers/settings.ts';
import type { ListPrices } from '#lambdas/pricing/list-prices.ts';
import type {
  ModelPrices,
  NameMatcher,
  PricedModel,
  ProviderPrices,
  ScheduledPrices,
} from '#lambdas/pricing/table/provider-prices.ts';

const packageDirectory = join(import.meta.dirname, '../../node_modules/@pydantic/genai-prices');

export interface PackagePrices {
  version: string;
  licence: string;
  /** By the package's name of the provider. */
  providers: ReadonlyMap<string, ProviderPrices>;
  /** The most tokens of a request with its completion, by provider and model; of the models for which they are stated. */
  contextWindows: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

export async function readPackagePrices(): Promise<PackagePrices> {
  // Without a requested update, this resolves to the prices that are included in the package.
  const all = (await waitForUpdate()) ?? [];
  // Other names are not valid provider names of the gateway.
  const providers = all.filter(({ id }) => isProviderName(id));
  return {
    version: JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')).version,
    licence: readFileSync(join(packageDirectory, 'LICENSE'), 'utf8'),
    providers: new Map(
      providers.map(({ id, fallback_model_providers: fallbacks, models }) => [
        id,
        {
          ...(fallbacks !== undefined && { fallbacks }),
          models: models.filter(({ id: model }) => isPricedByToken(model)).map(reduceModel),
        },
      ]),
    ),
    contextWindows: new Map(providers.map(({ id, models }) => [id, contextWindowsOf(models)])),
  };
}

function contextWindowsOf(models: readonly ModelInfo[]): Map<string, number> {
  return new Map(models.flatMap(({ id, context_window: tokens }) => (tokens ? [[id, tokens]] : [])));
}

/** The package lists models of songs, which are charged by the piece, without any price, as if they were free. */
export function isPricedByToken(model: string): boolean {
  return !model.includes('/lyria-');
}

/** Reduces a model of the package to the fields that the gateway uses. */
export function reduceModel({ id, match, prices, deprecated }: ModelInfo): PricedModel {
  const names = reduceMatch(match);
  if (deprecated === true) return [id, reducePrices(prices), names, 'deprecated'];
  return names === id ? [id, reducePrices(prices)] : [id, reducePrices(prices), names];
}

function reduceMatch(match: MatchLogic): NameMatcher {
  if ('or' in match) return match.or.map(reduceMatch);
  if ('and' in match) return { and: match.and.map(reduceMatch) };
  if ('starts_with' in match) return { starts_with: match.starts_with.toLowerCase() };
  if ('ends_with' in match) return { ends_with: match.ends_with.toLowerCase() };
  if ('contains' in match) return { contains: match.contains.toLowerCase() };
  // Complete names keep the provider's spelling, since `GET /ai/models` lists them.
  return 'equals' in match ? match.equals : match;
}

function reducePrices(prices: ModelInfo['prices']): ModelPrices {
  if (!Array.isArray(prices)) return toListPrices(prices);
  const [first, ...others] = prices.map(toDatedPrices);
  if (first === undefined) throw new Error('A model has an empty list of prices');
  return [first, ...others];
}

function toDatedPrices({ constraint, prices }: ConditionalPrice): ScheduledPrices {
  if (constraint === undefined) return { prices: toListPrices(prices) };
  return constraint.type === 'start_date'
    ? { from: parseDay(constraint.start_date), prices: toListPrices(prices) }
    : {
        between: [parseTime(constraint.start_time), parseTime(constraint.end_time)],
        prices: toListPrices(prices),
      };
}

/** Validates a date such as `2026-08-17`, which can be compared with ISO 8601 timestamps as text. */
function parseDay(text: string): string {
  return requireFormat(text, /^\d{4}-\d{2}-\d{2}$/);
}

/** Validates a time such as `16:30:00Z` and removes its zone, for comparison as text. */
function parseTime(text: string): string {
  return requireFormat(text, /^\d{2}:\d{2}:\d{2}Z$/).slice(0, -1);
}

function requireFormat(text: string, format: RegExp): string {
  if (!format.test(text)) throw new Error(`Unsupported date or time format in the price data: ${text}`);
  return text;
}

function toListPrices(prices: ModelPrice): ListPrices {
  return Object.fromEntries(
    Object.entries(prices).map(([key, price]) => [key.replace(/_mtok$/, ''), reducePrice(price)]),
  );
}

function reducePrice(price: ModelPrice[string]): ListPrices[string] {
  if (typeof price !== 'object') return price;
  const tiers = price.tiers.toSorted((left, right) => left.start - right.start);
  return [price.base, ...tiers.map((tier) => [tier.start, tier.price] as const)];
}
