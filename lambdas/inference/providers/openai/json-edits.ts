/** Edits JSON text without changing the digits of its numbers. Whitespace is not preserved. */
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { serialize } from '../serialize.ts';

export type JsonPath = readonly (string | number)[];

/** Edits apply in order. The parent of a path must exist. Elements after a removed one move up. */
export type JsonEdit =
  | { kind: 'set'; path: JsonPath; value: unknown }
  /** Adds to a list, which need not exist. */
  | { kind: 'append'; path: JsonPath; values: readonly unknown[] }
  | { kind: 'remove'; path: JsonPath }
  | { kind: 'copy'; path: JsonPath; from: JsonPath }
  /** Replaces a value with its JSON text. */
  | { kind: 'stringify'; path: JsonPath };

export const set = (path: JsonPath, value: unknown): JsonEdit => ({ kind: 'set', path, value });
export const append = (path: JsonPath, values: readonly unknown[]): JsonEdit => ({
  kind: 'append',
  path,
  values,
});
export const remove = (path: JsonPath): JsonEdit => ({ kind: 'remove', path });
export const copy = (path: JsonPath, from: JsonPath): JsonEdit => ({ kind: 'copy', path, from });
export const stringify = (path: JsonPath): JsonEdit => ({ kind: 'stringify', path });

/** Throws a `GatewayError` when a provider's JSON is nested too deeply. */
export function applyJsonEdits(text: string, edits: readonly JsonEdit[]): string {
  if (edits.length === 0) return text;
  const root = parseForEditing(text);
  for (const edit of edits) applyEdit(root, edit);
  return serialize(root);
}

/** Parsing with exact numbers takes ten times as long, and few texts contain numbers that JavaScript would change. */
function parseForEditing(text: string): unknown {
  const value = parseJson(text);
  return serialize(value) === text ? value : parseExactJson(text);
}

function applyEdit(root: unknown, edit: JsonEdit): void {
  const parent = valueAt(root, edit.path.slice(0, -1));
  const key = edit.path.at(-1);
  if (key === undefined || !isContainer(parent))
    throw new Error(`There is no ${edit.path.join('.')} to edit`);
  switch (edit.kind) {
    case 'set':
      parent[key] = edit.value;
      return;
    case 'append': {
      const list = parent[key];
      parent[key] = [...(Array.isArray(list) ? list : []), ...edit.values];
      return;
    }
    case 'remove':
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      return;
    case 'copy':
      parent[key] = valueAt(root, edit.from);
      return;
    case 'stringify':
      parent[key] = serialize(parent[key]);
      return;
    default:
      edit satisfies never;
  }
}

function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root;
  for (const key of path) value = isContainer(value) ? value[key] : undefined;
  return value;
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return isJsonObject(value) || Array.isArray(value);
}

export interface RequestChanges {
  edits: readonly JsonEdit[];
  /** See `TranslatedRequest.ignoredParameters`. */
  ignored: readonly string[];
}

export const noChanges: RequestChanges = { edits: [], ignored: [] };

export function mergeChanges(changes: readonly RequestChanges[]): RequestChanges {
  return {
    edits: changes.flatMap(({ edits }) => edits),
    ignored: [...new Set(changes.flatMap(({ ignored }) => ignored))],
  };
}
