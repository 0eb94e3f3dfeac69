/**
 * Tells to which tool call each delta of a stream belongs. Providers number calls from 0 or all with 0, repeat ids, types
 * and names, send a name in fragments, or give two calls the same id.
 */
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { serialize } from '../serialize.ts';

export interface TrackedDelta {
  /** The position of the call among those of its choice. */
  index: number;
  isNew: boolean;
  /** The part that the delta adds to the name of the call. */
  name: string;
  /** True while the call has no arguments, and a name that may not be whole. */
  mayContinueName: boolean;
  /** True if the delta repeats a whole call, so that its arguments must not be added again. */
  isRepetition: boolean;
}

interface ToolCallTracker {
  /**
   * Expects every delta of a choice once, in order, apart from those that only add text to known arguments. `isSeparate`
   * states that a delta starts a call.
   */
  track(delta: JsonObject, isSeparate?: boolean): TrackedDelta;
  /** The positions of the calls that have no arguments so far. */
  withoutArguments(): number[];
}

interface KnownCall {
  /** The provider's index. */
  index: number | null;
  id: string;
  name: string;
  /** The arguments of the first delta, if they are a whole JSON object. */
  wholeArguments: string | null;
  hasArguments: boolean;
}

/** Lists the names of the functions that a request in OpenAI's format offers. */
export function offeredToolNames({ tools }: JsonObject): string[] {
  return filterObjects(tools).map(({ function: definition }) =>
    stringOrEmpty(objectOrEmpty(definition).name),
  );
}

export function createToolCallTracker(offeredNames: readonly string[]): ToolCallTracker {
  const calls: KnownCall[] = [];
  return {
    track(delta, isSeparate = false) {
      const found = readDelta(delta);
      const position = isSeparate ? -1 : findCall(calls, found, offeredNames);
      const known = calls[position];
      if (known === undefined) {
        calls.push(found);
        const { name } = found;
        const mayContinueName = mayNameContinue(found, offeredNames);
        return { index: calls.length - 1, isNew: true, name, mayContinueName, isRepetition: false };
      }
      const isWholeRepeated = known.wholeArguments !== null && known.wholeArguments === found.wholeArguments;
      const isNameRepeated = repeatsName(known, found.name, offeredNames);
      const isRepetition = isWholeRepeated && isNameRepeated;
      const name = isNameRepeated ? '' : found.name;
      known.name += name;
      known.hasArguments ||= found.hasArguments;
      const mayContinueName = mayNameContinue(known, offeredNames);
      return { index: position, isNew: false, name, mayContinueName, isRepetition };
    },
    withoutArguments: () => calls.flatMap(({ hasArguments }, position) => (hasArguments ? [] : [position])),
  };
}

/** The arguments of a call or a delta as JSON, which some servers send as an object. */
export function argumentsOf(call: JsonObject): string {
  const { arguments: value } = objectOrEmpty(call.function);
  return isJsonObject(value) ? serialize(value) : stringOrEmpty(value);
}

/** The members that providers add to a call or a delta. */
export function otherMembersOf({
  index: _,
  id: __,
  type: ___,
  function: ____,
  ...others
}: JsonObject): JsonObject {
  return others;
}

function readDelta(delta: JsonObject): KnownCall {
  const { index, id, custom } = delta;
  const { name } = objectOrEmpty(delta.function);
  const text = argumentsOf(delta);
  return {
    index: typeof index === 'number' ? index : null,
    id: stringOrEmpty(id),
    name: stringOrEmpty(name) || stringOrEmpty(objectOrEmpty(custom).name),
    wholeArguments: parseJsonObject(text) === null ? null : text,
    // A custom tool has input instead of arguments.
    hasArguments: isJsonObject(custom) || text.trim() !== '',
  };
}

/** Returns the position of the call that a delta continues; -1 for a new call. */
function findCall(calls: readonly KnownCall[], delta: KnownCall, offeredNames: readonly string[]): number {
  const { index, id, name } = delta;
  const position = findByIdentity(calls, delta);
  const known = calls[position];
  if (known === undefined || name === '') return position;
  if (known.name === '') return position;
  if (repeatsName(known, name, offeredNames)) {
    // Without an id or index, nothing but the order tells two calls of the same function apart.
    const isOther = delta.hasArguments && known.wholeArguments !== null;
    const isUnmarked = id === '' && index === null;
    if (isUnmarked) return -1;
    return isOther && delta.wholeArguments !== known.wholeArguments ? -1 : position;
  }
  return isNameFragment(known, name, offeredNames) ? position : -1;
}

/**
 * An equal id does not win over another index if the delta names a function: some servers give all calls one id. A name
 * with a new id starts a call regardless of the index, since some number every call 0. A new id alone does not, since vLLM
 * has sent a new id with every delta.
 */
function findByIdentity(calls: readonly KnownCall[], { index, id, name }: KnownCall): number {
  if (index === null) {
    const same = id === '' ? -1 : calls.findLastIndex((known) => known.id === id);
    if (same !== -1 || (id !== '' && name !== '')) return same;
    return calls.length - 1;
  }
  const atIndex = calls.findLastIndex((known) => known.index === index);
  if (id === '') return atIndex;
  const exact = calls.findLastIndex((known) => known.index === index && known.id === id);
  if (exact !== -1) return exact;
  if (name !== '') return calls[atIndex]?.id === '' ? atIndex : -1;
  const same = calls.findLastIndex((known) => known.id === id);
  return same === -1 ? atIndex : same;
}

/** Equal fragments in a row are parts of a name if the request offers a name that begins with them, but not the first. */
function repeatsName(known: KnownCall, name: string, offeredNames: readonly string[]): boolean {
  if (name === '' || name !== known.name) return false;
  return offeredNames.includes(name) || !continuesName(known, name, offeredNames);
}

/** A name that the request offers is whole, unless it continues another one that is offered. */
function isNameFragment(known: KnownCall, name: string, offeredNames: readonly string[]): boolean {
  if (known.hasArguments) return false;
  if (continuesName(known, name, offeredNames)) return true;
  return !(offeredNames.includes(name) || offeredNames.includes(known.name));
}

/** Not if it is offered and begins no other offered name. */
function mayNameContinue({ name, hasArguments }: KnownCall, offeredNames: readonly string[]): boolean {
  const beginsOther = offeredNames.some((offered) => offered !== name && offered.startsWith(name));
  return !hasArguments && (beginsOther || !offeredNames.includes(name));
}

function continuesName(known: KnownCall, name: string, offeredNames: readonly string[]): boolean {
  return offeredNames.some((offered) => offered.startsWith(known.name + name));
}
