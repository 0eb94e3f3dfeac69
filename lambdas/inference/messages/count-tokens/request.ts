/** A request to count the input tokens of a message. https://platform.claude.com/docs/en/api/messages/count_tokens */

import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { findErrorInBody } from '#lambdas/inference/providers/errors.ts';
import { createBodyReader } from '#lambdas/inference/providers/http/body-reader.ts';
import type { NativeRequest } from '#lambdas/inference/providers/native/request.ts';
import type { ProviderCall, ResponseReader } from '#lambdas/inference/providers/provider.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { parseMessagesRequest } from '../request.ts';

export interface CountTokensRequest extends NativeRequest {
  /** Reads the whole request once. Throws a `GatewayError` (400) that names the invalid field. */
  readCompletion(): Promise<CompletionRequest>;
}

/** Throws a `GatewayError` (400) that names the invalid field. */
export function parseCountTokensRequest(text: string): CountTokensRequest {
  const request = parseMessagesRequest(text);
  return {
    ...request,
    stream: false,
    readCompletion: lazy(async () =>
      (await import('../request/request.ts')).readMessagesCompletion(request, null),
    ),
  };
}

const noBytes = Buffer.alloc(0);

function writeCount(count: number): Buffer {
  return Buffer.from(JSON.stringify({ input_tokens: count }));
}

/**
 * Reads the response of a provider, in which `read` finds the count. `write` returns the response to the caller, by default
 * one with the count alone.
 */
export function createTokenCountReader(
  { provider, model }: Pick<ProviderCall<CountTokensRequest>, 'provider' | 'model'>,
  read: (body: JsonObject) => unknown,
  write: (count: number, bytes: Buffer) => Buffer = writeCount,
): ResponseReader {
  return createBodyReader((bytes, facts) => {
    const body = parseJsonObject(bytes.toString('utf8'));
    if (body === null) return null;
    facts.error = findErrorInBody(body, { provider, model });
    if (facts.error !== null) return noBytes;
    const count = read(body);
    if (typeof count !== 'number') throw noCountError(provider);
    return write(count, bytes);
  });
}

function noCountError(provider: string): GatewayError {
  return new GatewayError('provider_error', {
    message: `The response of the provider ${provider} contains no count of tokens`,
  });
}

/** For a provider, or a model of it, without a counter. */
export function missingCounterError(provider: string, model?: string): GatewayError {
  const subject = model === undefined ? '' : ` for ${model}`;
  return new GatewayError('not_found', {
    param: 'model',
    message: `The provider ${provider} has no counter of input tokens${subject}: clients estimate them`,
  });
}
