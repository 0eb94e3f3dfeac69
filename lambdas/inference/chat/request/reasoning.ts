/** Reads the reasoning that callers send back, and the signatures that its provider requires, from fields of messages. */
import type { Payload, ReasoningPart } from '#lambdas/inference/completion/conversation.ts';
import { filterObjects, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';

/**
 * Reads `thinking_blocks`, the field of the gateway's responses, or else the text that most clients keep. OpenAI's format
 * does not preserve where the reasoning was, so that it comes first.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks
 */
export function readReasoning({
  thinking_blocks: blocks,
  reasoning_content,
  reasoning,
}: JsonObject): ReasoningPart[] {
  const read = filterObjects(blocks).flatMap(readThinkingBlock);
  if (read.some(({ text }) => text !== '')) return read;
  const text = stringOrEmpty(reasoning_content) || stringOrEmpty(reasoning);
  return text === '' ? read : [...read, { type: 'reasoning', text, payload: null }];
}

function readThinkingBlock({ type, thinking, signature, data }: JsonObject): ReasoningPart[] {
  if (type === 'redacted_thinking' && typeof data === 'string') {
    return [{ type: 'reasoning', text: '', payload: { format: 'anthropic', kind: 'redacted', data } }];
  }
  if (type !== 'thinking' || typeof thinking !== 'string') return [];
  const isSigned = typeof signature === 'string' && signature !== '';
  const payload: Payload | null = isSigned
    ? { format: 'anthropic', kind: 'signature', data: signature }
    : null;
  return [{ type: 'reasoning', text: thinking, payload }];
}

/**
 * Reads Gemini's signature of a message or call, in the format of Google's OpenAI-compatible endpoint.
 * https://ai.google.dev/gemini-api/docs/thought-signatures#openai
 */
export function readThoughtSignature({ extra_content: extra }: JsonObject): Payload | null {
  const data = stringOrEmpty(objectOrEmpty(objectOrEmpty(extra).google).thought_signature);
  return data === '' ? null : { format: 'google', kind: 'signature', data };
}
