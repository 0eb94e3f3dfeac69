/** Normalizes tool calls: they start only once, with their whole name, are numbered from 0, and have arguments. */
import type { ChatCall } from '#lambdas/inference/chat/body.ts';
import { defaultArguments, type FinishReason } from '#lambdas/inference/completion/finish-reasons.ts';
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { ChoiceState } from '../translation/choice-states.ts';
import { append, type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';
import {
  argumentsOf,
  createToolCallTracker,
  offeredToolNames,
  otherMembersOf,
  type TrackedDelta,
} from './tool-call-tracker.ts';

export interface ToolCallProgress {
  /**
   * Returns the edits of the list of tool calls of a delta. Each of Mistral's deltas is a whole call without index and type.
   * A call is held back while its name may continue, since clients replace a name instead of concatenating it. `isMessage`
   * states that the list is that of a whole message, in which each call is separate.
   */
  editsOf(toolCalls: readonly unknown[], path: JsonPath, isMessage: boolean): JsonEdit[];
  /** Returns deltas that complete the calls at the end of the choice. */
  complete(reason: FinishReason): JsonObject[];
}

/** A call of which the caller has nothing yet. */
interface HeldCall {
  id: string;
  name: string;
  extra: JsonObject;
}

export function createToolCallProgress({ request }: ChatCall, state: ChoiceState): ToolCallProgress {
  const tracker = createToolCallTracker(offeredToolNames(request.body));
  const heldCalls = new Map<number, HeldCall>();

  const release = (index: number, text: string): JsonObject => {
    const { id = '', name = '', extra = {} } = heldCalls.get(index) ?? {};
    heldCalls.delete(index);
    return { index, id, type: 'function', function: { name, arguments: text }, ...extra };
  };
  /** Returns `null` for a delta that is held back. */
  const editsOfDelta = (delta: JsonObject, path: JsonPath, tracked: TrackedDelta): JsonEdit[] | null => {
    const { index, isNew, name, mayContinueName } = tracked;
    const id = isNew ? state.addToolCall(stringOrEmpty(delta.id)) : '';
    if (isNew && mayContinueName) heldCalls.set(index, { id, name: '', extra: {} });
    const held = heldCalls.get(index);
    if (held !== undefined) {
      held.name += name;
      Object.assign(held.extra, otherMembersOf(delta));
      return mayContinueName ? null : [set(path, release(index, argumentsOf(delta)))];
    }
    return [
      ...(delta.index === index ? [] : [set([...path, 'index'], index)]),
      ...(isNew
        ? toolCallEdits(delta, { path, id, emptyArguments: '' })
        : continuationEdits(delta, path, tracked)),
    ];
  };

  return {
    editsOf(toolCalls, path, isMessage) {
      const edits: JsonEdit[] = [];
      const held: JsonEdit[] = [];
      const released: JsonObject[] = [];
      for (const [position, delta] of toolCalls.entries()) {
        if (!isJsonObject(delta)) continue;
        const tracked = tracker.track(delta, isMessage && position > 0);
        if (tracked.isNew) released.push(...[...heldCalls.keys()].map((index) => release(index, '')));
        const callPath = [...path, position];
        const own = editsOfDelta(delta, callPath, tracked);
        if (own === null) held.unshift(remove(callPath));
        else edits.push(...own);
      }
      return [...edits, ...held, ...(released.length > 0 ? [append(path, released)] : [])];
    },
    complete(reason) {
      const text = defaultArguments(reason);
      return tracker.withoutArguments().flatMap((index) => {
        if (heldCalls.has(index)) return [release(index, text)];
        return text === '' ? [] : [{ index, function: { arguments: text } }];
      });
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

interface ToolCallDefaults {
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
