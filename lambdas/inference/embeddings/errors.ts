/** The errors of embeddings requests, in the terms of the caller's request. */
import { type GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { type ProviderError, parseProviderError } from '../providers/error-body.ts';
import { findErrorInBody, toGatewayError } from '../providers/errors.ts';
import type { ErrorResponse, ProviderCall } from '../providers/provider.ts';
import { countInputs, type EmbeddingsRequest } from './request.ts';

type Call = Pick<ProviderCall<EmbeddingsRequest>, 'provider' | 'model' | 'request'>;

export const promptParam = 'input';

/** Reads the response of a provider whose errors have a common form. */
export function readEmbeddingsError({ status, headers, body }: ErrorResponse, call: Call): GatewayError {
  const { provider, model, request } = call;
  const error = parseProviderError(parseJson(body.toString('utf8')));
  return toGatewayError({
    provider,
    model,
    status,
    headers,
    promptParam,
    error: error && withCallersParam(error, request),
  });
}

/** Finds an error in the body of a successful response. */
export function findEmbeddingsError(body: JsonObject, { provider, model }: Call): GatewayError | null {
  return findErrorInBody(body, { provider, model, promptParam });
}

function withCallersParam(error: ProviderError, request: EmbeddingsRequest): ProviderError {
  const { param: stated = '', message } = error;
  const param = findParam(stated, request) ?? (stated === '' ? findParam(message, request) : null);
  return param === null ? error : { ...error, param };
}

/** OpenAI's names of what the providers' messages name. */
const paramsByMessage: readonly (readonly [RegExp, string])[] = [
  [/dimension|outputEmbeddingLength/i, 'dimensions'],
  [/\binput_?type|\btask_?type/i, 'input_type'],
  [/\b(input|inputText|texts?|contents?|tokens?)\b/i, promptParam],
];

/** The parameter of the request that a message is about. */
export function findParam(message: string, { body }: EmbeddingsRequest): string | null {
  const [, param = null] =
    paramsByMessage.find(([pattern, name]) => pattern.test(message) && Object.hasOwn(body, name)) ?? [];
  return param;
}

export function noEmbeddingsError(provider: string): GatewayError {
  return unusableResponseError(`The response of the provider ${provider} contains no embeddings`);
}

/** Throws a `GatewayError` unless there is a vector for each input. */
export function assertCount({ length }: readonly unknown[], { provider, request }: Call): void {
  const inputs = countInputs(request);
  if (length === inputs) return;
  throw unusableResponseError(`The provider ${provider} sent ${length} embeddings for an input of ${inputs}`);
}
