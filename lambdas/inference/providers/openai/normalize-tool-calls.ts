/** Normalizes messages and deltas: content becomes text, and tool calls start only once and are numbered from 0. */
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import { placeholderCallId } from '../translation/sink.ts';
import { type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';

export interface ToolCallProgress {
  /** Returns the edits of a tool call's delta. Each of Mistral's deltas is a whole call without index and type. */
  editsOf(delta: JsonObject, path: JsonPath): JsonEdit[];
}

interface KnownCall {
  /** The provider's index. */
  index: number | null;
  id: string;
  named: boolean;
}

export function createToolCallProgress(providerCall: ProviderCall, choice: number): ToolCallProgress {
  const calls: KnownCall[] = [];
  return {
    editsOf(delta, path) {
      const found = {
        index: typeof delta.index === 'number' ? delta.index : null,
        id: stringOrEmpty(delta.id),
        named: isJsonObject(delta.function) && stringOrEmpty(delta.function.name) !== '',
      };
      const position = findCall(calls, found);
      const known = calls[position];
      const callIndex = known === undefined ? calls.length : position;
      const edits = found.index === callIndex ? [] : [set([...path, 'index'], callIndex)];
      if (known === undefined) {
        calls.push(found);
        const placeholderId = placeholderCallId(providerCall, choice, callIndex);
        return [...edits, ...toolCallEdits(delta, { path, placeholderId, placeholderArguments: '' })];
      }
      const isFirstName = found.named && !known.named;
      known.named ||= found.named;
      return [...edits, ...continuationEdits(delta, path, { isFirstName })];
    },
  };
}

/**
 * Returns the position of the call that a delta continues; -1 for a new call. A name with a new id starts a call
 * regardless of the index, since some providers number every call 0. A new id alone does not, since vLLM has sent a new
 * id with every delta.
 */
function findCall(calls: readonly KnownCall[], { index, id, named }: KnownCall): number {
  const same = id === '' ? -1 : calls.findIndex((known) => known.id === id);
  if (same !== -1) return same;
  if (index === null) return named ? -1 : calls.length - 1;
  return named && id !== '' ? -1 : calls.findLastIndex((known) => known.index === index);
}

/** A continuation must not repeat the id, the type or the name. */
function continuationEdits(
  delta: JsonObject,
  path: JsonPath,
  { isFirstName }: { isFirstName: boolean },
): JsonEdit[] {
  const edits = ['id', 'type'].filter((name) => name in delta).map((name) => remove([...path, name]));
  if (!isJsonObject(delta.function)) return edits;
  const functionPath = [...path, 'function'];
  if ('name' in delta.function && !isFirstName) edits.push(remove([...functionPath, 'name']));
  const { arguments: value } = delta.function;
  if (value === null) edits.push(remove([...functionPath, 'arguments']));
  else if (value !== undefined && typeof value !== 'string') {
    edits.push(stringify([...functionPath, 'arguments']));
  }
  return edits;
}

/** Removes `null` members that OpenAI omits when they have no value. */
export function nullEdits(parent: JsonObject, path: JsonPath, names: readonly string[]): JsonEdit[] {
  return names.filter((name) => parent[name] === null).map((name) => remove([...path, name]));
}

/**
 * Converts content to text, and reasoning to `reasoning_content`, which most clients read. Mistral sends reasoning as
 * content parts (https://docs.mistral.ai/capabilities/reasoning/); Groq, Cerebras and OpenRouter send `reasoning`, which
 * is kept as well.
 */
export function contentEdits(message: JsonObject, path: JsonPath): JsonEdit[] {
  const edits: JsonEdit[] = [];
  let reasoning = stringOrEmpty(message.reasoning);
  if (Array.isArray(message.content)) {
    const parts = message.content.filter(isJsonObject);
    edits.push(set([...path, 'content'], parts.map(partText).join('')));
    reasoning += parts.map(partReasoning).join('');
  }
  const isPresent = stringOrEmpty(message.reasoning_content) !== '';
  return isPresent || reasoning === '' ? edits : [...edits, set([...path, 'reasoning_content'], reasoning)];
}

function partText({ type, text }: JsonObject): string {
  return type === 'text' ? stringOrEmpty(text) : '';
}

function partReasoning({ type, thinking }: JsonObject): string {
  if (type !== 'thinking') return '';
  if (!Array.isArray(thinking)) return stringOrEmpty(thinking);
  return thinking.map((part) => (isJsonObject(part) ? stringOrEmpty(part.text) : '')).join('');
}

export interface ToolCallDefaults {
  path: JsonPath;
  placeholderId: string;
  /** Empty for a delta, since more may follow. */
  placeholderArguments: '{}' | '';
}

/** A tool call, or its first delta, must have an id, a type, a name, and arguments as a string. */
export function toolCallEdits(
  call: JsonObject,
  { path, placeholderId, placeholderArguments }: ToolCallDefaults,
): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (stringOrEmpty(call.id) === '') edits.push(set([...path, 'id'], placeholderId));
  if (call.type !== 'function' && call.type !== 'custom') {
    edits.push(set([...path, 'type'], isJsonObject(call.custom) ? 'custom' : 'function'));
  }
  if (!isJsonObject(call.function)) return edits;
  const { arguments: value } = call.function;
  if (typeof value === 'string') return edits;
  const argumentsPath = [...path, 'function', 'arguments'];
  const isMissing = value === undefined || value === null;
  return [...edits, isMissing ? set(argumentsPath, placeholderArguments) : stringify(argumentsPath)];
}
