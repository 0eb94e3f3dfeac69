/** Reads the errors of a Messages API, and keeps the provider's words for a caller who uses that API. */
import { statusInBody } from '#lambdas/inference/providers/error-status.ts';
import { withOriginal } from '#lambdas/inference/providers/native/errors.ts';
import type { NativeOrigin } from '#lambdas/inference/providers/native/origin.ts';
import type { ErrorResponse } from '#lambdas/inference/providers/provider.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { messagesError } from '../errors.ts';

export function readNativeError(
  response: ErrorResponse,
  { provider, model, readForeignError }: Pick<NativeOrigin, 'provider' | 'model' | 'readForeignError'>,
): GatewayError {
  const { status, headers } = response;
  const text = response.body.toString('utf8');
  const body = parseJsonObject(text);
  const isNative = body !== null && isNativeError(body);
  if (!isNative && readForeignError !== undefined) return readForeignError(response, { provider, model });
  const error = messagesError({ provider, model, request: null, body, status, headers });
  return isNative ? withOriginal(error, { status, body: text }) : error;
}

/** The error of a successful response, or of an event in it, whose JSON is `text`. */
export function readStatedError(
  body: JsonObject,
  text: string,
  { provider, model }: NativeOrigin,
): GatewayError {
  const error = messagesError({ provider, model, request: null, body });
  return isNativeError(body) ? withOriginal(error, { status: statusInBody(body) ?? 500, body: text }) : error;
}

/** Proxies and AWS also send errors in other forms, which the caller cannot read. */
function isNativeError({ type, error }: JsonObject): boolean {
  return type === 'error' && isJsonObject(error);
}
