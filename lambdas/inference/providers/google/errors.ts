/** Errors of the Gemini API, a `google.rpc.Status` in JSON: https://ai.google.dev/gemini-api/docs/troubleshooting */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, objectOf, objectsIn } from '#lambdas/platform/json/json.ts';
import type { SaidError } from '../error-body.ts';
import { errorOf } from '../errors.ts';
import type { ProviderCall } from '../provider.ts';

interface GoogleFailure {
  provider: string;
  call: ProviderCall;
  /** Of the reply; inside an answer the error tells its own. */
  status: number | null;
  retryAfter?: string | undefined;
}

/** `value` is the reply's body, or an event; some replies are a list of one. */
export function googleError(
  value: unknown,
  { provider, call, status, retryAfter }: GoogleFailure,
): GatewayError {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const error = objectOf(objectOf(first).error);
  return errorOf({
    provider,
    model: call.model,
    status: statusOf(error, status),
    said: readSaid(error, call),
    retryAfter: retryAfter ?? retryDelayOf(error),
  });
}

/** Of what the caller named: it is not there, or not of this key, which is as good as ever. */
const foreignResource =
  /^cachedcontent not found|^you do not have permission to access the (file|cached ?content)\b/i;

/** A wrong key is a bad request here, and some bad requests are forbidden. */
function statusOf(error: JsonObject, status: number | null): number {
  const reason = detailOf(error, 'ErrorInfo')?.reason;
  if (typeof reason === 'string' && reason.startsWith('API_KEY_')) return 401;
  if (typeof error.message === 'string' && foreignResource.test(error.message)) return 400;
  return status ?? (typeof error.code === 'number' ? error.code : 500);
}

function readSaid({ message, status }: JsonObject, call: ProviderCall): SaidError | null {
  if (typeof message !== 'string') return null;
  const param = paramOf(message, call);
  return {
    message,
    ...codeOf(message, status),
    ...(param !== null && { param }),
  };
}

/** What clients react to by its code has OpenAI's. */
function codeOf(message: string, status: unknown): { code?: string } {
  if (/token count (\(\d+\) )?exceeds the maximum/i.test(message)) return { code: 'context_length_exceeded' };
  if (/unexpected model name/.test(message)) return { code: 'model_not_found' };
  return typeof status === 'string' ? { code: status } : {};
}

/** Places and phrases of the API's messages, and the parameter from which we wrote what they speak of. */
const params: readonly (readonly [RegExp, string])[] = [
  [/unexpected model name/, 'model'],
  [/\.temperature\b/, 'temperature'],
  [/\.top_p\b/, 'top_p'],
  [/\.top_k\b/, 'top_k'],
  [/\.seed\b/, 'seed'],
  [/stop_sequences/, 'stop'],
  [/max_?output_?tokens/i, 'max_completion_tokens'],
  [/max_?output_?tokens/i, 'max_tokens'],
  [/candidate_?count|multiple candidates/i, 'n'],
  [/presence_?penalty|^penalty is not enabled/i, 'presence_penalty'],
  [/frequency_?penalty|^penalty is not enabled/i, 'frequency_penalty'],
  [/thinking/i, 'reasoning_effort'],
  [/response_?(json_?)?schema|response_?format|response[ _]?mime[ _]?type/i, 'response_format'],
  [/function_calling_config|allowed_function_names|function calling config/i, 'tool_choice'],
  [/tools\[|function[ _]declaration|function calling is not enabled/i, 'tools'],
  [
    /contents\b|\bthe file\b|function (call|response) (turn|parts)|model turn|thought[ _]signature|token count/i,
    'messages',
  ],
];

/** One that the caller did not use is none: the provider may speak of what was said in its own words. */
function paramOf(message: string, { request }: ProviderCall): string | null {
  const [, param = null] =
    params.find(([phrase, name]) => phrase.test(message) && Object.hasOwn(request.body, name)) ?? [];
  return param;
}

/** Such as `34.4s`; whole seconds in the header. */
function retryDelayOf(error: JsonObject): string | undefined {
  const delay = detailOf(error, 'RetryInfo')?.retryDelay;
  const [, seconds] = typeof delay === 'string' ? (/^(\d+(?:\.\d+)?)s$/.exec(delay) ?? []) : [];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}

/** https://cloud.google.com/apis/design/errors#error_details */
function detailOf({ details }: JsonObject, type: string): JsonObject | undefined {
  return objectsIn(details).find((detail) => detail['@type'] === `type.googleapis.com/google.rpc.${type}`);
}
