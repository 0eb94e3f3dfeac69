/**
 * The prices that LiteLLM calculates from a row of its file, in US dollars per million tokens.
 * https://github.com/BerriAI/litellm/blob/main/litellm/litellm_core_utils/llm_cost_calc/utils.py
 */
import type { Row } from '#cli/prices/litellm-prices.ts';
import type { TokenKind } from '#lambdas/pricing/rates.ts';

export function liteLlmRates(
  row: Row,
  tier: string | null,
  inputTokens: number,
): Readonly<Record<TokenKind, number>> {
  const suffix = tier === null ? '' : `_${tier}`;
  const threshold = thresholdOf(row, inputTokens);
  /** A field without a price in the tier falls back to the standard one. */
  const stated = (field: string) => usd(row[`${field}${suffix}`]) ?? usd(row[field]);
  const byLength = (field: string, short: number) =>
    (threshold === null ? null : stated(`${field}${threshold}`)) ?? short;
  const [input, output, cacheRead, cacheWrite] = [
    ...['input_cost_per_token', 'output_cost_per_token'],
    ...['cache_read_input_token_cost', 'cache_creation_input_token_cost'],
  ].map((field) => byLength(field, stated(field) ?? 0));
  // The short price for an hour has no tiers.
  const writeForHour = 'cache_creation_input_token_cost_above_1hr';
  const cacheWrite1h = byLength(writeForHour, usd(row[writeForHour]) ?? 0);
  const ownReasoning = usd(row[`output_cost_per_reasoning_token${suffix}`]);
  const hasOwnOutput = suffix !== '' && usd(row[`output_cost_per_token${suffix}`]) !== null;
  const reasoning = hasOwnOutput ? null : usd(row.output_cost_per_reasoning_token);
  const text = { input: input ?? 0, output: output ?? 0, cacheRead: cacheRead ?? 0 };
  return {
    textInput: text.input,
    audioInput: stated('input_cost_per_audio_token') ?? 0,
    imageInput:
      usd(row.input_cost_per_image_token) ?? Math.min(usd(row.input_cost_per_token) ?? 0, text.input),
    cachedTextInput: text.cacheRead,
    // Cached audio and images are charged as cached text, which costs less than fresh audio and images in all files.
    cachedAudioInput: 0,
    cachedImageInput: 0,
    cacheWriteInput: cacheWrite ?? 0,
    cacheWrite1hInput: cacheWrite1h,
    textOutput: text.output,
    reasoningOutput: ownReasoning ?? reasoning ?? text.output,
    audioOutput: usd(row.output_cost_per_audio_token) ?? text.output,
    imageOutput: usd(row.output_cost_per_image_token) ?? text.output,
  };
}

/** The last threshold that the input exceeds, among those that have a standard price of input. */
function thresholdOf(row: Row, inputTokens: number): string | null {
  const isInclusive = row.litellm_provider === 'xai';
  const exceeded = Object.keys(row)
    .map((field) => /^input_cost_per_token(_above_(\d+)k_tokens)$/.exec(field))
    .filter((match) => match !== null)
    .map(([, suffix = '', thousands]) => ({ suffix, tokens: Number(thousands) * 1000 }))
    .filter(({ tokens }) => inputTokens > tokens || (isInclusive && inputTokens === tokens))
    .sort((left, right) => right.tokens - left.tokens);
  return exceeded[0]?.suffix ?? null;
}

function usd(perToken: unknown): number | null {
  return perToken === undefined ? null : Number((Number(perToken) * 1_000_000).toFixed(9));
}
