/** Calculates the cost of a request: every token is charged once, at the price of its kind. */
import { sumCharges, type Usd } from '#lambdas/platform/money.ts';
import { inputTokens, type TokenUsage } from './usage.ts';

export interface PriceRequest {
  provider: string;
  model: string;
  /** The model that the provider reports. It is looked up first, since a dated snapshot can have its own price. */
  responseModel: string | null;
  usage: TokenUsage;
  /** Takes precedence over all prices. */
  reportedCostUsd: Usd | null;
  at: Date;
  /** The operator's prices for this provider, which replace the table's. */
  configuredPrices: TokenPrices | null;
}

/** US dollars per million tokens. Cached input and cache writes without their own price cost as much as `input`. */
export interface TokenPrices {
  input: number;
  output: number;
  cachedInput?: number;
  cacheWriteInput?: number;
}

/** The part of the providers' settings that contains prices, by provider name. */
export type ConfiguredPrices = Readonly<Record<string, { prices?: TokenPrices }>>;

/** `table` includes configured prices; `provider` is a reported cost; `unknown` means that the model has no price. */
export type PriceSource = 'table' | 'provider' | 'unknown';

export interface Price {
  cost_usd: Usd;
  pricing: PriceSource;
  pricing_version: string | null;
}

export interface PriceTable {
  version: string;
  findRates(lookup: RateLookup): TokenRates | null;
}

export interface RateLookup {
  provider: string;
  model: string;
  at: Date;
  /** All input tokens, cached or not: a long prompt can cost more per token. */
  inputTokens: number;
}

export function priceUsage(request: PriceRequest, table: PriceTable): Price {
  const { reportedCostUsd, configuredPrices, usage } = request;
  if (reportedCostUsd !== null) {
    return { cost_usd: reportedCostUsd, pricing: 'provider', pricing_version: null };
  }
  return configuredPrices === null
    ? listPrice(costFromTable(request, table), table.version)
    : listPrice(calculateCost(configuredRates(configuredPrices), usage), 'configuration');
}

function listPrice(cost: Usd | null, version: string): Price {
  return { cost_usd: cost ?? '0', pricing: cost === null ? 'unknown' : 'table', pricing_version: version };
}

function costFromTable(
  { provider, model, responseModel, usage, at }: PriceRequest,
  table: PriceTable,
): Usd | null {
  for (const name of new Set([responseModel ?? model, model])) {
    const rates = table.findRates({ provider, model: name, at, inputTokens: inputTokens(usage) });
    const cost = rates && calculateCost(rates, usage);
    if (cost !== null) return cost;
  }
  return null;
}

function configuredRates({ input, output, cachedInput, cacheWriteInput }: TokenPrices): TokenRates {
  return {
    usdPerMillion: {
      textInput: input,
      audioInput: input,
      cachedTextInput: cachedInput ?? input,
      cachedAudioInput: cachedInput ?? input,
      cacheWriteInput: cacheWriteInput ?? input,
      cacheWrite1hInput: cacheWriteInput ?? input,
      textOutput: output,
      reasoningOutput: output,
      audioOutput: output,
      imageOutput: output,
    },
    usdPerMillionRequests: 0,
  };
}

/** The kinds of tokens that can have different prices. They do not overlap. */
export const tokenKinds = [
  'textInput',
  'audioInput',
  'cachedTextInput',
  'cachedAudioInput',
  'cacheWriteInput',
  'cacheWrite1hInput',
  'textOutput',
  'reasoningOutput',
  'audioOutput',
  'imageOutput',
] as const;
export type TokenKind = (typeof tokenKinds)[number];

export interface TokenRates {
  /** `null` when neither the kind nor a more general kind has a price. */
  usdPerMillion: Readonly<Record<TokenKind, number | null>>;
  usdPerMillionRequests: number;
  /** `null` when the price is unknown; missing when web searches are free. */
  usdPerMillionWebSearches?: number | null;
}

/** Returns `null` when any part has no price, since a partial cost would look like the full cost. */
export function calculateCost(rates: TokenRates, usage: TokenUsage): Usd | null {
  const tokens = tokensByKind(usage);
  const charges = [{ count: 1, usdPerMillion: rates.usdPerMillionRequests }];
  const { webSearches = 0 } = usage;
  if (webSearches > 0) {
    const { usdPerMillionWebSearches = 0 } = rates;
    if (usdPerMillionWebSearches === null) return null;
    charges.push({ count: webSearches, usdPerMillion: usdPerMillionWebSearches });
  }
  for (const kind of tokenKinds) {
    if (tokens[kind] === 0) continue;
    const usdPerMillion = rates.usdPerMillion[kind];
    if (usdPerMillion === null) return null;
    charges.push({ count: tokens[kind], usdPerMillion });
  }
  return sumCharges(charges);
}

/**
 * Splits usage by kind of token. Audio can be part of both fresh and cached input. Even if the provider's counts
 * contradict each other, no count is negative and the counts add up to the total.
 */
export function tokensByKind(usage: TokenUsage): Record<TokenKind, number> {
  const { freshInputTokens: fresh, cachedInputTokens: cached, outputTokens: output } = usage;
  const audio = Math.min(usage.audioInputTokens, fresh + cached);
  // Audio that exceeds the fresh input must be cached, even if the provider does not report it.
  const cachedAudio = Math.min(cached, audio, Math.max(usage.cachedAudioInputTokens, audio - fresh));
  const audioOutput = Math.min(usage.audioOutputTokens, output);
  const imageOutput = Math.min(usage.imageOutputTokens, output - audioOutput);
  const reasoning = Math.min(usage.reasoningTokens, output - audioOutput - imageOutput);
  return {
    textInput: fresh - (audio - cachedAudio),
    audioInput: audio - cachedAudio,
    cachedTextInput: cached - cachedAudio,
    cachedAudioInput: cachedAudio,
    cacheWriteInput: usage.cacheWriteInputTokens,
    cacheWrite1hInput: usage.cacheWrite1hInputTokens,
    textOutput: output - audioOutput - imageOutput - reasoning,
    reasoningOutput: reasoning,
    audioOutput,
    imageOutput,
  };
}
