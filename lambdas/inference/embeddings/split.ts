/** Splits the texts of a request into as many as the provider takes in one call. */
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { ApiName } from '../providers/catalog.ts';
import type { Provider } from '../providers/provider.ts';
import { type EmbeddingsRequest, textsOf } from './request.ts';

/** Bounds what a request can cost and how long it can take: Titan takes one text in each call. */
const maxCalls = 64;

type TextLimit = (model: string) => number;

/**
 * The texts of one call, for APIs other than OpenAI's, which takes all that OpenAI's clients send.
 *
 * - Google: "at most 100 requests can be in one batch"
 * - Cohere: https://docs.cohere.com/reference/embed
 * - Bedrock: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
 *   https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html
 */
const maxTexts: Readonly<Partial<Record<ApiName, TextLimit>>> = {
  google: () => 100,
  cohere: () => 96,
  bedrock: (model) => (/cohere/i.test(model) ? 96 : 1),
};

/** Returns `null` if the provider takes the caller's request as it is. Throws a `GatewayError` (400) for too many texts. */
export function splitInput(
  request: EmbeddingsRequest,
  { provider, model }: { provider: Provider; model: string },
): readonly [EmbeddingsRequest, ...EmbeddingsRequest[]] | null {
  const api = provider.api.entry.operations.embeddings?.api;
  const limit = (api && maxTexts[api]?.(model)) ?? null;
  if (limit === null) return null;
  const texts = textsOf(request, provider.name);
  if (texts.length > maxCalls * limit) throw tooManyTextsError(texts.length, limit);
  const toRequest = (chunk: readonly string[], index: number): EmbeddingsRequest => ({
    ...request,
    input: { kind: 'texts', texts: chunk },
    firstIndex: index * limit,
  });
  const [first = [], ...others] = chunksOf(texts, limit);
  return [toRequest(first, 0), ...others.map((chunk, index) => toRequest(chunk, index + 1))];
}

function tooManyTextsError(count: number, limit: number): Error {
  const max = maxCalls * limit;
  const perCall = limit === 1 ? 'one text' : `${limit} texts`;
  return invalidRequestError(
    'input',
    `input has ${count} texts, but this model takes ${perCall} in a call and the gateway makes at most ${maxCalls} calls for a request: send at most ${max} texts`,
  );
}
