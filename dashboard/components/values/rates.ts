/** The prices of a model, arranged as a table: a row for each type, a column for each tier and length of the input. */
import type { ModelPrice, ModelRate } from '#lambdas/accounts/analytics/responses.ts';
import { formatCount } from './number-format.ts';
import { formatExactUsd } from './usd-format.ts';

/** In the order in which they are shown. */
const titles: Readonly<Record<string, string>> = {
  uncached_text_input_tokens: 'Input',
  cached_text_input_tokens: 'Cached input',
  cache_write_5m_input_tokens: 'Cache write',
  cache_write_1h_input_tokens: 'Cache write, longer lifetime',
  text_output_tokens: 'Output',
  reasoning_tokens: 'Reasoning',
  uncached_audio_input_tokens: 'Audio input',
  cached_audio_input_tokens: 'Cached audio input',
  audio_output_tokens: 'Audio output',
  uncached_image_input_tokens: 'Image input',
  cached_image_input_tokens: 'Cached image input',
  image_output_tokens: 'Image output',
  requests: 'Requests',
  web_searches: 'Web searches',
  grounded_requests: 'Requests with web search',
  page_visits: 'Page visits',
  file_searches: 'File searches',
  audio_input_seconds: 'Audio input',
};

/** The types that have a column in the list. */
export const mainTypes = [
  'uncached_text_input_tokens',
  'cached_text_input_tokens',
  'cache_write_5m_input_tokens',
  'text_output_tokens',
] as const;

export function rateTitle(type: string): string {
  return titles[type] ?? type.replaceAll('_', ' ');
}

/** Returns text such as "per 1,000"; empty for tokens, which are priced by the million. */
export function rateUnit({ type, per }: Pick<ModelRate, 'type' | 'per'>): string {
  if (type === 'audio_input_seconds' && per === 60) return 'per minute';
  return per === 1_000_000 ? '' : `per ${formatCount(per)}`;
}

/** The price of a million tokens; `null` if there is none of the type. */
export function tokenPrice(price: ModelPrice | undefined, type: string): string | null {
  const rate = price?.rates.find((each) => each.type === type && each.per === 1_000_000);
  return rate ? formatExactUsd(rate.usd) : null;
}

interface PriceTable {
  columns: PriceColumn[];
  rows: PriceRow[];
}

export interface PriceColumn {
  /** Null for the standard tier. */
  tier: string | null;
  /** For requests with more input tokens; `null` for all others. */
  aboveTokens: number | null;
}

interface PriceRow {
  type: string;
  per: number;
  /** Whether the provider's invoice may differ in this charge. */
  assumed: boolean;
  /** By column; `null` where the column has no price of the type. */
  prices: (string | null)[];
}

export function priceTableOf(prices: readonly ModelPrice[]): PriceTable {
  const lists = prices.flatMap(({ tier, rates, above }) => [
    { column: { tier, aboveTokens: null }, rates },
    ...above.map((longer) => ({ column: { tier, aboveTokens: longer.input_tokens }, rates: longer.rates })),
  ]);
  const types = new Map(lists.flatMap(({ rates }) => rates.map(({ type, per }) => [type, per] as const)));
  return {
    columns: lists.map(({ column }) => column),
    rows: [...types]
      .sort(([left], [right]) => position(left) - position(right))
      .map(([type, per]) => ({
        type,
        per,
        assumed: lists.some(({ rates }) => rates.some((rate) => rate.type === type && rate.assumed)),
        prices: lists.map(({ rates }) => rates.find((rate) => rate.type === type)?.usd ?? null),
      })),
  };
}

function position(type: string): number {
  const index = Object.keys(titles).indexOf(type);
  return index === -1 ? Number.POSITIVE_INFINITY : index;
}

/** Returns text such as "Priority" for `priority`. Without a tier, it is the standard one. */
export function tierTitle(tier: string | null): string {
  return tier === null ? 'Standard' : tier.charAt(0).toUpperCase() + tier.slice(1);
}
