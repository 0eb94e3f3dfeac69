/**
 * Writes the price table, `lambdas/pricing/price-data.ts`, from the installed `@pydantic/genai-prices`: `npm run prices`.
 * It is JSON, since that is parsed faster than code, with a line for each model.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConditionalPrice,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
  type Provider,
  waitForUpdate,
} from '@pydantic/genai-prices';
import { isProviderName } from '#lambdas/inference/providers/settings.ts';
import type {
  DatedPrices,
  ListPrices,
  ModelPrices,
  NameMatch,
  PricedModel,
} from '#lambdas/pricing/find-model.ts';

const projectRoot = join(import.meta.dirname, '..');
const packageDirectory = join(projectRoot, 'node_modules/@pydantic/genai-prices');

export const priceDataPath = join(projectRoot, 'lambdas/pricing/price-data.ts');

/** As the installed package has it. */
export async function priceDataFile(): Promise<string> {
  // Nothing asked for an update, so these are the prices that came with the package.
  const providers = (await waitForUpdate()) ?? [];
  const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
  const licence = readFileSync(join(packageDirectory, 'LICENSE'), 'utf8');
  return [
    fileComment(version, licence),
    '',
    `export const priceDataVersion = 'genai-prices ${version}';`,
    '',
    '/** JSON of `ProviderPrices`, by the name that the table has for the provider. */',
    'export const priceData: Readonly<Record<string, string>> = {',
    // No provider of the gateway can have another name.
    ...providers.filter(({ id }) => isProviderName(id)).map(providerProperty),
    '};',
    '',
  ].join('\n');
}

function fileComment(version: string, licence: string): string {
  const lines = [
    `The prices of \`@pydantic/genai-prices\` ${version}. Generated: \`npm run prices\` writes them anew from the package`,
    'that is installed, with what the gateway uses of it. `find-model.ts` says what a line means.',
    '',
    ...licence.trim().split('\n'),
  ];
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'].join('\n');
}

function providerProperty({ id, fallback_model_providers: fallbacks, models }: Provider): string {
  const before = fallbacks === undefined ? '' : `"fallbacks":${JSON.stringify(fallbacks)},`;
  const lines = models.map((model) => JSON.stringify(reduceModel(model)));
  const text = `{${before}"models":[\n${lines.join(',\n')}\n]}`;
  return `  ${/^\w+$/.test(id) ? id : `'${id}'`}: \`${escapeTemplate(text)}\`,`;
}

function escapeTemplate(text: string): string {
  return text.replace(/\\|`|\$(?=\{)/g, '\\$&');
}

/** A model of the package, reduced to what the gateway uses of it. */
export function reduceModel({ id, match, prices, deprecated }: ModelInfo): PricedModel {
  const names = reduceMatch(match);
  if (deprecated === true) return [id, reducePrices(prices), names, 'deprecated'];
  return names === id ? [id, reducePrices(prices)] : [id, reducePrices(prices), names];
}

function reduceMatch(match: MatchLogic): NameMatch {
  if ('or' in match) return match.or.map(reduceMatch);
  if ('and' in match) return { and: match.and.map(reduceMatch) };
  if ('starts_with' in match) return { starts_with: match.starts_with.toLowerCase() };
  if ('ends_with' in match) return { ends_with: match.ends_with.toLowerCase() };
  if ('contains' in match) return { contains: match.contains.toLowerCase() };
  // The list of models shows whole names, in the case that the provider writes them in.
  return 'equals' in match ? match.equals : match;
}

function reducePrices(prices: ModelInfo['prices']): ModelPrices {
  if (!Array.isArray(prices)) return toListPrices(prices);
  const [first, ...others] = prices.map(toDatedPrices);
  if (first === undefined) throw new Error('A model has an empty list of prices');
  return [first, ...others];
}

function toDatedPrices({ constraint, prices }: ConditionalPrice): DatedPrices {
  if (constraint === undefined) return { prices: toListPrices(prices) };
  return constraint.type === 'start_date'
    ? { from: parseDay(constraint.start_date), prices: toListPrices(prices) }
    : {
        between: [parseTime(constraint.start_time), parseTime(constraint.end_time)],
        prices: toListPrices(prices),
      };
}

/** `2026-08-17`, which a moment as ISO 8601 writes it can be compared with. */
function parseDay(text: string): string {
  return requireFormat(text, /^\d{4}-\d{2}-\d{2}$/);
}

/** `16:30:00Z` without its zone, for the same reason. */
function parseTime(text: string): string {
  return requireFormat(text, /^\d{2}:\d{2}:\d{2}Z$/).slice(0, -1);
}

function requireFormat(text: string, form: RegExp): string {
  if (!form.test(text)) throw new Error(`The prices have a date or time of a new form: ${text}`);
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

if (import.meta.main) writeFileSync(priceDataPath, await priceDataFile());
