/** Edits of JSON text. Edited text keeps every digit of its numbers; only white space is lost. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { isJsonObject, isNestedDeeperThan, parseJson } from '#lambdas/platform/json/json.ts';

export type JsonPath = readonly (string | number)[];

/** Edits apply in order; the parent of the path's last step must exist. */
export type JsonEdit =
  | { kind: 'set'; path: JsonPath; value: unknown }
  | { kind: 'remove'; path: JsonPath }
  /** Copies the value at `from`. */
  | { kind: 'copy'; path: JsonPath; from: JsonPath }
  /** Replaces a value with its JSON text. */
  | { kind: 'stringify'; path: JsonPath };

export const set = (path: JsonPath, value: unknown): JsonEdit => ({ kind: 'set', path, value });
export const remove = (path: JsonPath): JsonEdit => ({ kind: 'remove', path });
export const copy = (path: JsonPath, from: JsonPath): JsonEdit => ({ kind: 'copy', path, from });
export const stringify = (path: JsonPath): JsonEdit => ({ kind: 'stringify', path });

/** Serialization is recursive. Callers' requests are checked to be less deep. */
const maxNesting = 500;

/** Returns the text itself if there are no edits. Throws a `GatewayError` for a provider's text that is nested too deep. */
export function applyJsonEdits(text: string, edits: readonly JsonEdit[]): string {
  if (edits.length === 0) return text;
  const root = parseForEditing(text);
  for (const edit of edits) applyEdit(root, edit);
  return JSON.stringify(root);
}

/** Parsing with exact numbers costs ten times as much, and few texts have numbers that would change. */
function parseForEditing(text: string): unknown {
  const value = parseJson(text);
  if (isNestedDeeperThan(maxNesting, value)) {
    throw new GatewayError('provider_error', { message: 'The provider sent JSON that is nested too deep' });
  }
  return JSON.stringify(value) === text ? value : parseExactJson(text);
}

function applyEdit(root: unknown, edit: JsonEdit): void {
  const holder = valueAt(root, edit.path.slice(0, -1));
  const key = edit.path.at(-1);
  if (key === undefined || !isHolder(holder)) throw new Error(`There is no ${edit.path.join('.')} to edit`);
  switch (edit.kind) {
    case 'set':
      holder[key] = edit.value;
      return;
    case 'remove':
      delete holder[key];
      return;
    case 'copy':
      holder[key] = valueAt(root, edit.from);
      return;
    case 'stringify':
      holder[key] = JSON.stringify(holder[key]);
      return;
    default:
      edit satisfies never;
  }
}

function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root;
  for (const key of path) value = isHolder(value) ? value[key] : undefined;
  return value;
}

function isHolder(value: unknown): value is Record<string | number, unknown> {
  return isJsonObject(value) || Array.isArray(value);
}

/** The changes to a request on its way to a provider. */
export interface RequestChanges {
  edits: readonly JsonEdit[];
  /** The parameters that are left out, as in `PreparedRequest`. */
  ignored: readonly string[];
}

export const noChanges: RequestChanges = { edits: [], ignored: [] };

export function mergeChanges(all: readonly RequestChanges[]): RequestChanges {
  return {
    edits: all.flatMap(({ edits }) => edits),
    ignored: [...new Set(all.flatMap(({ ignored }) => ignored))],
  };
}
