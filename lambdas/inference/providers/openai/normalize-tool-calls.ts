/** The tool calls of a choice as they come in pieces: numbered from 0, each beginning once. */
import { isJsonObject, type JsonObject, textOf } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import { madeUpCallId } from '../translation/sink.ts';
import { type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';
export interface ToolCallProgress {
  /** What a piece of a tool call at `path` needs. Mistral's come whole, without index and type. */
  editsOf(piece: JsonObject, path: JsonPath): JsonEdit[];
}

/** As the provider names it. */
interface KnownCall {
  index: number | null;
  id: string;
  /** Whether its name has come. */
  named: boolean;
}

export function createToolCallProgress(call: ProviderCall, choice: number): ToolCallProgress {
  const calls: KnownCall[] = [];
  return {
    editsOf(piece, path) {
      const said = {
        index: typeof piece.index === 'number' ? piece.index : null,
        id: textOf(piece.id),
        named: isJsonObject(piece.function) && textOf(piece.function.name) !== '',
      };
      const place = findCall(calls, said);
      const known = calls[place];
      const number = known === undefined ? calls.length : place;
      const edits = said.index === number ? [] : [set([...path, 'index'], number)];
      if (known === undefined) {
        calls.push(said);
        const standInId = madeUpCallId(call, choice, number);
        return [...edits, ...toolCallEdits(piece, { path, standInId, standInArguments: '' })];
      }
      const isFirstName = said.named && !known.named;
      known.named ||= said.named;
      return [...edits, ...continuationEdits(piece, path, { isFirstName })];
    },
  };
}

/**
 * The place of the call that a piece goes on with; -1 for a new one. A name with an id of its own begins a call
 * whatever the index: some number every call 0. An id alone does not: vLLM made up another for each piece.
 */
function findCall(calls: readonly KnownCall[], { index, id, named }: KnownCall): number {
  const same = id === '' ? -1 : calls.findIndex((known) => known.id === id);
  if (same !== -1) return same;
  if (index === null) return named ? -1 : calls.length - 1;
  return named && id !== '' ? -1 : calls.findLastIndex((known) => known.index === index);
}

/** Id and type were said when the call began; the name too, or it comes once. */
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

// What a message, or a delta of one, needs to be as OpenAI sends it: text for content, whole tool calls.

/** Members of these names are left out when they are null: OpenAI has a value for them or nothing. */
export function nullEdits(holder: JsonObject, path: JsonPath, names: readonly string[]): JsonEdit[] {
  return names.filter((name) => holder[name] === null).map((name) => remove([...path, name]));
}

/**
 * Thoughts go out as `reasoning_content`, which most clients read. Mistral sends them as parts of the content
 * (https://docs.mistral.ai/capabilities/reasoning/), Groq, Cerebras and OpenRouter as `reasoning`, which stays.
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

export interface ToolCallPlace {
  path: JsonPath;
  /** For a call whose provider gave it none. */
  standInId: string;
  /** The same of arguments: an object without members where the call is whole, nothing where more may come. */
  standInArguments: '{}' | '';
}

/** What begins a tool call, or is the whole of it, has an id, a type, a name, and arguments that are text. */
export function toolCallEdits(call: JsonObject, place: ToolCallPlace): JsonEdit[] {
  const { path, standInId, standInArguments } = place;
  const edits: JsonEdit[] = [];
  if (textOf(call.id) === '') edits.push(set([...path, 'id'], standInId));
  if (call.type !== 'function' && call.type !== 'custom') {
    edits.push(set([...path, 'type'], isJsonObject(call.custom) ? 'custom' : 'function'));
  }
  if (!isJsonObject(call.function)) return edits;
  const { arguments: given } = call.function;
  if (typeof given === 'string') return edits;
  const at = [...path, 'function', 'arguments'];
  return [...edits, given === undefined || given === null ? set(at, standInArguments) : stringify(at)];
}
