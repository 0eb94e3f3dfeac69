import { expect, it } from 'vitest';
import { noFacts, type ResponseFacts } from '#lambdas/inference/completion/facts.ts';
import {
  isAboveRequested,
  isOutputAboveLimit,
  type LimitedResponse,
} from '#lambdas/inference/completion/limited-usage.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';

const above: TokenUsage = { ...noUsage, freshInputTokens: 9, outputTokens: 21 };

interface Changes {
  usage?: Partial<TokenUsage> | null;
  facts?: Partial<ResponseFacts>;
  request?: JsonObject;
  textTokens?: number;
  hasTools?: boolean;
  limit?: Awaited<ReturnType<LimitedResponse['outputLimit']>>;
}

/** By default, the response has 21 tokens and the request a limit of 20. */
async function isAbove({
  usage = {},
  facts = {},
  request = {},
  textTokens = 20,
  hasTools = false,
  limit,
}: Changes): Promise<boolean> {
  const response: LimitedResponse = {
    facts: { ...noFacts, usage: usage && { ...above, ...usage }, ...facts },
    requestBody: { max_tokens: 20, ...request },
    hasProviderTools: () => hasTools,
    textTokens: () => textTokens,
    outputLimit: async () => limit ?? { maxOutputTokens: 20, completions: 1 },
  };
  return isAboveRequested(response.facts, response.requestBody) && isOutputAboveLimit(response);
}

it.each<[string, Changes]>([
  ['max_tokens', {}],
  ['max_completion_tokens', { request: { max_tokens: undefined, max_completion_tokens: 20 } }],
  [
    'the limit of each completion',
    { usage: { outputTokens: 41 }, request: { n: 2 }, limit: { maxOutputTokens: 20, completions: 2 } },
  ],
])('finds output above %s', async (_, changes) => {
  expect(await isAbove(changes)).toBe(true);
});

it.each<[string, Changes]>([
  ['up to the limit', { usage: { outputTokens: 20 } }],
  ['up to the limit of each completion', { usage: { outputTokens: 40 }, request: { n: 2 } }],
  [
    'up to the highest limit',
    { request: { max_completion_tokens: 21 }, limit: { maxOutputTokens: 21, completions: 1 } },
  ],
  ['of which a part is reasoning', { usage: { reasoningTokens: 1 } }],
  ['of which a part is audio', { usage: { audioOutputTokens: 1 } }],
  ['of which a part is an image', { usage: { imageOutputTokens: 1 } }],
  ['that is not reported', { usage: null }],
  ['whose text shows that the limit is ignored', { textTokens: 21 }],
  ['beside a prediction', { request: { prediction: { type: 'content', content: 'a' } } }],
  ['of a provider without the limit', { limit: { maxOutputTokens: null, completions: 1 } }],
  [
    'of a provider that may read another limit',
    { limit: { maxOutputTokens: 20, isLimitUncertain: true, completions: 1 } },
  ],
  ['of several rounds', { facts: { billedParts: [{ model: null, usage: above }] } }],
  ['beside charges that are not shown', { facts: { pricingGaps: ['code_execution'] } }],
  ['beside searches', { usage: { webSearches: 1 } }],
  ['beside visited pages', { usage: { pageVisits: 1 } }],
  ['with a tool of the provider', { hasTools: true }],
])('accepts output %s', async (_, changes) => {
  expect(await isAbove(changes)).toBe(false);
});

it.each([{}, { max_tokens: 21 }, { max_tokens: '20' }, { max_tokens: null }])(
  'has no limit of the request to compare with in %j',
  (requestBody) => {
    expect(isAboveRequested({ ...noFacts, usage: above }, requestBody)).toBe(false);
  },
);
