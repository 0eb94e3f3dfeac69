/** Token usage, with input in buckets that do not overlap, so that each token is charged once. */
import { isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

/** Reasoning, audio output and image output are parts of `outputTokens`. */
export interface TokenUsage {
  /** Input that was neither read from nor written to a cache. */
  freshInputTokens: number;
  cachedInputTokens: number;
  /** Input written to a cache for five minutes, or for an unknown time. */
  cacheWriteInputTokens: number;
  /** Input written to a cache for an hour, which has its own price. */
  cacheWrite1hInputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Part of `freshInputTokens` and `cachedInputTokens`. */
  audioInputTokens: number;
  /** Part of both `cachedInputTokens` and `audioInputTokens`. */
  cachedAudioInputTokens: number;
  audioOutputTokens: number;
  imageOutputTokens: number;
  /** Only web searches that the provider charges individually. */
  webSearches?: number;
}

export const noUsage: TokenUsage = {
  freshInputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  cacheWrite1hInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  cachedAudioInputTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
};

export function inputTokens(usage: TokenUsage): number {
  return usage.freshInputTokens + usage.cachedInputTokens + cacheWriteTokens(usage);
}

export function cacheWriteTokens(usage: TokenUsage): number {
  return usage.cacheWriteInputTokens + usage.cacheWrite1hInputTokens;
}

/**
 * Reads the `usage` object of a response in OpenAI's format. Returns `null` when it has no valid token counts.
 *
 * `prompt_tokens` includes cached tokens; DeepSeek reports them as `prompt_cache_hit_tokens`, Together and Moonshot as
 * `cached_tokens` outside the details. xAI does not include reasoning in `completion_tokens`: its `total_tokens` is
 * then larger than the sum of prompt and completion.
 * https://platform.openai.com/docs/api-reference/chat/object
 */
export function readOpenAiUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const prompt = readTokenCount(usage.prompt_tokens);
  const completion = readTokenCount(usage.completion_tokens);
  if (prompt === null && completion === null) return null;
  const input = prompt ?? 0;
  const inputDetails = objectOrEmpty(usage.prompt_tokens_details);
  const outputDetails = objectOrEmpty(usage.completion_tokens_details);
  const cacheHits = [inputDetails.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens];
  const cached = Math.min(input, cacheHits.map(readTokenCount).find((count) => count !== null) ?? 0);
  const written = Math.min(input - cached, readTokenCount(inputDetails.cache_write_tokens) ?? 0);
  const fresh = input - cached - written;
  const audio = Math.min(input - written, readTokenCount(inputDetails.audio_tokens) ?? 0);
  const reasoning = readTokenCount(outputDetails.reasoning_tokens) ?? 0;
  const output = (completion ?? 0) + reasoningOutsideCompletion(input, completion ?? 0, reasoning, usage);
  return {
    ...noUsage,
    freshInputTokens: fresh,
    cachedInputTokens: cached,
    cacheWriteInputTokens: written,
    outputTokens: output,
    reasoningTokens: Math.min(reasoning, output),
    audioInputTokens: audio,
    // No provider reports cached audio; the part of the audio that exceeds the fresh input must be cached.
    cachedAudioInputTokens: Math.max(0, audio - fresh),
    audioOutputTokens: Math.min(output, readTokenCount(outputDetails.audio_tokens) ?? 0),
  };
}

function reasoningOutsideCompletion(
  input: number,
  completion: number,
  reasoning: number,
  usage: JsonObject,
): number {
  return readTokenCount(usage.total_tokens) === input + completion + reasoning ? reasoning : 0;
}

/**
 * More than any request can have. A larger count could make the log entry invalid or overflow a sum in the cost
 * rollups, which would block the stream.
 */
const maxTokenCount = 1_000_000_000;

export function readTokenCount(value: unknown): number | null {
  const isCount =
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokenCount;
  return isCount ? value : null;
}

/** The total takes precedence if the provider's counts contradict each other. */
export function cacheWriteUsage({
  total,
  fiveMinutes,
  hour,
}: {
  total: number | null;
  fiveMinutes: number;
  hour: number;
}): Pick<TokenUsage, 'cacheWriteInputTokens' | 'cacheWrite1hInputTokens'> {
  const written = total ?? fiveMinutes + hour;
  const cacheWrite1hInputTokens = Math.min(hour, written);
  return { cacheWriteInputTokens: written - cacheWrite1hInputTokens, cacheWrite1hInputTokens };
}

export interface OpenAiUsage {
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
