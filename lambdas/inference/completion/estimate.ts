/** Estimates the usage of a request from its text. */
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { type KnownFacts, noFacts } from './facts.ts';

/** A common average for English text; other languages have fewer bytes per token. */
const bytesPerToken = 4;

/** The input of a request. */
export interface Prompt {
  /** The UTF-8 size of its text. The size of an image or file says nothing about its tokens. */
  textBytes(): number;
  /** True for an image, a recording or a file, which have tokens too. */
  hasAttachments(): boolean;
  /** The tokens of what the provider adds from an earlier conversation, at most; none by default. */
  contextTokens?(): number;
}

/** The estimate for a request that was sent, while nothing is known about its response. */
export function estimateInput(prompt: Prompt): KnownFacts {
  return { facts: { ...noFacts, usage: { ...noUsage, ...inputOf(prompt) } }, isUsageEstimated: true };
}

export function inputOf(prompt: Prompt): Pick<TokenUsage, 'freshInputTokens'> {
  return { freshInputTokens: estimateTokens(prompt.textBytes()) + (prompt.contextTokens?.() ?? 0) };
}

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}
