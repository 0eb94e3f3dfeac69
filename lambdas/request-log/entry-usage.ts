/** Converts the usage of a request to and from the fields of its log entry. Prices are computed from these fields. */
import {
  type BilledPart,
  type BilledParts,
  cacheWriteTokens,
  inputTokens,
  type TokenUsage,
  totalUsage,
  unknownModel,
} from '#lambdas/pricing/usage.ts';
import type { LogEntry } from './entry.ts';
import type { BilledPartFields, TokenFields } from './fields/billed-part.ts';

type UsageFields = Pick<LogEntry, keyof TokenFields | 'total_tokens' | 'billed_parts' | 'missing_usage'>;

/** Without parts, the request has no usage. `responseModel` names the parts at the model of the response. */
export function usageFields(parts: readonly BilledPart[], responseModel: string | null): UsageFields {
  const [first, ...others] = parts;
  const isListed = others.length > 0 || (first?.model ?? responseModel) !== responseModel;
  const usage = first && (isListed ? totalUsage([first, ...others]) : first.usage);
  return {
    ...tokenFields(usage ?? null),
    total_tokens: usage === undefined ? null : inputTokens(usage) + usage.outputTokens,
    billed_parts: isListed ? parts.map((part) => toPartFields(part, responseModel)) : null,
    missing_usage: usage?.missing ?? null,
  };
}

type StoredUsage = Omit<UsageFields, 'missing_usage'> & Pick<LogEntry, 'response_model' | 'model'>;

/** Returns `null` for a request without usage. Does not say which kinds are missing. */
export function billedPartsOf(fields: StoredUsage): BilledParts | null {
  const { billed_parts } = fields;
  const responseModel = fields.response_model ?? fields.model;
  const toPart = (model: string | null, counts: Partial<TokenFields>): BilledPart => ({
    model: model === responseModel ? null : model,
    usage: usageFromFields(counts),
  });
  const [first, ...others] = (billed_parts ?? []).map((part) => toPart(part.model, part));
  if (first !== undefined) return [first, ...others];
  return fields.input_tokens === null ? null : [toPart(null, fields)];
}

function toPartFields({ model, usage }: BilledPart, responseModel: string | null): BilledPartFields {
  const { input_tokens, output_tokens, ...details } = tokenFields(usage);
  return {
    model: model ?? responseModel ?? unknownModel,
    input_tokens: input_tokens ?? 0,
    output_tokens: output_tokens ?? 0,
    ...Object.fromEntries(Object.entries(details).filter(([, count]) => count)),
  };
}

function tokenFields(usage: TokenUsage | null): TokenFields {
  return {
    input_tokens: usage && inputTokens(usage),
    output_tokens: usage?.outputTokens ?? null,
    cached_input_tokens: usage?.cachedInputTokens ?? null,
    cache_write_input_tokens: usage && cacheWriteTokens(usage),
    reasoning_tokens: usage?.reasoningTokens ?? null,
    // Rare: zero is stored as `null`, so most entries do not have these fields.
    cache_write_1h_input_tokens: usage?.cacheWrite1hInputTokens || null,
    audio_input_tokens: usage?.audioInputTokens || null,
    cached_audio_input_tokens: usage?.cachedAudioInputTokens || null,
    image_input_tokens: usage?.imageInputTokens || null,
    cached_image_input_tokens: usage?.cachedImageInputTokens || null,
    audio_output_tokens: usage?.audioOutputTokens || null,
    image_output_tokens: usage?.imageOutputTokens || null,
    web_searches: usage?.webSearches || null,
    page_visits: usage?.pageVisits || null,
    file_searches: usage?.fileSearches || null,
    audio_input_seconds: usage?.audioInputSeconds || null,
    context_tokens: usage?.contextTokens || null,
  };
}

function usageFromFields(fields: Partial<TokenFields>): TokenUsage {
  const cached = fields.cached_input_tokens ?? 0;
  const cacheWrites = fields.cache_write_input_tokens ?? 0;
  const cacheWrites1h = fields.cache_write_1h_input_tokens ?? 0;
  const { context_tokens: contextTokens } = fields;
  return {
    freshInputTokens: (fields.input_tokens ?? 0) - cached - cacheWrites,
    cachedInputTokens: cached,
    cacheWriteInputTokens: cacheWrites - cacheWrites1h,
    cacheWrite1hInputTokens: cacheWrites1h,
    outputTokens: fields.output_tokens ?? 0,
    reasoningTokens: fields.reasoning_tokens ?? 0,
    audioInputTokens: fields.audio_input_tokens ?? 0,
    cachedAudioInputTokens: fields.cached_audio_input_tokens ?? 0,
    imageInputTokens: fields.image_input_tokens ?? 0,
    cachedImageInputTokens: fields.cached_image_input_tokens ?? 0,
    audioOutputTokens: fields.audio_output_tokens ?? 0,
    imageOutputTokens: fields.image_output_tokens ?? 0,
    webSearches: fields.web_searches ?? 0,
    pageVisits: fields.page_visits ?? 0,
    fileSearches: fields.file_searches ?? 0,
    audioInputSeconds: fields.audio_input_seconds ?? 0,
    ...(contextTokens != null && { contextTokens }),
  };
}
