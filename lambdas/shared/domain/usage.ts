/** Token usage in buckets that do not overlap, so that each token is priced once. */
import { isJsonObject, type JsonObject } from './json.ts';

export interface TokenUsage {
  /** Input that was neither read from nor written to a cache. */
  freshInputTokens: number;
  cachedInputTokens: number;
  cacheWriteInputTokens: number;
  /** All output, reasoning included. */
  outputTokens: number;
  /** The part of the output that was reasoning. */
  reasoningTokens: number;
}

export function inputTokens(usage: TokenUsage): number {
  return usage.freshInputTokens + usage.cachedInputTokens + usage.cacheWriteInputTokens;
}

/**
 * Reads the `usage` object of an OpenAI-format answer; `null` when it is none.
 *
 * `prompt_tokens` includes what the cache served; DeepSeek names that part `prompt_cache_hit_tokens`. xAI counts
 * reasoning beside `completion_tokens`, which shows in a `total_tokens` that is larger than their sum.
 * https://platform.openai.com/docs/api-reference/chat/object
 */
export function readOpenAiUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  if (prompt === null && completion === null) return null;
  const input = prompt ?? 0;
  const inputDetails = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const outputDetails = isJsonObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const cached = Math.min(
    input,
    count(inputDetails.cached_tokens) ?? count(usage.prompt_cache_hit_tokens) ?? 0,
  );
  const written = Math.min(input - cached, count(inputDetails.cache_write_tokens) ?? 0);
  const reasoning = count(outputDetails.reasoning_tokens) ?? 0;
  const output = (completion ?? 0) + reasoningBesideCompletion(input, completion ?? 0, reasoning, usage);
  return {
    freshInputTokens: input - cached - written,
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
    outputTokens: output,
    reasoningTokens: Math.min(reasoning, output),
  };
}

function reasoningBesideCompletion(
  input: number,
  completion: number,
  reasoning: number,
  usage: JsonObject,
): number {
  return count(usage.total_tokens) === input + completion + reasoning ? reasoning : 0;
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
