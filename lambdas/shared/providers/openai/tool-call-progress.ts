/** The tool calls of a choice as they come in pieces: numbered from 0, each beginning once. */
import { isJsonObject, type JsonObject, textOf } from '../../domain/json.ts';
import type { ProviderCall } from '../provider.ts';
import { madeUpCallId } from '../translation/completion-sink.ts';
import { type JsonEdit, type JsonPath, remove, set, stringify } from './json-edits.ts';
import { toolCallEdits } from './message-repairs.ts';

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
