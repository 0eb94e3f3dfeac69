/**
 * Bedrock's errors, whose kind is in a header, or the type of an exception in a stream.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors
 */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { toGatewayError } from '../errors.ts';
import type { ProviderCall } from '../provider.ts';

export interface ConverseFailure {
  provider: string;
  call: ProviderCall;
  /** The kind, such as `ThrottlingException`; empty if unknown. */
  kind: string;
  body: JsonObject | null;
  /** Left out inside a stream, where the kind implies it. */
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

/** Messages for a model that is not available; none of them is about the account or its credentials. */
const missingModel =
  /^the provided model identifier is invalid|^invocation of model id .* isn.t supported|^you don't have access to the model|^this model version has reached the end of its life|^model use case details have not been submitted/i;

export function converseError(failure: ConverseFailure): GatewayError {
  const { provider, call, kind, status, retryAfter } = failure;
  const message = messageOf(failure);
  const ownStatus = status ?? statusOfKind[kind] ?? 500;
  const common = { provider, model: call.model, retryAfter };
  if (message !== null && missingModel.test(message)) {
    return toGatewayError({ ...common, status: 404, error: { message, code: 'model_not_found' } });
  }
  // Only a field that the caller wrote can be the caller's mistake.
  const param = message === null || ownStatus !== 400 ? null : paramOf(message, call.request.body);
  return toGatewayError({
    ...common,
    // Anything else that is not found, such as a guardrail or a prompt, was named by the caller too.
    status: ownStatus === 404 ? 400 : ownStatus,
    error:
      message === null
        ? null
        : { message, ...(kind !== '' && { code: kind }), ...(param !== null && { param }) },
  });
}

/** The service's front end writes `Message`; a broken stream also has the model's own message. */
function messageOf({ body }: ConverseFailure): string | null {
  const message = body?.message ?? body?.Message;
  if (typeof message !== 'string') return null;
  const original = body?.originalMessage;
  return typeof original === 'string' && original !== message ? `${message}: ${original}` : message;
}

/** Accepts `ThrottlingException:http://internal.amazon.com/…` (header) and `throttlingException` (stream). */
export function kindOf(name: string | undefined): string {
  const [kind = ''] = (name ?? '').split(':');
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** The caller's parameter for the field of Bedrock or of the model that a message names; the first match counts. */
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

/** Other parameters that the caller may have used instead: another of OpenAI's, or the model's own. */
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
