import { isJsonObject, type JsonObject, numberOr, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { createCountReader } from '../count-reader.ts';
import type { StatedTotal } from '../usage-warnings.ts';

/**
 * Reads the `usage` object of a response in OpenAI's format. Returns `null` when it has no token counts that can be
 * read; with one of the two, the other is missing.
 *
 * `prompt_tokens` includes cached tokens; DeepSeek reports them as `prompt_cache_hit_tokens`, Mistral also in
 * `prompt_token_details` or as `num_cached_tokens`, Together and Moonshot as `cached_tokens` outside the details. Mistral
 * bills audio by `prompt_audio_seconds`, in addition to the tokens. xAI does not include reasoning in
 * `completion_tokens`: its `total_tokens` is then larger than the sum of prompt and completion.
 * https://platform.openai.com/docs/api-reference/chat/object, https://docs.mistral.ai/api/#tag/chat
 */
export function readOpenAiUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const counts = createCountReader();
  const prompt = counts.require(usage.prompt_tokens, 'input_tokens');
  const completion = counts.require(usage.completion_tokens, 'output_tokens');
  if (prompt === null && completion === null) return null;
  const input = prompt ?? 0;
  const inputDetails = objectOrEmpty(usage.prompt_tokens_details);
  const outputDetails = objectOrEmpty(usage.completion_tokens_details);
  const cacheHits = [
    inputDetails.cached_tokens,
    objectOrEmpty(usage.prompt_token_details).cached_tokens,
    usage.prompt_cache_hit_tokens,
    usage.num_cached_tokens,
    usage.cached_tokens,
  ];
  const findCached = (value: unknown) => counts.find(value, 'cached_input_tokens');
  const cached = Math.min(input, cacheHits.map(findCached).find((count) => count !== null) ?? 0);
  const written = Math.min(
    input - cached,
    counts.read(inputDetails.cache_write_tokens, 'cache_write_input_tokens'),
  );
  const { ttl_12h_tokens: written12h } = objectOrEmpty(inputDetails.cache_write_tokens_details);
  const writtenLong = Math.min(written, counts.read(written12h, 'cache_write_input_tokens'));
  const fresh = input - cached - written;
  const audio = Math.min(input - written, counts.read(inputDetails.audio_tokens, 'audio_input_tokens'));
  const audioSeconds = counts.read(
    isEmptyObject(usage.prompt_audio_seconds) ? null : usage.prompt_audio_seconds,
    'audio_input_seconds',
  );
  const reasoning = counts.read(outputDetails.reasoning_tokens, 'reasoning_tokens');
  const output = (completion ?? 0) + reasoningOutsideCompletion(input, completion ?? 0, reasoning, usage);
  return {
    ...noUsage,
    freshInputTokens: fresh,
    cachedInputTokens: cached,
    cacheWriteInputTokens: written - writtenLong,
    cacheWrite1hInputTokens: writtenLong,
    outputTokens: output,
    reasoningTokens: Math.min(reasoning, output),
    audioInputTokens: audio,
    // No provider reports cached audio; the part of the audio that exceeds the fresh input must be cached.
    cachedAudioInputTokens: Math.max(0, audio - fresh),
    audioOutputTokens: Math.min(output, counts.read(outputDetails.audio_tokens, 'audio_output_tokens')),
    ...(audioSeconds > 0 && { audioInputSeconds: audioSeconds }),
    ...counts.missing(),
  };
}

/** Mistral bills audio by its duration, so that its tokens are only in the total. */
export function statedTotalOf(usage: JsonObject | null): StatedTotal | null {
  if (usage === null || numberOr(usage.prompt_audio_seconds, 0) > 0) return null;
  const { total_tokens: total, prompt_tokens: input, completion_tokens: output } = usage;
  return { total, input, output, others: [objectOrEmpty(usage.completion_tokens_details).reasoning_tokens] };
}

/** Mistral sends an empty object, or `null`, for a prompt without audio. */
function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function reasoningOutsideCompletion(
  input: number,
  completion: number,
  reasoning: number,
  usage: JsonObject,
): number {
  return usage.total_tokens === input + completion + reasoning ? reasoning : 0;
}
