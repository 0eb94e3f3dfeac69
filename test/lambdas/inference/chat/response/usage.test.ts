import { expect, it } from 'vitest';
import { toOpenAiUsage } from '#lambdas/inference/chat/response/usage.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';

it("writes usage in OpenAI's format, with cached tokens in the prompt and reasoning in the completion", () => {
  const usage = {
    ...noUsage,
    freshInputTokens: 6,
    cachedInputTokens: 1920,
    cacheWriteInputTokens: 80,
    cacheWrite1hInputTokens: 4,
    outputTokens: 300,
    reasoningTokens: 192,
    audioInputTokens: 3,
    audioOutputTokens: 2,
  };
  expect(toOpenAiUsage(usage)).toEqual({
    prompt_tokens: 2010,
    completion_tokens: 300,
    total_tokens: 2310,
    prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 192, audio_tokens: 2 },
  });
});
