/** Reads errors, in which the parameters of a request get the names by which its caller gives them. */
import { settingKeyOf } from '#lambdas/inference/chat/parameters.ts';
import type { CompletionRequest, ParameterName, SettingKey } from '#lambdas/inference/completion/request.ts';
import { parseProviderError } from '#lambdas/inference/providers/error-body.ts';
import { findErrorInBody, toGatewayError } from '#lambdas/inference/providers/errors.ts';
import type { ErrorResponse } from '#lambdas/inference/providers/provider.ts';
import { firstGiven, namesGiven } from '#lambdas/inference/providers/translation/error-param.ts';
import { type GatewayError, unusableResponseError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';

interface FailedRequest {
  provider: string;
  model: string;
  request: CompletionRequest;
}

export function readErrorResponse(
  { status, headers, body }: ErrorResponse,
  { provider, model, request }: FailedRequest,
): GatewayError {
  const parsed = parseJsonObject(body.toString('utf8'));
  const error = parsed === null ? null : parseProviderError(withCallerParam(parsed, request));
  return toGatewayError({ provider, model, status, headers, error, promptParam: request.names.messages });
}

/** The error that `data` is: an event, or a failed response without its other fields. */
export function readSentError(data: JsonObject, { provider, model, request }: FailedRequest): GatewayError {
  const error = findErrorInBody(withCallerParam(data, request), {
    provider,
    model,
    promptParam: request.names.messages,
    eventType: 'error',
  });
  if (error !== null) return error;
  return unusableResponseError(`The provider ${provider} reported an error`);
}

/** The parameter is in the error or, as the published schema has it for an event, beside its type. */
function withCallerParam(data: JsonObject, request: CompletionRequest): JsonObject {
  const { error } = data;
  if (isJsonObject(error)) return { ...data, error: withCallerParam(error, request) };
  return typeof data.param === 'string' ? { ...data, param: callerParam(data.param, request) } : data;
}

/** By the starts of the API's parameters, the longer first. Others have the same names in chat. */
const parameters: readonly (readonly [string, ParameterName | SettingKey])[] = [
  ['reasoning.summary', 'reasoningSummary'],
  ['reasoning', 'reasoningEffort'],
  ['text.verbosity', 'verbosity'],
  ['text', 'responseFormat'],
  ['max_output_tokens', 'maxTokens'],
  ['input', 'messages'],
  ['instructions', 'messages'],
];

/** Returns `null` for a parameter that the caller has not given. */
function callerParam(param: string, request: CompletionRequest): string | null {
  const found = parameters.find(([start]) => param === start || /^[.[]/.test(afterStart(param, start)));
  const [name = ''] = param.split(/[.[]/);
  const key = found?.[1] ?? settingKeyOf(name);
  if (key === null) return firstGiven(request, [name]);
  if (key === 'reasoningSummary') return request.names.reasoningSummary;
  return namesGiven(request, key)[0] ?? null;
}

function afterStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : '';
}
