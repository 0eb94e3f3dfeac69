/** What each kind of token costs, and what a request's usage costs at that: every token once. */
import type { TokenUsage } from '../domain/usage.ts';
import { type Usd, usdOf } from '../domain/usd.ts';

/** The kinds of token that can have a price of their own; no token is of two kinds. */
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
  /** US dollars per million tokens; `null` where there is no price, not even that of a more general kind. */
  usdPerMillion: Readonly<Record<TokenKind, number | null>>;
  /** US dollars for the requests themselves, whatever their length. */
  usdPerMillionRequests: number;
  /** US dollars for searches of the web; `null` where they have no price, nothing where they are free. */
  usdPerMillionWebSearches?: number | null;
}

/** `null` when some of it has no price: a part of the cost would pass for the whole. */
export function costAt(rates: TokenRates, usage: TokenUsage): Usd | null {
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
  return usdOf(charges);
}

/**
 * Audio lies across fresh and cached input. Where a provider's counts contradict each other, the parts still are
 * not negative and still add up to the whole.
 */
export function tokensByKind(usage: TokenUsage): Record<TokenKind, number> {
  const { freshInputTokens: fresh, cachedInputTokens: cached, outputTokens: output } = usage;
  const audio = Math.min(usage.audioInputTokens, fresh + cached);
  // What does not fit into the fresh input was cached, also where the provider does not tell.
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
