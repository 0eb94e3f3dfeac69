/** Normalizes what messages and deltas contain besides tool calls: content becomes text. */
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';

/** Removes `null` members that OpenAI omits when they have no value. */
export function nullEdits(parent: JsonObject, path: JsonPath, names: readonly string[]): JsonEdit[] {
  return names.filter((name) => parent[name] === null).map((name) => remove([...path, name]));
}

/** Converts content to text, and reasoning to `reasoning_content`, which most clients read; `reasoning` is kept as well. */
export function contentEdits(message: JsonObject, path: JsonPath): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (Array.isArray(message.content)) edits.push(set([...path, 'content'], textOf(message)));
  const reasoning = reasoningOf(message);
  const isPresent = stringOrEmpty(message.reasoning_content) !== '';
  return isPresent || reasoning === '' ? edits : [...edits, set([...path, 'reasoning_content'], reasoning)];
}

export function textOf({ content }: JsonObject): string {
  if (!Array.isArray(content)) return stringOrEmpty(content);
  return content.filter(isJsonObject).map(partText).join('');
}

/**
 * Groq, Cerebras, OpenRouter, vLLM and Ollama send `reasoning`, Mistral content parts:
 * https://docs.mistral.ai/capabilities/reasoning/
 */
export function reasoningOf({ reasoning_content: content, reasoning, content: parts }: JsonObject): string {
  if (stringOrEmpty(content) !== '') return stringOrEmpty(content);
  const inParts = Array.isArray(parts) ? parts.filter(isJsonObject).map(partReasoning) : [];
  return stringOrEmpty(reasoning) + inParts.join('');
}

function partText({ type, text }: JsonObject): string {
  return type === 'text' ? stringOrEmpty(text) : '';
}

function partReasoning({ type, thinking }: JsonObject): string {
  if (type !== 'thinking') return '';
  if (!Array.isArray(thinking)) return stringOrEmpty(thinking);
  return thinking.map((part) => (isJsonObject(part) ? stringOrEmpty(part.text) : '')).join('');
}
