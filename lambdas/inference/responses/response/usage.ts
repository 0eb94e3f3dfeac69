/** Usage in the format of the Responses API: https://platform.openai.com/docs/api-reference/responses/object */
import { inputTokens, type TokenUsage } from '#lambdas/pricing/usage.ts';

interface ResponseUsage {
  /** With what was read from a cache or written to one. */
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  /** With reasoning. */
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

export function toResponseUsage(usage: TokenUsage): ResponseUsage {
  const input = inputTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteInputTokens + usage.cacheWrite1hInputTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}
