/** Finds reported output that the limit of the request does not allow. */
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import { type TokenUsage, usageWarnings } from '#lambdas/pricing/usage.ts';
import type { ResponseFacts } from '../completion/facts.ts';
import type { PreparedRequest } from '../providers/provider.ts';

export interface LimitedResponse {
  facts: ResponseFacts;
  /** In OpenAI's format. */
  requestBody: JsonObject;
  /** Estimates the tokens of the text that was received. */
  textTokens(): number;
  /** Reads the limit that was sent. */
  outputLimit: PreparedRequest['outputLimit'];
}

/**
 * Call this only when `isAboveRequested` is true. Returns true only where the reported usage must be wrong: a provider may
 * ignore the limit, as the length of the text then shows, and a response of several rounds may have the limit for each of
 * them. Reasoning, audio and images are not counted, because the limit may not include them.
 */
export async function isOutputAboveLimit({
  facts,
  requestBody,
  textTokens,
  outputLimit,
}: LimitedResponse): Promise<boolean> {
  const { usage } = facts;
  if (usage === null || requestBody.prediction != null) return false;
  if (mayHaveRounds(facts, usage, requestBody)) return false;
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
  { max_completion_tokens, max_tokens, n }: JsonObject,
): boolean {
  if (usage === null || (max_completion_tokens == null && max_tokens == null)) return false;
  const tokens = textOutput(usage);
  const completions = typeof n === 'number' ? n : 1;
  const isAbove = (limit: unknown) => typeof limit === 'number' && tokens > limit * completions;
  return isAbove(max_completion_tokens) || isAbove(max_tokens);
}

export function withOutputWarning(facts: ResponseFacts): ResponseFacts {
  const added = new Set([...facts.usageWarnings, 'output_above_limit']);
  return { ...facts, usageWarnings: usageWarnings.filter((warning) => added.has(warning)) };
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
