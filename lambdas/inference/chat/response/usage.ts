/** Usage in OpenAI's format: https://platform.openai.com/docs/api-reference/chat/object */
import { inputTokens, type TokenUsage } from '#lambdas/pricing/usage.ts';

interface OpenAiUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; audio_tokens: number };
  completion_tokens_details: { reasoning_tokens: number; audio_tokens: number };
}

/** `prompt_tokens` includes tokens read from and written to a cache; `completion_tokens` includes reasoning. */
export function toOpenAiUsage(usage: TokenUsage): OpenAiUsage {
  const input = inputTokens(usage);
  return {
    prompt_tokens: input,
    completion_tokens: usage.outputTokens,
    total_tokens: input + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens, audio_tokens: usage.audioInputTokens },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.audioOutputTokens,
    },
  };
}
