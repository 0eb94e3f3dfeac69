/**
 * Fields outside OpenAI's format that servers require back with the next request. A caller of chat sends them back itself; one
 * with another format gets them as the opaque data of a part.
 */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';

/** Gemini's signature at Google's own endpoint, and behind LiteLLM: https://ai.google.dev/gemini-api/docs/thought-signatures#openai */
const callFields = ['extra_content', 'provider_specific_fields'];

/** https://openrouter.ai/docs/guides/best-practices/reasoning-tokens, https://docs.litellm.ai/docs/reasoning_content */
const reasoningFields = ['reasoning_details', 'thinking_blocks'];

export function callPayload(fields: JsonObject): Payload | null {
  return toPayload(pick(fields, callFields));
}

export function reasoningPayload(fields: JsonObject): Payload | null {
  return toPayload(pick(fields, reasoningFields));
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

/** Returns the fields for the request. Lists of the same name, as several parts of a message have them, are joined. */
export function fieldsOf(payloads: readonly (Payload | null)[]): JsonObject {
  return payloads.reduce<JsonObject>((fields, payload) => {
    const own = payload?.format === 'openai' ? (parseJsonObject(payload.data) ?? {}) : {};
    return joinFields(fields, own);
  }, {});
}

/** Joins the fields of two parts, or of two deltas. */
export function joinFields(first: JsonObject, second: JsonObject): JsonObject {
  const joined = Object.entries(second).map(([name, value]) => {
    const list = first[name];
    return [name, Array.isArray(list) && Array.isArray(value) ? [...list, ...value] : value];
  });
  return { ...first, ...Object.fromEntries(joined) };
}
