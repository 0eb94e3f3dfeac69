/** What a message, or a delta of one, needs to be as OpenAI sends it: text for content, whole tool calls. */
import { isJsonObject, type JsonObject, textOf } from '../../domain/json.ts';
import { type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';

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
