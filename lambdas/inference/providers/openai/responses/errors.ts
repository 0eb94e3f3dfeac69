/** Reads errors of the Responses API, and keeps the provider's words for a caller who uses that API. */
import { statusInBody } from '#lambdas/inference/providers/error-status.ts';
import { findErrorInBody, readErrorResponse } from '#lambdas/inference/providers/errors.ts';
import { withOriginal } from '#lambdas/inference/providers/native/errors.ts';
import type { NativeOrigin } from '#lambdas/inference/providers/native/origin.ts';
import type { ErrorResponse } from '#lambdas/inference/providers/provider.ts';
import { type GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';

const promptParam = 'input';

export function readNativeError(response: ErrorResponse, origin: NativeOrigin): GatewayError {
  const { provider, model, readForeignError } = origin;
  const { status } = response;
  const text = response.body.toString('utf8');
  const isNative = isJsonObject(parseJsonObject(text)?.error);
  if (!isNative && readForeignError !== undefined) return readForeignError(response, { provider, model });
  const error = readErrorResponse({ ...response, provider, model, promptParam });
  return isNative ? withOriginal(error, { status, body: text }) : error;
}

/** The error that `data` is: the body of a successful response, or an event in it, whose JSON is `text`. */
export function readStatedError(data: JsonObject, text: string, origin: NativeOrigin): GatewayError {
  const error = errorIn(data, origin);
  // In an event, the published schema has the fields of the error beside the type: no client reads them from a body.
  if (!isJsonObject(data.error)) return error;
  return withOriginal(error, { status: statusInBody(data) ?? 500, body: text });
}

/** The error of an event that the caller receives. */
export function readSentError(data: JsonObject, origin: NativeOrigin): GatewayError {
  return sentError(errorIn(data, origin));
}

/** Returns `null` for a response that has not failed. */
export function readFailedResponse({ status, error }: JsonObject, origin: NativeOrigin): GatewayError | null {
  const isFailed = status === 'failed' || isJsonObject(error);
  return isFailed ? sentError(errorIn({ error }, origin)) : null;
}

function errorIn(data: JsonObject, { provider, model }: NativeOrigin): GatewayError {
  const error = findErrorInBody(data, { provider, model, promptParam, eventType: 'error' });
  if (error !== null) return error;
  return unusableResponseError(`The provider ${provider} reported an error`);
}

function sentError(error: GatewayError): GatewayError {
  return withOriginal(error, { status: error.status, body: '', isSent: true });
}
