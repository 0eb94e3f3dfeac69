/** Normalizes messages and deltas: content becomes text, and tool calls start only once and are numbered from 0. */
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import type { ChoiceState } from '../translation/choice-states.ts';
import { defaultArguments, type FinishReason } from '../translation/finish-reasons.ts';
import { type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';
import { createToolCallTracker, type TrackedDelta } from './tool-call-tracker.ts';

export interface ToolCallProgress {
  /** Returns the edits of a tool call's delta. Each of Mistral's deltas is a whole call without index and type. */
  editsOf(delta: JsonObject, path: JsonPath): JsonEdit[];
  /** Deltas that complete the calls without arguments at the end of the choice. */
  missingArguments(reason: FinishReason): JsonObject[];
}

export function createToolCallProgress(call: ProviderCall, state: ChoiceState): ToolCallProgress {
  const tracker = createToolCallTracker(call);
  return {
    editsOf(delta, path) {
      const tracked = tracker.track(delta);
      const edits = delta.index === tracked.index ? [] : [set([...path, 'index'], tracked.index)];
      const own = tracked.isNew
        ? toolCallEdits(delta, { path, id: state.addToolCall(stringOrEmpty(delta.id)), emptyArguments: '' })
        : continuationEdits(delta, path, tracked);
      return [...edits, ...own];
    },
    missingArguments(reason) {
      const text = defaultArguments(reason);
      if (text === '') return [];
      return tracker.withoutArguments().map((index) => ({ index, function: { arguments: text } }));
    },
  };
}

/** A continuation must not repeat the id, the type, the name or the arguments. */
function continuationEdits(
  delta: JsonObject,
  path: JsonPath,
  { name, isRepetition }: TrackedDelta,
): JsonEdit[] {
  const edits = ['id', 'type'].filter((field) => field in delta).map((field) => remove([...path, field]));
  if (!isJsonObject(delta.function)) return edits;
  const functionPath = [...path, 'function'];
  if ('name' in delta.function && name === '') edits.push(remove([...functionPath, 'name']));
  const { arguments: value } = delta.function;
  if (value === null || isRepetition) edits.push(remove([...functionPath, 'arguments']));
  else if (value !== undefined && typeof value !== 'string') {
    edits.push(stringify([...functionPath, 'arguments']));
  }
  return edits;
}

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

export interface ToolCallDefaults {
  path: JsonPath;
  id: string;
  /** Empty for a delta, since more may follow. */
  emptyArguments: '{}' | '';
}

/** A tool call, or its first delta, must have a unique id, a type, a name, and arguments as a string. */
export function toolCallEdits(call: JsonObject, { path, id, emptyArguments }: ToolCallDefaults): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (call.id !== id) edits.push(set([...path, 'id'], id));
  if (call.type !== 'function' && call.type !== 'custom') {
    edits.push(set([...path, 'type'], isJsonObject(call.custom) ? 'custom' : 'function'));
  }
  if (!isJsonObject(call.function)) return edits;
  const { arguments: value } = call.function;
  const argumentsPath = [...path, 'function', 'arguments'];
  if (typeof value === 'string') {
    const isMissing = value.trim() === '' && emptyArguments !== '';
    return isMissing ? [...edits, set(argumentsPath, emptyArguments)] : edits;
  }
  const isMissing = value === undefined || value === null;
  return [...edits, isMissing ? set(argumentsPath, emptyArguments) : stringify(argumentsPath)];
}
