/**
 * Converts Bedrock's errors. The error type is in a header or, in a stream, in the headers of the exception.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors
 */
import type { CompletionRequest, ParameterName } from '#lambdas/inference/completion/request.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { statusOfCode } from '../error-status.ts';
import { toGatewayError } from '../errors.ts';
import type { ResponseHeaders } from '../http/client.ts';
import type { ErrorResponse } from '../provider.ts';
import { firstGiven, namesGiven } from '../translation/error-param.ts';

interface BedrockFailure {
  provider: string;
  model: string;
  /** The error type, such as `ThrottlingException`; empty if unknown. */
  errorType: string;
  body: JsonObject | null;
  /** Undefined in a stream, where the error type implies it. */
  status?: number;
  headers?: ResponseHeaders;
  /** Returns the caller's parameter that a message is about. */
  findParam(message: string): string | null;
  /** See `toGatewayError`. */
  promptParam?: string;
}

type ConverseFailure = Omit<BedrockFailure, 'findParam'> & { request: CompletionRequest };

/** Messages for a model that is unavailable to the account. Other messages of the same error types have other causes. */
const modelUnavailable =
  /^the provided model identifier is invalid|^invocation of model id .* isn.t supported|^you don't have access to the model|^this model version has reached the end of its life|^model use case details have not been submitted/i;

/** Reads a response of Converse with an error. */
export function readConverseError(
  response: ErrorResponse,
  { request, ...failure }: Pick<ConverseFailure, 'provider' | 'model' | 'request'>,
): GatewayError {
  return readBedrockError(response, { ...failure, ...namesOf(request) });
}

export function converseError({ request, ...failure }: ConverseFailure): GatewayError {
  return bedrockError({ ...failure, ...namesOf(request) });
}

function namesOf(request: CompletionRequest): Pick<BedrockFailure, 'findParam' | 'promptParam'> {
  return { findParam: (message) => findParam(message, request), promptParam: request.names.messages };
}

/** Reads a response with an error. */
export function readBedrockError(
  { status, headers, body }: ErrorResponse,
  failure: Pick<BedrockFailure, 'provider' | 'model' | 'findParam' | 'promptParam'>,
): GatewayError {
  return bedrockError({
    ...failure,
    status,
    headers,
    errorType: normalizeErrorType(headers['x-amzn-errortype']),
    body: parseJsonObject(body.toString('utf8')),
  });
}

function bedrockError(failure: BedrockFailure): GatewayError {
  const { body, errorType, status, findParam, ...common } = failure;
  const message = readMessage(body);
  const errorStatus = status ?? statusOfCode(errorType) ?? 500;
  if (message !== null && modelUnavailable.test(message)) {
    return toGatewayError({ ...common, status: 404, error: { message, code: 'model_not_found' } });
  }
  const param = message === null || errorStatus !== 400 ? null : findParam(message);
  return toGatewayError({
    ...common,
    // Any other missing resource, such as a guardrail or a prompt, was named by the caller.
    status: errorStatus === 404 ? 400 : errorStatus,
    error:
      message === null
        ? null
        : { message, ...(errorType !== '' && { code: errorType }), ...(param !== null && { param }) },
  });
}

/** Some errors have `Message` instead of `message`, and stream errors may add the model's `originalMessage`. */
function readMessage(body: JsonObject | null): string | null {
  const message = body?.message ?? body?.Message;
  if (typeof message !== 'string') return null;
  const original = body?.originalMessage;
  return typeof original === 'string' && original !== message ? `${message}: ${original}` : message;
}

/** Accepts `ThrottlingException:http://internal.amazon.com/…` (header) and `throttlingException` (stream). */
export function normalizeErrorType(name: string | undefined): string {
  const [type = ''] = (name ?? '').split(':');
  return type.charAt(0).toUpperCase() + type.slice(1);
}

const parametersByMessage: readonly [RegExp, ParameterName | 'system'][] = [
  [/\bmax_?tokens\b|^the maximum tokens/i, 'maxTokens'],
  [/\btemperature\b/, 'temperature'],
  [/\btop_?p\b/i, 'topP'],
  [/\btop_?k\b/i, 'topK'],
  [/\bstop_?sequences\b/i, 'stop'],
  [/outputConfig|output_config\.format/, 'responseFormat'],
  [/toolChoice|tool_choice/, 'toolChoice'],
  [/thinking|reasoning|the effort/i, 'reasoningEffort'],
  [/toolConfig|\btools\.\d/, 'tools'],
  [/'system[.']/, 'system'],
  [/\bmessages\b|conversation|document file name|toolUse|toolResult/, 'messages'],
];

/** Fields in the format of Bedrock or of the model that the caller may have used instead. */
const nativeFields: Partial<Record<ParameterName, readonly string[]>> = {
  maxTokens: ['inferenceConfig'],
  reasoningEffort: ['thinking', 'output_config', 'reasoningConfig', 'reasoning'],
  responseFormat: ['outputConfig'],
};

function findParam(message: string, request: CompletionRequest): string | null {
  const parameter = parametersByMessage.find(([pattern]) => pattern.test(message))?.[1];
  if (parameter === undefined) return null;
  if (parameter === 'system') return firstGiven(request, ['system']) ?? request.names.messages;
  const given = namesGiven(request, parameter).at(-1);
  if (parameter === 'responseFormat' && /schema/.test(message) && given !== undefined) {
    return request.names.responseSchema;
  }
  return given ?? firstGiven(request, nativeFields[parameter] ?? []);
}
