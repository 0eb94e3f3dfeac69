/** Converts the Gemini API's errors, `google.rpc.Status` in JSON: https://ai.google.dev/gemini-api/docs/troubleshooting */
import type { CompletionRequest, ParameterName } from '#lambdas/inference/completion/request.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { filterObjects, type JsonObject, numberOr, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { ProviderError } from '../error-body.ts';
import { toGatewayError } from '../errors.ts';
import type { ResponseHeaders } from '../http/client.ts';
import { namesGiven } from '../translation/error-param.ts';

interface GoogleFailure {
  provider: string;
  model: string;
  /** `null` for an error in a 2xx response, which contains the status itself. */
  status: number | null;
  headers?: ResponseHeaders;
  /** Returns the caller's parameter that a message is about. */
  findParam(message: string): string | null;
  /** See `toGatewayError`. */
  promptParam?: string;
}

type CompletionFailure = Omit<GoogleFailure, 'findParam'> & { request: CompletionRequest };

/** Expects an event or the parsed body, which may be an array of one element. */
export function completionError(value: unknown, { request, ...failure }: CompletionFailure): GatewayError {
  return googleError(value, { ...failure, findParam: (message) => findParam(message, request) });
}

/** Expects the same for any operation. */
export function googleError(
  value: unknown,
  { status, headers, findParam, ...common }: GoogleFailure,
): GatewayError {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const error = objectOrEmpty(objectOrEmpty(first).error);
  return toGatewayError({
    ...common,
    status: resolveStatus(error, status),
    error: readError(error, findParam),
    headers: { ...headers, 'retry-after': headers?.['retry-after'] ?? readRetryDelay(error) },
  });
}

/** A resource named by the caller does not exist or belongs to another key; the gateway's key itself is valid. */
const inaccessibleResource =
  /^cachedcontent not found|^you do not have permission to access the (file|cached ?content)\b/i;

/** Google reports an invalid key with status 400, and some invalid requests with status 403. */
function resolveStatus(error: JsonObject, status: number | null): number {
  const reason = findDetail(error, 'ErrorInfo')?.reason;
  if (typeof reason === 'string' && reason.startsWith('API_KEY_')) return 401;
  if (typeof error.message === 'string' && inaccessibleResource.test(error.message)) return 400;
  return status ?? numberOr(error.code, 500);
}

function readError(
  { message, status }: JsonObject,
  findParam: GoogleFailure['findParam'],
): ProviderError | null {
  if (typeof message !== 'string') return null;
  const param = findParam(message);
  return {
    message,
    ...resolveCode(message, status),
    ...(param !== null && { param }),
  };
}

/** Uses OpenAI's code for errors that clients recognize by it. */
function resolveCode(message: string, status: unknown): { code?: string } {
  if (/unexpected model name/.test(message)) return { code: 'model_not_found' };
  return typeof status === 'string' ? { code: status } : {};
}

const parametersByMessage: readonly (readonly [RegExp, ParameterName])[] = [
  [/\.temperature\b/, 'temperature'],
  [/\.top_p\b/, 'topP'],
  [/\.top_k\b/, 'topK'],
  [/\.seed\b/, 'seed'],
  [/stop_sequences/, 'stop'],
  [/max_?output_?tokens/i, 'maxTokens'],
  [/candidate_?count|multiple candidates/i, 'n'],
  [/presence_?penalty|^penalty is not enabled/i, 'presencePenalty'],
  [/frequency_?penalty|^penalty is not enabled/i, 'frequencyPenalty'],
  [/thinking/i, 'reasoningEffort'],
  [/response_?(json_?)?schema|response_?format|response[ _]?mime[ _]?type/i, 'responseFormat'],
  [/function_calling_config|allowed_function_names|function calling config/i, 'toolChoice'],
  [/tools\[|function[ _]declaration|function calling is not enabled/i, 'tools'],
  [
    /contents\b|\bthe file\b|function (call|response) (turn|parts)|model turn|thought[ _]signature|token count/i,
    'messages',
  ],
];

/** Considers only parameters of the request, since the message may be about a Google-specific field. */
function findParam(message: string, request: CompletionRequest): string | null {
  if (/unexpected model name/.test(message)) return 'model';
  const given = parametersByMessage.flatMap(([phrase, parameter]) =>
    phrase.test(message) ? namesGiven(request, parameter) : [],
  );
  return given[0] ?? null;
}

/** Converts a delay such as `34.4s` to whole seconds, the format of `retry-after`. */
function readRetryDelay(error: JsonObject): string | undefined {
  const delay = findDetail(error, 'RetryInfo')?.retryDelay;
  const [, seconds] = typeof delay === 'string' ? (/^(\d+(?:\.\d+)?)s$/.exec(delay) ?? []) : [];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}

/** https://cloud.google.com/apis/design/errors#error_details */
function findDetail({ details }: JsonObject, type: string): JsonObject | undefined {
  return filterObjects(details).find(
    (detail) => detail['@type'] === `type.googleapis.com/google.rpc.${type}`,
  );
}
