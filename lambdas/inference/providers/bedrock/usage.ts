/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html */
import { filterObjects, isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { cacheWriteTokens, noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { cacheWriteUsage, createCountReader } from '../count-reader.ts';
import type { StatedTotal } from '../usage-warnings.ts';

/**
 * Returns `null` when neither the input nor the output can be read. Input, cache reads and cache writes should not overlap;
 * thinking is an unknown share of the output.
 */
export function readUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const counts = createCountReader();
  const input = counts.require(usage.inputTokens, 'input_tokens');
  const output = counts.require(usage.outputTokens, 'output_tokens');
  if (input === null && output === null) return null;
  const details = filterObjects(usage.cacheDetails);
  const cacheWrites = (isIncluded: (ttl: unknown) => boolean) =>
    details
      .filter(({ ttl }) => isIncluded(ttl))
      .reduce((total, { inputTokens }) => total + counts.read(inputTokens, 'cache_write_input_tokens'), 0);
  const tokens: TokenUsage = {
    ...noUsage,
    freshInputTokens: input ?? 0,
    cachedInputTokens: counts.read(usage.cacheReadInputTokens, 'cached_input_tokens'),
    ...cacheWriteUsage({
      total: counts.find(usage.cacheWriteInputTokens, 'cache_write_input_tokens'),
      fiveMinutes: cacheWrites((ttl) => ttl !== '1h'),
      hour: cacheWrites((ttl) => ttl === '1h'),
    }),
    outputTokens: output ?? 0,
    ...counts.missing(),
  };
  return withoutOverlap(tokens, usage.totalTokens);
}

/** The total contains cached tokens, unless the input does. */
export function statedTotalOf(usage: JsonObject): StatedTotal {
  const { totalTokens: total, inputTokens: input, outputTokens: output } = usage;
  return { total, input, output, others: [usage.cacheReadInputTokens, usage.cacheWriteInputTokens] };
}

/**
 * Removes the cached tokens from the input if the total shows that the input includes them.
 *
 * For `openai.gpt-5.6-*`, ConverseStream counts them twice in the total as well, so that it does not differ from a
 * response without an overlap. These counts are left as they are, since one report says that the invoice charges them
 * twice too; their prices are marked as assumed. https://github.com/maximhq/bifrost/pull/6942, https://github.com/anomalyco/opencode/issues/47296
 */
function withoutOverlap(usage: TokenUsage, total: unknown): TokenUsage {
  const { freshInputTokens: input, cachedInputTokens, outputTokens } = usage;
  const cached = cachedInputTokens + cacheWriteTokens(usage);
  const isOverlap = total === input + outputTokens && input >= cached;
  return isOverlap ? { ...usage, freshInputTokens: input - cached } : usage;
}
