/** Converts the usage of a request to and from the fields of its log entry. Prices are computed from these fields. */
import { cacheWriteTokens, inputTokens, type TokenUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from './entry.ts';

export type UsageFields = Pick<
  LogEntry,
  | 'input_tokens'
  | 'output_tokens'
  | 'total_tokens'
  | 'cached_input_tokens'
  | 'cache_write_input_tokens'
  | 'cache_write_1h_input_tokens'
  | 'reasoning_tokens'
  | 'audio_input_tokens'
  | 'cached_audio_input_tokens'
  | 'audio_output_tokens'
  | 'image_output_tokens'
  | 'web_searches'
>;

export function usageFields(usage: TokenUsage | null): UsageFields {
  const input = usage === null ? 0 : inputTokens(usage);
  return {
    input_tokens: usage && input,
    output_tokens: usage?.outputTokens ?? null,
    total_tokens: usage && input + usage.outputTokens,
    cached_input_tokens: usage?.cachedInputTokens ?? null,
    cache_write_input_tokens: usage && cacheWriteTokens(usage),
    reasoning_tokens: usage?.reasoningTokens ?? null,
    // Rare: zero is stored as `null`, so most entries do not have these fields.
    cache_write_1h_input_tokens: usage?.cacheWrite1hInputTokens || null,
    audio_input_tokens: usage?.audioInputTokens || null,
    cached_audio_input_tokens: usage?.cachedAudioInputTokens || null,
    audio_output_tokens: usage?.audioOutputTokens || null,
    image_output_tokens: usage?.imageOutputTokens || null,
    web_searches: usage?.webSearches || null,
  };
}

export function usageFromFields(fields: UsageFields): TokenUsage | null {
  if (fields.input_tokens === null) return null;
  const cached = fields.cached_input_tokens ?? 0;
  const cacheWrites = fields.cache_write_input_tokens ?? 0;
  const cacheWrites1h = fields.cache_write_1h_input_tokens ?? 0;
  return {
    freshInputTokens: fields.input_tokens - cached - cacheWrites,
    cachedInputTokens: cached,
    cacheWriteInputTokens: cacheWrites - cacheWrites1h,
    cacheWrite1hInputTokens: cacheWrites1h,
    outputTokens: fields.output_tokens ?? 0,
    reasoningTokens: fields.reasoning_tokens ?? 0,
    audioInputTokens: fields.audio_input_tokens ?? 0,
    cachedAudioInputTokens: fields.cached_audio_input_tokens ?? 0,
    audioOutputTokens: fields.audio_output_tokens ?? 0,
    imageOutputTokens: fields.image_output_tokens ?? 0,
    webSearches: fields.web_searches ?? 0,
  };
}
