/** Reads from a completion or chunk in OpenAI's format whether it is an error, what it contains and why it ended. */
import { readFinish } from '#lambdas/inference/completion/finish-reasons.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import {
  isJsonObject,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { findErrorInBody } from '../errors.ts';

interface RequestedModel {
  provider: string;
  model: string;
}

/**
 * Finds an error in a 2xx response: at the top level, in a choice (OpenRouter), in `x_groq`, or in an event of the type
 * `error`.
 */
export function findError(
  response: JsonObject,
  { provider, model }: RequestedModel,
  eventType = '',
): GatewayError | null {
  const { x_groq: groq } = response;
  const found = findErrorInBody(response, { provider, model, eventType });
  if (found !== null) return found;
  const candidates = [
    ...(isJsonObject(groq) ? [{ error: groq.error }] : []),
    // A choice has other members that look like those of an error.
    ...filterErrors(choicesOf(response)),
  ];
  for (const candidate of candidates) {
    const nested = findErrorInBody(candidate, { provider, model });
    if (nested !== null) return nested;
  }
  return null;
}

function filterErrors(choices: readonly unknown[]): JsonObject[] {
  return choices.flatMap((choice) => {
    const { error } = objectOrEmpty(choice);
    return error === undefined || error === null ? [] : [{ error }];
  });
}

/** True if a message or a delta has anything but a role and empty members. */
export function hasContent(message: JsonObject): boolean {
  return Object.keys(message).some((name) => name !== 'role' && !isEmpty(message[name]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/**
 * The provider's word for why a choice ended; empty if it has not. OpenRouter adds the word of the upstream provider, which
 * can be a failure where its own is `stop`.
 */
export function finishWordOf(choice: JsonObject, { hasOutput }: { hasOutput: boolean }): string {
  const word = stringOrEmpty(choice.finish_reason);
  const native = stringOrEmpty(choice.native_finish_reason);
  if (word === '' || native === '' || hasOutput) return word;
  const { kind } = readFinish(native);
  return kind === 'failed' || kind === 'aborted' ? native : word;
}

/** The index of a choice at this position of the list. */
export function choiceIndex(choice: JsonObject, position: number): number {
  return numberOr(choice.index, position);
}

/** True for a chunk with usage and without choices, such as OpenAI's last one with `include_usage`. */
export function isUsageChunk(chunk: JsonObject): boolean {
  return choicesOf(chunk).length === 0 && isJsonObject(chunk.usage);
}

export function choicesOf(response: JsonObject): unknown[] {
  return Array.isArray(response.choices) ? response.choices : [];
}
