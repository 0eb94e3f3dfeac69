/** Finds reported output that the limit of the request does not allow. */
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { TokenUsage } from '#lambdas/pricing/usage.ts';
import type { PreparedRequest, ResponseFacts } from '../providers/provider.ts';

export interface LimitedResponse {
  facts: ResponseFacts;
  /** In OpenAI's format. */
  requestBody: JsonObject;
  /** Estimates the tokens of the text that was received. */
  textTokens(): number;
  /** Reads the limit that was sent: only for output that is above the limit of the request. */
  outputLimit: PreparedRequest['outputLimit'];
}

/**
 * Certain cases only: false for a provider that does not keep to the limit, as the text shows, and for a response of several
 * rounds, each of which may have the limit for itself. Reasoning, and output other than text, may be outside of it.
 */
export async function isOutputAboveLimit(response: LimitedResponse): Promise<boolean> {
  const { facts, requestBody, textTokens, outputLimit } = response;
  const { usage } = facts;
  if (usage === null || !isAboveAny(textOutput(usage), requestBody)) return false;
  if (requestBody.prediction != null || mayHaveRounds(facts, usage, requestBody)) return false;
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

/** Runs for every response, most of which are below each limit or have none. */
function isAboveAny(tokens: number, { max_completion_tokens, max_tokens, n }: JsonObject): boolean {
  const completions = typeof n === 'number' ? n : 1;
  const isAbove = (limit: unknown) => typeof limit === 'number' && tokens > limit * completions;
  return isAbove(max_completion_tokens) || isAbove(max_tokens);
}

/** Tools other than functions run at the provider, which then calls the model again. */
function mayHaveRounds(
  { billedParts, pricingGaps }: ResponseFacts,
  usage: TokenUsage,
  { tools }: JsonObject,
): boolean {
  const isCharged = usage.webSearches !== undefined || usage.pageVisits !== undefined;
  const hasProviderTool = filterObjects(tools).some(({ type }) => type !== 'function');
  return billedParts !== null || pricingGaps.length > 0 || isCharged || hasProviderTool;
}
