/** Finds the fields of a request in a format whose settings are partly inside of objects. */
import { type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

/** `path` consists of the names of fields, separated by points. */
export function valueAt(body: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, field) => objectOrEmpty(value)[field], body);
}

/** Returns each name once. */
export function unknownFields(objects: readonly JsonObject[], known: readonly string[]): string[] {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...names].filter((name) => !known.includes(name));
}
