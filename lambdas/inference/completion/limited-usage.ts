/**
 * Completes the usage of a response to a request that may limit its output, and finds reported output that the limit does not
 * allow. Loaded while the provider works.
 */
import type { OutputLimit } from '#lambdas/limits/estimate.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type TokenUsage, usageWarnings } from '#lambdas/pricing/usage.ts';
import { estimateTokens, type Prompt } from './estimate.ts';
import type { KnownFacts, ResponseFacts } from './facts.ts';
import { completeUsage, type ReadCompletion } from './usage.ts';

interface LimitedRequest {
  prompt: Prompt;
  /** Its fields `max_completion_tokens`, `max_tokens`, `max_output_tokens` and `n` limit the output. */
  body: JsonObject;
  /** True if the provider may run tools, after which it calls the model again. */
  hasProviderTools(): boolean;
}

interface ReadLimited extends ReadCompletion {
  /** Reads the limit that was sent. */
  outputLimit: () => OutputLimit | Promise<OutputLimit>;
}

export async function completeLimitedUsage(
  response: ReadLimited,
  { prompt, body: requestBody, hasProviderTools }: LimitedRequest,
): Promise<KnownFacts> {
  const known = completeUsage(response, prompt);
  const { facts } = known;
  if (!isAboveRequested(facts, requestBody)) return known;
  const textTokens = () => estimateTokens(response.facts.textBytes ?? response.textBytes());
  const { outputLimit } = response;
  const isAbove = await isOutputAboveLimit({ facts, requestBody, hasProviderTools, textTokens, outputLimit });
  return isAbove ? { ...known, facts: withOutputWarning(facts) } : known;
}

export interface LimitedResponse
  extends Pick<ReadLimited, 'outputLimit'>,
    Pick<LimitedRequest, 'hasProviderTools'> {
  facts: ResponseFacts;
  requestBody: JsonObject;
  /** Estimates the tokens of the text that was received. */
  textTokens(): number;
}

/**
 * Call this only when `isAboveRequested` is true. Returns true only where the reported usage must be wrong: a provider may
 * ignore the limit, as the length of the text then shows, and a response of several rounds may have the limit for each of
 * them. Reasoning, audio and images are not counted, because the limit may not include them.
 */
export async function isOutputAboveLimit({
  facts,
  requestBody,
  hasProviderTools,
  textTokens,
  outputLimit,
}: LimitedResponse): Promise<boolean> {
  const { usage } = facts;
  if (usage === null || requestBody.prediction != null) return false;
  if (mayHaveRounds(facts, usage) || hasProviderTools()) return false;
  const { maxOutputTokens, isLimitUncertain, completions } = await outputLimit();
  if (maxOutputTokens === null || isLimitUncertain) return false;
  const limit = maxOutputTokens * completions;
  return textOutput(usage) > limit && textTokens() <= limit;
}

function textOutput({
  outputTokens,
  reasoningTokens,
  audioOutputTokens,
  imageOutputTokens,
}: TokenUsage): number {
  return outputTokens - reasoningTokens - audioOutputTokens - imageOutputTokens;
}

/** True for output above a limit in the request. Runs for every response, most of which are below it or have none. */
export function isAboveRequested(
  { usage }: ResponseFacts,
  { max_completion_tokens, max_tokens, max_output_tokens, n }: JsonObject,
): boolean {
  const limits = [max_completion_tokens, max_tokens, max_output_tokens];
  if (usage === null || limits.every((limit) => limit == null)) return false;
  const tokens = textOutput(usage);
  const completions = typeof n === 'number' ? n : 1;
  return limits.some((limit) => typeof limit === 'number' && tokens > limit * completions);
}

function withOutputWarning(facts: ResponseFacts): ResponseFacts {
  const added = new Set([...facts.usageWarnings, 'output_above_limit']);
  return { ...facts, usageWarnings: usageWarnings.filter((warning) => added.has(warning)) };
}

function mayHaveRounds({ billedParts, pricingGaps }: ResponseFacts, usage: TokenUsage): boolean {
  const { webSearches, pageVisits, fileSearches } = usage;
  const isCharged = [webSearches, pageVisits, fileSearches].some((count) => count !== undefined);
  return billedParts !== null || pricingGaps.length > 0 || isCharged;
}
