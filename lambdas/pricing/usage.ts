/** Token usage, with input in buckets that do not overlap, so that each token is charged once. */

/** Reasoning, audio output and image output are parts of `outputTokens`. */
export interface TokenUsage {
  /** Input that was neither read from nor written to a cache. */
  freshInputTokens: number;
  cachedInputTokens: number;
  /** Input written to a cache for the provider's shorter lifetime, or for an unknown one. */
  cacheWriteInputTokens: number;
  /** Input written to a cache for an hour (Anthropic) or 12 hours (OpenAI), which has its own price. */
  cacheWrite1hInputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Part of `freshInputTokens` and `cachedInputTokens`. */
  audioInputTokens: number;
  /** Part of both `cachedInputTokens` and `audioInputTokens`. */
  cachedAudioInputTokens: number;
  /** Part of `freshInputTokens` and `cachedInputTokens`. */
  imageInputTokens: number;
  /** Part of both `cachedInputTokens` and `imageInputTokens`. */
  cachedImageInputTokens: number;
  audioOutputTokens: number;
  imageOutputTokens: number;
  /** Only web searches that the provider charges individually. */
  webSearches?: number;
  /** Web pages that a tool of the provider visited, if the provider charges them individually. */
  pageVisits?: number;
  /** Searches of a tool of the provider in the caller's files, if the provider charges them individually. */
  fileSearches?: number;
  /** Audio input that is billed by its duration instead of by tokens. */
  audioInputSeconds?: number;
  /**
   * The input tokens that select a long-context price, when the usage is the sum of several rounds: those of its longest
   * round. By default, all input tokens.
   */
  contextTokens?: number;
  /** The kinds whose counts are missing or could not be read, and count as 0. Not set when the usage is complete. */
  missing?: readonly UsageKind[];
}

/** The kinds of tokens and units that can be missing, by the names of their fields in log entries. */
export const usageKinds = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'reasoning_tokens',
  'audio_input_tokens',
  'image_input_tokens',
  'audio_output_tokens',
  'image_output_tokens',
  'web_searches',
  'page_visits',
  'file_searches',
  'audio_input_seconds',
] as const;
export type UsageKind = (typeof usageKinds)[number];

/**
 * Signs that reported usage cannot be right: a count of a stream went down; there is more output than the limit allowed; the
 * provider's own total does not fit the other counts.
 */
export const usageWarnings = ['counts_decreased', 'output_above_limit', 'total_differs'] as const;
export type UsageWarning = (typeof usageWarnings)[number];

/** A part of a response that is billed separately, such as the rounds of another model. */
export interface BilledPart {
  /** `null` for the model of the response. */
  model: string | null;
  usage: TokenUsage;
}

/** The name of a part whose model is not known. No price applies to it, except one for all models of its provider. */
export const unknownModel = '';

export type BilledParts = readonly [BilledPart, ...BilledPart[]];

export const noUsage: TokenUsage = {
  freshInputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  cacheWrite1hInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  cachedAudioInputTokens: 0,
  imageInputTokens: 0,
  cachedImageInputTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
};

/** The counts that are billed by unit instead of by token. */
export const unitKinds = ['webSearches', 'pageVisits', 'fileSearches', 'audioInputSeconds'] as const;
export type UnitKind = (typeof unitKinds)[number];

export type TokenCount = Exclude<keyof TokenUsage, UnitKind | 'contextTokens' | 'missing'>;

export const tokenCounts = Object.keys(noUsage) as TokenCount[];

export function inputTokens(usage: TokenUsage): number {
  return usage.freshInputTokens + usage.cachedInputTokens + cacheWriteTokens(usage);
}

export function cacheWriteTokens(usage: TokenUsage): number {
  return usage.cacheWriteInputTokens + usage.cacheWrite1hInputTokens;
}

/** The input tokens that select a long-context price. */
export function contextTokens(usage: TokenUsage): number {
  return usage.contextTokens ?? inputTokens(usage);
}

/** Adds counts, and keeps the context of the longer round. */
export function addUsage(left: TokenUsage, right: TokenUsage): TokenUsage {
  const sum: TokenUsage = { ...noUsage };
  for (const name of tokenCounts) sum[name] = left[name] + right[name];
  for (const name of unitKinds) {
    const count = (left[name] ?? 0) + (right[name] ?? 0);
    if (count > 0) sum[name] = count;
  }
  const context = Math.max(contextTokens(left), contextTokens(right));
  if (context !== inputTokens(sum)) sum.contextTokens = context;
  return withMissing(sum, [...(left.missing ?? []), ...(right.missing ?? [])]);
}

/** Adds to the kinds that are missing. */
export function withMissing(usage: TokenUsage, kinds: readonly UsageKind[]): TokenUsage {
  const missing = usageKinds.filter((kind) => kinds.includes(kind) || usage.missing?.includes(kind));
  return missing.length === 0 ? usage : { ...usage, missing };
}

/** The sum of all parts. It has no `contextTokens`, which belong to one part. */
export function totalUsage([first, ...others]: BilledParts): TokenUsage {
  const { contextTokens: _, ...total } = others.reduce((sum, { usage }) => addUsage(sum, usage), first.usage);
  return total;
}

/** Far more than a response has; a provider must not be able to inflate the log entry. */
export const maxParts = 16;

/**
 * Adds up the rounds of the same model at the same prices, so that a long tool loop has few parts. Rounds without a price
 * are merged only if their context is the same, since a price that becomes known later may depend on it. More than 16
 * parts become one part, whose cost is unknown.
 */
export function mergeRounds(
  rounds: BilledParts,
  priceOf: (round: BilledPart) => object | null = () => null,
): BilledParts {
  if (rounds.length === 1) return rounds;
  const byPrice = mergeBy(rounds, (round) => priceOf(round) ?? contextTokens(round.usage));
  if (byPrice.length <= maxParts) return byPrice;
  const byModel = mergeBy(rounds, () => null);
  if (byModel.length <= maxParts) return byModel;
  return [{ model: unknownModel, usage: totalUsage(rounds) }];
}

function mergeBy(rounds: BilledParts, priceOf: (round: BilledPart) => unknown): BilledParts {
  const [first] = rounds;
  const merged = new Map<string, BilledPart>();
  for (const round of rounds) {
    const key = JSON.stringify([round.model, priceOf(round)]);
    const part = merged.get(key);
    const usage = part === undefined ? round.usage : addUsage(part.usage, round.usage);
    merged.set(key, { model: round.model, usage });
  }
  const [firstPart = first, ...otherParts] = merged.values();
  return [firstPart, ...otherParts];
}
