/**
 * Reads the price file of LiteLLM, `model_prices_and_context_window.json`, as LiteLLM itself interprets it.
 * https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/llm_cost_calc/utils.py
 */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { TokenPriceList } from '#lambdas/pricing/list-prices.ts';
import { AdminError } from '../errors.ts';
import { hasInclusiveThresholds, type NameInGateway, nameInGateway } from './litellm-names.ts';
import type { ImportedPrice } from './price-file.ts';

export const noSkippedRows = { provider: 0, mode: 0, unit: 0, name: 0, free: 0, duplicate: 0 };

/**
 * Rows are skipped when the gateway does not have their provider, mode or unit, when no request can name their model, when
 * they are free or have no price, and when another row is for the same model.
 */
export type SkippedRows = typeof noSkippedRows;

export interface LiteLlmPrices {
  prices: ImportedPrice[];
  skipped: SkippedRows;
}

type PriceDefaults = Pick<ImportedPrice, 'organizationId' | 'from'>;

interface Row extends JsonObject {
  litellm_provider: string;
}

export function isLiteLlmFile(value: unknown): value is JsonObject {
  return isJsonObject(value) && Object.values(value).some(isRow);
}

/** Throws an `AdminError` that names an invalid row and field. */
export function readLiteLlmPrices(file: JsonObject, defaults: PriceDefaults): LiteLlmPrices {
  const skipped = { ...noSkippedRows };
  const byModel = new Map<string, ImportedPrice[]>();
  for (const [key, row] of Object.entries(file)) {
    // The sample explains the fields.
    if (!isRow(row) || key === 'sample_spec') continue;
    const found = findModel(file, key, row);
    if ('skip' in found) {
      skipped[found.skip] += 1;
      continue;
    }
    const { model, isPreferred } = found;
    const isDuplicate = byModel.has(model);
    if (isDuplicate) skipped.duplicate += 1;
    if (!isDuplicate || isPreferred) byModel.set(model, pricesOf(key, row, { model, ...defaults }));
  }
  return { prices: [...byModel.values()].flat(), skipped };
}

function isRow(value: unknown): value is Row {
  return isJsonObject(value) && typeof value.litellm_provider === 'string';
}

/** The gateway's name of the row's model, or the reason why it is skipped. */
function findModel(file: JsonObject, key: string, row: Row): NameInGateway | { skip: keyof SkippedRows } {
  const found = nameInGateway(key, row.litellm_provider);
  if ('skip' in found) return found;
  if (row.mode !== 'chat') return { skip: 'mode' };
  const [input, output] = [readUsd(key, row, fields.input), readUsd(key, row, fields.output)];
  // Prices of ranges and of hours have no counterpart.
  const hasOtherPrices = 'tiered_pricing' in row || 'off_peak_pricing' in row;
  if (input === null || output === null || hasOtherPrices) return { skip: 'unit' };
  if (input === 0 && output === 0) return { skip: 'free' };
  return isGlobalPrice(file, key, row) ? { skip: 'name' } : found;
}

/**
 * For some models of Bedrock, the file has the price of global inference under the id without a prefix, which in a request
 * stands for the higher price of a region.
 */
function isGlobalPrice(file: JsonObject, key: string, { input_cost_per_token: input }: Row): boolean {
  const regional = file[`us.${key}`];
  return isRow(regional) && Number(regional.input_cost_per_token) > Number(input);
}

/** Suffixes of fields, which follow `_above_200k_tokens`. */
const tiers = { priority: '_priority', flex: '_flex', ultrafast: '_ultrafast' };

function pricesOf(key: string, row: Row, scope: PriceDefaults & { model: string }): ImportedPrice[] {
  const standard = readPrices(key, row, '');
  const own = Object.entries(tiers).flatMap(([tier, suffix]) => {
    const prices = readPrices(key, row, suffix);
    if (prices.input === undefined && prices.output === undefined) return [];
    const { output_reasoning: _, ...inherited } = standard;
    // Reasoning costs as much as the output of its tier, if it has no own price there.
    return [{ ...scope, tier, price: toPrice(key, row, suffix, { ...inherited, ...prices }) }];
  });
  return [{ ...scope, tier: null, price: toPrice(key, row, '', standard) }, ...own];
}

/** Kinds without a price of their own above a number of tokens keep their price. */
function toPrice(
  key: string,
  row: Row,
  suffix: string,
  { input = 0, output = 0, ...others }: Partial<TokenPriceList>,
) {
  const prices: TokenPriceList = { input, output, ...others };
  const above = thresholdsOf(row, suffix).map(([tokens, threshold]) => {
    const longer = readPrices(key, row, `${threshold}${suffix}`);
    const kinds = Object.entries(longer).filter(([kind]) => kind in prices);
    return [tokens, { ...prices, ...Object.fromEntries(kinds) }] as const;
  });
  return { prices, above };
}

/** In ascending order. */
function thresholdsOf(row: Row, suffix: string): [tokens: number, fieldSuffix: string][] {
  const inclusive = hasInclusiveThresholds(row.litellm_provider) ? 1 : 0;
  return Object.keys(row)
    .flatMap((field): [number, string][] => {
      const [, threshold = '', thousands, rest] =
        /^input_cost_per_token(_above_(\d+)k_tokens)(\w*)$/.exec(field) ?? [];
      return thousands === undefined || rest !== suffix
        ? []
        : [[Number(thousands) * 1000 - inclusive, threshold]];
    })
    .sort(([left], [right]) => left - right);
}

const fields: Readonly<Record<keyof TokenPriceList, string>> = {
  input: 'input_cost_per_token',
  cache_read: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
  cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
  output: 'output_cost_per_token',
  output_reasoning: 'output_cost_per_reasoning_token',
  input_audio: 'input_cost_per_audio_token',
  cache_audio_read: 'cache_read_input_audio_token_cost',
  output_audio: 'output_cost_per_audio_token',
  input_image: 'input_cost_per_image_token',
  cache_image_read: 'cache_read_input_image_token_cost',
  output_image: 'output_cost_per_image_token',
};

function readPrices(key: string, row: Row, suffix: string): Partial<TokenPriceList> {
  const found = Object.entries(fields).flatMap(([kind, field]) => {
    const usd = readUsd(key, row, `${field}${suffix}`);
    // A cache price of 0 stands for an unknown one.
    return usd === null || (usd === 0 && kind.startsWith('cache')) ? [] : [[kind, usd] as const];
  });
  const prices: Partial<TokenPriceList> = Object.fromEntries(found);
  const cacheRead = prices.cache_read ?? readUsd(key, row, `input_cost_per_token_cache_hit${suffix}`);
  return cacheRead ? { ...prices, cache_read: cacheRead } : prices;
}

/** Returns dollars per million tokens, without binary rounding errors; `null` when the row does not have the field. */
function readUsd(key: string, row: Row, field: string): number | null {
  const value = row[field];
  if (value === undefined || value === null) return null;
  const perToken = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof perToken !== 'number' || !Number.isFinite(perToken) || perToken < 0 || perToken > 1) {
    throw new AdminError(
      `"${key}": ${field} must be a price in US dollars per token, not negative and at most 1`,
      2,
    );
  }
  return Number((perToken * 1_000_000).toFixed(9));
}
