/**
 * Reads the prices of one row of LiteLLM's price file, for the standard tier and for others.
 *
 * No price is lower than the one that LiteLLM calculates from the row, except for images without a price of their own:
 * LiteLLM charges them as short text of the standard tier, the gateway as text of their tier and length.
 * https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/llm_cost_calc/utils.py
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import {
  followedKinds,
  priceNames,
  type TokenPriceList,
  type TokenPricesByLength,
} from '#lambdas/pricing/list-prices.ts';
import { type TokenKind, tokenKinds } from '#lambdas/pricing/rates.ts';
import { AdminError } from '../errors.ts';
import { hasInclusiveThresholds } from './litellm-names.ts';

export interface Row extends JsonObject {
  litellm_provider: string;
}

interface TierPrices {
  /** `null` for the standard tier. */
  tier: string | null;
  price: TokenPricesByLength;
}

/** Suffixes of fields, which follow `_above_200k_tokens`. */
const tierSuffixes = { priority: '_priority', flex: '_flex', ultrafast: '_ultrafast' };

/** The standard tier, and those for which the row states a price of input or output. */
export function tierPricesOf(key: string, row: Row): TierPrices[] {
  const stated: StatedPrice = (kind, suffix) => readPrice(key, row, kind, suffix);
  const tiers = Object.entries(tierSuffixes).filter(
    ([, suffix]) => stated('textInput', suffix) !== null || stated('textOutput', suffix) !== null,
  );
  return [[null, ''] as const, ...tiers].map(([tier, suffix]) => ({
    tier,
    price: pricesByLength(stated, suffix, thresholdsOf(row, suffix)),
  }));
}

/** Returns the price in the kind's field with this suffix, `null` when the row does not state it. */
type StatedPrice = (kind: TokenKind, suffix: string) => number | null;

type KindPrices = Partial<Record<TokenKind, number>>;

interface Threshold {
  inputTokens: number;
  /** Precedes the suffix of the tier. */
  suffix: string;
}

/** A price does not fall with the length. Above a threshold, a tier without an own price has at least the standard one. */
function pricesByLength(
  stated: StatedPrice,
  tier: string,
  thresholds: readonly Threshold[],
): TokenPricesByLength {
  const short = shortPrices(stated, tier);
  const standard = shortPrices(stated, '');
  const statedAbove = (kind: TokenKind, suffix: string) =>
    stated(kind, `${suffix}${tier}`) ?? stated(kind, suffix);
  const kinds = tokenKinds.filter(
    (kind) =>
      short[kind] !== undefined || thresholds.some(({ suffix }) => statedAbove(kind, suffix) !== null),
  );
  // A row without an hour-long price above a threshold must not make hour-long writes cheaper than short ones. Others that
  // cost at least as much as their general kind in the standard list keep doing so where they are not stated.
  const costsAtLeastGeneral = (kind: TokenKind, suffix: string) =>
    kind === 'cacheWrite1hInput' ||
    short[kind] === undefined ||
    (stated(kind, `${suffix}${tier}`) === null && (standard[kind] ?? 0) >= generalPrice(kind, standard));
  let shorter: KindPrices = {};
  const pricesAbove = (suffix: string): TokenPriceList => {
    const prices: KindPrices = {};
    for (const kind of kinds) {
      const general = generalPrice(kind, prices);
      const own = suffix === '' ? (short[kind] ?? general) : (statedAbove(kind, suffix) ?? 0);
      const min = costsAtLeastGeneral(kind, suffix) ? general : 0;
      prices[kind] = Math.max(own, shorter[kind] ?? 0, min);
    }
    shorter = prices;
    return toPriceList(prices);
  };
  return {
    prices: pricesAbove(''),
    above: thresholds.map(({ inputTokens, suffix }) => [inputTokens, pricesAbove(suffix)] as const),
  };
}

/** Kinds without a price in a tier have the standard one, except for reasoning, which costs as much as the tier's output. */
function shortPrices(stated: StatedPrice, tier: string): KindPrices {
  const hasOwnOutput = tier !== '' && stated('textOutput', tier) !== null;
  const found = tokenKinds.flatMap((kind) => {
    const inherited = kind === 'reasoningOutput' && hasOwnOutput ? null : stated(kind, '');
    const usd = stated(kind, tier) ?? inherited;
    return usd === null ? [] : [[kind, usd] as const];
  });
  return Object.fromEntries(found);
}

/** The price of the kind that is charged when this one has no price; 0 for input and output. */
function generalPrice(kind: TokenKind, prices: KindPrices): number {
  const general = followedKinds[kind];
  if (general === null) return 0;
  return prices[general] ?? generalPrice(general, prices);
}

function toPriceList(prices: KindPrices): TokenPriceList {
  const { textInput: input = 0, textOutput: output = 0 } = prices;
  const named = Object.entries(prices).map(([kind, usd]) => [priceNames[kind as TokenKind], usd]);
  return { ...Object.fromEntries(named), input, output };
}

/** The thresholds for the standard tier apply to every tier, and those for a tier to itself. In ascending order. */
function thresholdsOf(row: Row, tier: string): Threshold[] {
  const inclusive = hasInclusiveThresholds(row.litellm_provider) ? 1 : 0;
  const found = Object.keys(row).flatMap((field) => {
    const [, suffix = '', thousands, rest] =
      /^input_cost_per_token(_above_(\d+)k_tokens)(\w*)$/.exec(field) ?? [];
    const applies = row[field] !== null && (rest === '' || rest === tier);
    return thousands !== undefined && applies
      ? [[suffix, Number(thousands) * 1000 - inclusive] as const]
      : [];
  });
  return [...new Map(found)]
    .map(([suffix, inputTokens]) => ({ suffix, inputTokens }))
    .sort((left, right) => left.inputTokens - right.inputTokens);
}

const fields: Readonly<Record<TokenKind, string>> = {
  textInput: 'input_cost_per_token',
  audioInput: 'input_cost_per_audio_token',
  imageInput: 'input_cost_per_image_token',
  cachedTextInput: 'cache_read_input_token_cost',
  cachedAudioInput: 'cache_read_input_audio_token_cost',
  cachedImageInput: 'cache_read_input_image_token_cost',
  cacheWriteInput: 'cache_creation_input_token_cost',
  cacheWrite1hInput: 'cache_creation_input_token_cost_above_1hr',
  textOutput: 'output_cost_per_token',
  reasoningOutput: 'output_cost_per_reasoning_token',
  audioOutput: 'output_cost_per_audio_token',
  imageOutput: 'output_cost_per_image_token',
};

/** Returns dollars per million tokens; `null` when the row does not have the price. Throws an `AdminError`. */
export function readPrice(key: string, row: Row, kind: TokenKind, suffix = ''): number | null {
  const usd = readUsd(key, row, `${fields[kind]}${suffix}`);
  // A cache price of 0 stands for an unknown one.
  if (usd !== null && (usd > 0 || !/^cache/.test(kind))) return usd;
  const cacheHit =
    kind === 'cachedTextInput' ? readUsd(key, row, `input_cost_per_token_cache_hit${suffix}`) : null;
  return cacheHit || null;
}

/** Without binary rounding errors. */
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
