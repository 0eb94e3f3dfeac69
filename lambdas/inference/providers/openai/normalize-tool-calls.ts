/** Completes messages and deltas to OpenAI's format: text as content, and tool calls that begin once, numbered from 0. */
import { isJsonObject, type JsonObject, textOf } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import { placeholderCallId } from '../translation/sink.ts';
import { type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';

/** The tool calls of a streamed choice so far. */
export interface ToolCallProgress {
  /** Returns the edits of a piece of a tool call at `path`. Mistral's pieces are whole calls without index and type. */
  editsOf(piece: JsonObject, path: JsonPath): JsonEdit[];
}

/** A call by the provider's own numbering. */
interface KnownCall {
  index: number | null;
  id: string;
  /** Whether its name has arrived. */
  named: boolean;
}

export function createToolCallProgress(call: ProviderCall, choice: number): ToolCallProgress {
  const calls: KnownCall[] = [];
  return {
    editsOf(piece, path) {
      const found = {
        index: typeof piece.index === 'number' ? piece.index : null,
        id: textOf(piece.id),
        named: isJsonObject(piece.function) && textOf(piece.function.name) !== '',
      };
      const place = findCall(calls, found);
      const known = calls[place];
      const number = known === undefined ? calls.length : place;
      const edits = found.index === number ? [] : [set([...path, 'index'], number)];
      if (known === undefined) {
        calls.push(found);
        const placeholderId = placeholderCallId(call, choice, number);
        return [...edits, ...toolCallEdits(piece, { path, placeholderId, placeholderArguments: '' })];
      }
      const isFirstName = found.named && !known.named;
      known.named ||= found.named;
      return [...edits, ...continuationEdits(piece, path, { isFirstName })];
    },
  };
}

/**
 * The position of the call that a piece continues; -1 for a new one. A name with a new id begins a call whatever the
 * index, since some providers number every call 0. A new id alone does not: vLLM sent another with each piece.
 */
function findCall(calls: readonly KnownCall[], { index, id, named }: KnownCall): number {
  const same = id === '' ? -1 : calls.findIndex((known) => known.id === id);
  if (same !== -1) return same;
  if (index === null) return named ? -1 : calls.length - 1;
  return named && id !== '' ? -1 : calls.findLastIndex((known) => known.index === index);
}

/** A continuation repeats neither id nor type, and brings the name only if the call has none yet. */
function continuationEdits(
  piece: JsonObject,
  path: JsonPath,
  { isFirstName }: { isFirstName: boolean },
): JsonEdit[] {
  const edits = ['id', 'type'].filter((name) => name in piece).map((name) => remove([...path, name]));
  if (!isJsonObject(piece.function)) return edits;
  const callee = [...path, 'function'];
  if ('name' in piece.function && !isFirstName) edits.push(remove([...callee, 'name']));
  const { arguments: given } = piece.function;
  if (given === null) edits.push(remove([...callee, 'arguments']));
  else if (given !== undefined && typeof given !== 'string') edits.push(stringify([...callee, 'arguments']));
  return edits;
}

/** Removes members that are `null`, for fields that OpenAI leaves out if they have no value. */
export function nullEdits(holder: JsonObject, path: JsonPath, names: readonly string[]): JsonEdit[] {
  return names.filter((name) => holder[name] === null).map((name) => remove([...path, name]));
}

/**
 * Makes content text, and reasoning `reasoning_content`, which most clients read. Mistral sends it as parts of the
 * content (https://docs.mistral.ai/capabilities/reasoning/), Groq, Cerebras and OpenRouter as `reasoning`, which stays.
 */
export function contentEdits(holder: JsonObject, path: JsonPath): JsonEdit[] {
  const edits: JsonEdit[] = [];
  let thoughts = textOf(holder.reasoning);
  if (Array.isArray(holder.content)) {
    const parts = holder.content.filter(isJsonObject);
    edits.push(set([...path, 'content'], parts.map(partText).join('')));
    thoughts += parts.map(partThoughts).join('');
  }
  const known = textOf(holder.reasoning_content) !== '';
  return known || thoughts === '' ? edits : [...edits, set([...path, 'reasoning_content'], thoughts)];
}

function partText({ type, text }: JsonObject): string {
  return type === 'text' ? textOf(text) : '';
}

function partThoughts({ type, thinking }: JsonObject): string {
  if (type !== 'thinking') return '';
  if (!Array.isArray(thinking)) return textOf(thinking);
  return thinking.map((piece) => (isJsonObject(piece) ? textOf(piece.text) : '')).join('');
}

export interface ToolCallDefaults {
  path: JsonPath;
  /** The id of a call without one. */
  placeholderId: string;
  /** The arguments of a call without any: an empty object for a whole call, nothing where more may follow. */
  placeholderArguments: '{}' | '';
}

/** A whole tool call, or its first piece, has an id, a type, a name, and arguments that are text. */
export function toolCallEdits(
  call: JsonObject,
  { path, placeholderId, placeholderArguments }: ToolCallDefaults,
): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (textOf(call.id) === '') edits.push(set([...path, 'id'], placeholderId));
  if (call.type !== 'function' && call.type !== 'custom') {
    edits.push(set([...path, 'type'], isJsonObject(call.custom) ? 'custom' : 'function'));
  }
  if (!isJsonObject(call.function)) return edits;
  const { arguments: given } = call.function;
  if (typeof given === 'string') return edits;
  const at = [...path, 'function', 'arguments'];
  return [...edits, given === undefined || given === null ? set(at, placeholderArguments) : stringify(at)];
}
