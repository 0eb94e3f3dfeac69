/**
 * Estimates what a request can cost, before its provider is called: an upper bound, where there is one.
 *
 * Each byte of text counts as a token, since no tokenizer makes more of it, and some make a token of every digit. Images
 * and files count as a fixed number of tokens. Input and output have the highest prices that can apply. Servers read a
 * body with duplicate keys, or with names in another letter case, differently: all that any of them may read counts.
 *
 * The actual cost can be higher if
 * - no limit of the output is sent, and the output is longer than `defaultMaxOutputTokens`: the price data has no limits of
 *   models;
 * - the provider does not keep to the limit, or bills output that the limit excludes, such as a rejected prediction;
 * - an image, a recording or a file has more tokens than its figure, or is in a form that is not recognized;
 * - the provider adds input: the results of its tools, several rounds, cached contents, conversations that it keeps, long
 *   instructions for tools;
 * - it charges per unit, such as for searches;
 * - a kind of token whose price is not known is more expensive than with every known model of the provider;
 * - it serves a more expensive model than requested, or states a higher cost than the price table;
 * - the response names a tier without a custom price that the request did not ask for.
 */
import { sumCharges, type Usd } from '#lambdas/platform/money.ts';
import type { MaxRates } from '#lambdas/pricing/max-rates.ts';

export const media = ['image', 'audio', 'video', 'document'] as const;
export type Medium = (typeof media)[number];

/**
 * The figures of attachments.
 *
 * - Images: OpenAI rejects images with more than 30,000 patches, and counts 1.2 tokens for each:
 *   https://developers.openai.com/api/docs/guides/images-vision#calculating-costs. Claude has at most 4,784
 *   (https://platform.claude.com/docs/en/build-with-claude/vision), Gemini 2,240
 *   (https://ai.google.dev/gemini-api/docs/media-resolution). Only GPT-4o mini has more, up to 48,169.
 * - Audio: about ten minutes, with the 32 tokens of Gemini for a second: https://ai.google.dev/gemini-api/docs/tokens
 * - Video: about five minutes, with about 300 tokens for a second:
 *   https://ai.google.dev/gemini-api/docs/video-understanding
 * - Documents: about 40 pages, with 7,000 tokens for three pages:
 *   https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
const tokensOf: Readonly<Record<Medium, number>> = {
  image: 36_000,
  audio: 20_000,
  video: 100_000,
  document: 100_000,
};

/** The output of a request without a limit. */
export const defaultMaxOutputTokens = 4_096;

export interface RequestSize {
  /** The UTF-8 bytes of the body without its attachments. */
  textBytes: number;
  attachments: Readonly<Record<Medium, number>>;
}

export const noAttachments: RequestSize['attachments'] = { image: 0, audio: 0, video: 0, document: 0 };

export interface OutputLimit {
  /** The limit of each completion that the provider receives; `null` if it receives none. */
  maxOutputTokens: number | null;
  /** True if the provider may ignore the limit, or read another value as the limit. */
  isLimitUncertain?: boolean;
  /** The number of completions that the provider is asked for. */
  completions: number;
}

export interface CostEstimate extends RequestSize, OutputLimit {
  rates: MaxRates;
}

export function estimateMaxCost(estimate: CostEstimate): Usd {
  const { textBytes, attachments, completions, rates } = estimate;
  const inputTokens = media.reduce((sum, medium) => sum + attachments[medium] * tokensOf[medium], textBytes);
  // Beyond safe integers, no provider accepts the request.
  const outputTokens = Math.min(completions * maxTokensOfCompletion(estimate), Number.MAX_SAFE_INTEGER);
  return sumCharges([
    { count: inputTokens, usd: rates.usdPerMillionInput, per: 1_000_000 },
    { count: outputTokens, usd: rates.usdPerMillionOutput, per: 1_000_000 },
    { count: 1, usd: rates.usdPerThousandRequests, per: 1_000 },
  ]);
}

function maxTokensOfCompletion({ maxOutputTokens, isLimitUncertain = false }: OutputLimit): number {
  if (maxOutputTokens === null) return defaultMaxOutputTokens;
  return isLimitUncertain ? Math.max(maxOutputTokens, defaultMaxOutputTokens) : maxOutputTokens;
}
