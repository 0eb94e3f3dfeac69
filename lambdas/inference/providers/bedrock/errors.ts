/**
 * What Bedrock says of a request that failed: the kind in a header, or as the type of an exception in a stream.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors
 */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { errorOf } from '../errors.ts';
import type { ProviderCall } from '../provider.ts';

export interface ConverseFailure {
  provider: string;
  call: ProviderCall;
  /** Such as `ThrottlingException`; empty where nothing names it. */
  kind: string;
  body: JsonObject | null;
  /** `undefined` inside a stream, where the kind stands for it. */
  status?: number;
  retryAfter?: string | undefined;
}

const statusOfKind: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  ModelErrorException: 424,
  ModelNotReadyException: 429,
  ModelStreamErrorException: 424,
  ModelTimeoutException: 408,
  ResourceNotFoundException: 404,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  ValidationException: 400,
};

/** The model cannot be had, in whatever way: none of this names the account or its credentials. */
const missingModel =
  /^the provided model identifier is invalid|^invocation of model id .* isn.t supported|^you don't have access to the model|^this model version has reached the end of its life|^model use case details have not been submitted/i;

export function converseError(failure: ConverseFailure): GatewayError {
  const { provider, call, kind, status, retryAfter } = failure;
  const message = messageOf(failure);
  const ownStatus = status ?? statusOfKind[kind] ?? 500;
  const common = { provider, model: call.model, retryAfter };
  if (message !== null && missingModel.test(message)) {
    return errorOf({ ...common, status: 404, said: { message, code: 'model_not_found' } });
  }
  // Only what the caller wrote can be the caller's mistake.
  const param = message === null || ownStatus !== 400 ? null : paramOf(message, call.request.body);
  return errorOf({
    ...common,
    // What else is not found was named by the caller too: a guardrail, a prompt.
    status: ownStatus === 404 ? 400 : ownStatus,
    said:
      message === null
        ? null
        : { message, ...(kind !== '' && { code: kind }), ...(param !== null && { param }) },
  });
}

/** `Message` in what the front door says; a broken stream has the model's own words beside. */
function messageOf({ body }: ConverseFailure): string | null {
  const message = body?.message ?? body?.Message;
  if (typeof message !== 'string') return null;
  const original = body?.originalMessage;
  return typeof original === 'string' && original !== message ? `${message}: ${original}` : message;
}

/** `ThrottlingException:http://internal.amazon.com/…` in a header, `throttlingException` in a stream. */
export function kindOf(name: string | undefined): string {
  const [kind = ''] = (name ?? '').split(':');
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** What the caller wrote where the message speaks of Bedrock's field, or of the model's; the first that fits. */
const paramsByMessage: readonly [RegExp, string][] = [
  [/\bmax_?tokens\b|^the maximum tokens/i, 'max_tokens'],
  [/\btemperature\b/, 'temperature'],
  [/\btop_?p\b/i, 'top_p'],
  [/\btop_?k\b/i, 'top_k'],
  [/\bstop_?sequences\b/i, 'stop'],
  [/outputConfig|output_config\.format/, 'response_format'],
  [/toolChoice|tool_choice/, 'tool_choice'],
  [/thinking|reasoning|the effort/i, 'reasoning_effort'],
  [/toolConfig|\btools\.\d/, 'tools'],
  [/'system[.']/, 'system'],
  [/\bmessages\b|conversation|document file name|toolUse|toolResult/, 'messages'],
];

/** Where the caller used another of OpenAI's words, or the model's own, that is the one. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_completion_tokens', 'inferenceConfig'],
  reasoning_effort: ['thinking', 'output_config', 'reasoningConfig', 'reasoning'],
  response_format: ['outputConfig'],
  system: ['messages'],
};

function paramOf(message: string, body: JsonObject): string | null {
  const name = paramsByMessage.find(([pattern]) => pattern.test(message))?.[1];
  if (name === undefined) return null;
  if (name === 'response_format' && /schema/.test(message) && body.response_format !== undefined) {
    return 'response_format.json_schema.schema';
  }
  const names = [name, ...(otherNames[name] ?? [])];
  return names.find((candidate) => body[candidate] !== undefined) ?? null;
}
