/** The fields of a log entry that contain usage, and the list of parts that are billed at different prices. */
import { isJsonObject } from '#lambdas/platform/json/json.ts';
import { count, type FieldType, listOf, nullable, text } from './field-type.ts';

/** Cached, audio, image and reasoning tokens are parts of the input or output. Rare kinds are `null` when there were none. */
export const usageDetailTypes = {
  cached_input_tokens: nullable(count),
  cache_write_input_tokens: nullable(count),
  /** The part of `cache_write_input_tokens` that was written for an hour. */
  cache_write_1h_input_tokens: nullable(count),
  reasoning_tokens: nullable(count),
  audio_input_tokens: nullable(count),
  /** Part of both `audio_input_tokens` and `cached_input_tokens`. */
  cached_audio_input_tokens: nullable(count),
  image_input_tokens: nullable(count),
  /** Part of both `image_input_tokens` and `cached_input_tokens`. */
  cached_image_input_tokens: nullable(count),
  audio_output_tokens: nullable(count),
  image_output_tokens: nullable(count),
  /** Only web searches that the provider charges individually; `null` when there were none. */
  web_searches: nullable(count),
  page_visits: nullable(count),
  file_searches: nullable(count),
  /** Audio input that is billed by its duration. */
  audio_input_seconds: nullable(count),
  /** The input tokens of the longest round, which select a long-context price; `null` when they are all input tokens. */
  context_tokens: nullable(count),
} satisfies Record<string, FieldType<number | null>>;

type UsageDetail = keyof typeof usageDetailTypes;

export type TokenFields = Record<'input_tokens' | 'output_tokens' | UsageDetail, number | null>;

/** Counts that are 0 are left out, except `input_tokens` and `output_tokens`. */
export type BilledPartFields = { model: string; input_tokens: number; output_tokens: number } & {
  [Field in UsageDetail]?: number;
};

/** In the order of the API. */
export function billedPartFieldNames(): string[] {
  return ['model', 'input_tokens', 'output_tokens', ...Object.keys(usageDetailTypes)];
}

const billedPart: FieldType<BilledPartFields> = {
  json: 'object',
  accepts(value): value is BilledPartFields {
    if (!isJsonObject(value)) return false;
    const { model, input_tokens, output_tokens, ...details } = value;
    return (
      text.accepts(model) &&
      [input_tokens, output_tokens, ...Object.values(details)].every(count.accepts) &&
      Object.keys(details).every((name) => Object.hasOwn(usageDetailTypes, name))
    );
  },
};

export const billedPartList = listOf(billedPart);
