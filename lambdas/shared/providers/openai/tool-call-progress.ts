/** The tool calls of a choice as they come in pieces: numbered from 0, each beginning once. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { ProviderCall } from '../provider.ts';
import { madeUpCallId } from '../translation/completion-sink.ts';
import { type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';
import { textOf, toolCallEdits } from './message-repairs.ts';

export interface ToolCallProgress {
  /** What a piece of a tool call at `path` needs. Mistral's come whole, without index and type. */
  editsOf(piece: JsonObject, path: JsonPath): JsonEdit[];
}

/** As the provider names it. */
interface KnownCall {
  index: number | null;
  id: string;
}

export function createToolCallProgress(call: ProviderCall, choice: number): ToolCallProgress {
  const calls: KnownCall[] = [];
  return {
    editsOf(piece, path) {
      const said = { index: typeof piece.index === 'number' ? piece.index : null, id: textOf(piece.id) };
      const begins = isJsonObject(piece.function) && textOf(piece.function.name) !== '';
      const known = findCall(calls, { ...said, begins });
      const number = known === -1 ? calls.length : known;
      const edits = said.index === number ? [] : [set([...path, 'index'], number)];
      if (known !== -1) return [...edits, ...continuationEdits(piece, path)];
      calls.push(said);
      const standInId = madeUpCallId(call, choice, number);
      return [...edits, ...toolCallEdits(piece, { path, standInId, standInArguments: '' })];
    },
  };
}

/**
 * The place of the call that a piece goes on with; -1 for a new one. A name with an id of its own begins a call
 * whatever the index: some number every call 0. An id alone does not: vLLM made up another for each piece.
 */
function findCall(
  calls: readonly KnownCall[],
  { index, id, begins }: KnownCall & { begins: boolean },
): number {
  const same = id === '' ? -1 : calls.findIndex((known) => known.id === id);
  if (same !== -1) return same;
  if (index === null) return begins ? -1 : calls.length - 1;
  return begins && id !== '' ? -1 : calls.findLastIndex((known) => known.index === index);
}

/** Id, type and name were said when the call began. */
function continuationEdits(piece: JsonObject, path: JsonPath): JsonEdit[] {
  const edits = ['id', 'type'].filter((name) => name in piece).map((name) => remove([...path, name]));
  if (!isJsonObject(piece.function)) return edits;
  const callee = [...path, 'function'];
  if ('name' in piece.function) edits.push(remove([...callee, 'name']));
  const { arguments: given } = piece.function;
  if (given === null) edits.push(remove([...callee, 'arguments']));
  else if (given !== undefined && typeof given !== 'string') edits.push(stringify([...callee, 'arguments']));
  return edits;
}
