/**
 * The opaque data of items, which OpenAI requires back with them: encrypted reasoning, and the phase of a text.
 * https://developers.openai.com/api/docs/guides/reasoning
 */
import type { Payload, ReasoningPart } from '#lambdas/inference/completion/conversation.ts';
import {
  filterObjects,
  type JsonObject,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';

/** The data of an item of reasoning: what is encrypted or, at a server that shows all of it, its id. */
export function reasoningPayload({ id, encrypted_content, summary, content }: JsonObject): Payload | null {
  const identity = typeof id === 'string' && id !== '' ? { id } : {};
  const encrypted = stringOrEmpty(encrypted_content);
  if (encrypted !== '') return toPayload('encrypted', { ...identity, encrypted_content: encrypted });
  const isShown = filterObjects(summary).length === 0 && filterObjects(content).length > 0;
  return isShown ? toPayload('signature', identity) : null;
}

/**
 * Returns the item for reasoning that this API has made; `null` for any other. Without `withId`, the item is independent of
 * what the provider keeps.
 */
export function reasoningItem(
  { text, payload }: ReasoningPart,
  { withId }: { withId: boolean },
): JsonObject | null {
  if (payload?.format !== 'responses') return null;
  // The data comes from the caller, who may have changed it.
  const { id, encrypted_content: encrypted } = parseJsonObject(payload.data) ?? {};
  const identity = { type: 'reasoning', ...(withId && typeof id === 'string' && { id }) };
  const hasText = text !== '';
  if (typeof encrypted === 'string') {
    return {
      ...identity,
      summary: hasText ? [{ type: 'summary_text', text }] : [],
      encrypted_content: encrypted,
    };
  }
  if (payload.kind !== 'signature' || !hasText) return null;
  return { ...identity, summary: [], content: [{ type: 'reasoning_text', text }] };
}

/** https://developers.openai.com/api/docs/guides/latest-model#phase-parameter */
export function phasePayload({ phase }: JsonObject): Payload | null {
  return typeof phase === 'string' && phase !== '' ? toPayload('signature', { phase }) : null;
}

export function phaseOf(payload: Payload | null): string | null {
  if (payload?.format !== 'responses') return null;
  const { phase } = parseJsonObject(payload.data) ?? {};
  return typeof phase === 'string' ? phase : null;
}

function toPayload(kind: Payload['kind'], data: JsonObject): Payload {
  return { format: 'responses', kind, data: JSON.stringify(data) };
}
