/**
 * Fields outside OpenAI's format that servers require back with the next request. A caller of chat sends them back itself; one
 * with another format gets them as the opaque data of a part.
 */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { appendAll } from '#lambdas/inference/completion/turns.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';

/** Gemini's signature at Google's own endpoint, and behind LiteLLM: https://ai.google.dev/gemini-api/docs/thought-signatures#openai */
const callFields = ['extra_content', 'provider_specific_fields'];

/** https://openrouter.ai/docs/guides/best-practices/reasoning-tokens, https://docs.litellm.ai/docs/reasoning_content */
const reasoningFields = ['reasoning_details', 'thinking_blocks'];

export function callPayload(fields: JsonObject): Payload | null {
  return toPayload(pick(fields, callFields));
}

/** `deltas` are the fields beside reasoning in the deltas of a stream, or in a message. */
export function reasoningPayload(deltas: readonly JsonObject[]): Payload | null {
  return toPayload(join(deltas.map((fields) => pick(fields, reasoningFields))));
}

/** Returns the fields for the request. The data comes from the caller, who may have changed it. */
export function fieldsOf(payloads: readonly (Payload | null)[]): JsonObject {
  const own = payloads.filter((payload) => payload?.format === 'openai');
  const names = [...callFields, ...reasoningFields];
  return join(own.map((payload) => pick(parseJsonObject(payload?.data ?? '') ?? {}, names)));
}

function pick(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => names.includes(name) && hasMembers(value)),
  );
}

function hasMembers(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isJsonObject(value) && Object.keys(value).length > 0;
}

function toPayload(fields: JsonObject): Payload | null {
  if (Object.keys(fields).length === 0) return null;
  return { format: 'openai', kind: 'signature', data: JSON.stringify(fields) };
}

/** Lists of the same name are joined, in linear time. */
function join(parts: readonly JsonObject[]): JsonObject {
  const joined: JsonObject = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    const list = joined[name];
    if (!Array.isArray(value)) joined[name] = value;
    else if (Array.isArray(list)) appendAll(list, value);
    else joined[name] = [...value];
  }
  return joined;
}
