/** Extracts the facts for the log, and errors, from a completion or chunk in OpenAI's format. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import {
  isJsonObject,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { findErrorInBody, toGatewayError } from '../errors.ts';
import type { ResponseFacts } from '../provider.ts';

interface RequestedModel {
  provider: string;
  model: string;
}

export type NamedFacts = Pick<ResponseFacts, 'responseModel' | 'finishReason'>;

/** Returns the facts of a completion or a chunk, except those about its cost. */
export function factsOf(response: JsonObject): NamedFacts {
  const reason = choicesOf(response)
    .map(finishReasonOf)
    .find((candidate) => candidate !== null && statusOfFailure(candidate) === null);
  return {
    responseModel: stringOrEmpty(response.model) || null,
    finishReason: reason == null ? null : loggedReason(reason),
  };
}

/** Finds an error in a 2xx response: at the top level, in a choice (OpenRouter), in `x_groq`, or as a finish reason. */
export function findError(response: JsonObject, { provider, model }: RequestedModel): GatewayError | null {
  const { x_groq: groq } = response;
  const candidates = [
    response,
    ...(isJsonObject(groq) ? [{ error: groq.error }] : []),
    ...choicesOf(response),
  ];
  for (const parent of candidates) {
    const found = isJsonObject(parent) ? findErrorInBody(parent, { provider, model }) : null;
    if (found !== null) return found;
  }
  for (const reason of choicesOf(response).map(finishReasonOf)) {
    const status = statusOfFailure(reason);
    const error = { message: `The provider ${provider} ended its response with "${reason}"` };
    if (status !== null) return toGatewayError({ provider, model, status, error });
  }
  return null;
}

/** True for a chunk with usage and without choices, such as OpenAI's last one with `include_usage`. */
export function isUsageChunk(chunk: JsonObject): boolean {
  return choicesOf(chunk).length === 0 && isJsonObject(chunk.usage);
}

export function finishedChoices(chunk: JsonObject): number[] {
  return choicesOf(chunk).flatMap((choice, position) => {
    if (finishReasonOf(choice) === null) return [];
    return [numberOr(objectOrEmpty(choice).index, position)];
  });
}

export function choicesOf(response: JsonObject): unknown[] {
  return Array.isArray(response.choices) ? response.choices : [];
}

function finishReasonOf(choice: unknown): string | null {
  return stringOrEmpty(objectOrEmpty(choice).finish_reason) || null;
}

/** https://platform.openai.com/docs/api-reference/chat/object */
const openAiReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** OpenAI's equivalents of other providers' finish reasons. An unknown reason counts as `stop`. */
const translations: ReadonlyMap<string, string> = new Map([
  // Together: https://docs.together.ai/reference/chat-completions-1
  ['eos', 'stop'],
  // Mistral: https://docs.mistral.ai/api/#tag/chat
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
  ['tool_use', 'tool_calls'],
]);

/**
 * Finish reasons that report an error, and their HTTP status. OpenRouter and Mistral send `error`, DeepSeek
 * `insufficient_system_resource`.
 */
const failures: ReadonlyMap<string, number> = new Map([
  ['error', 500],
  ['network_error', 502],
  ['insufficient_system_resource', 503],
]);

/** Returns OpenAI's equivalent of a finish reason; `null` when the reason is already one of OpenAI's. */
export function normalizedReason(reason: string): string | null {
  if (openAiReasons.includes(reason)) return null;
  return translations.get(reason.toLowerCase()) ?? 'stop';
}

function loggedReason(reason: string): string {
  return translations.get(reason.toLowerCase()) ?? reason;
}

function statusOfFailure(reason: unknown): number | null {
  return typeof reason === 'string' ? (failures.get(reason) ?? null) : null;
}
