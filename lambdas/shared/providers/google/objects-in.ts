import { isJsonObject, type JsonObject } from '../../domain/json.ts';

/** Whatever is an object in what should be a list of them. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
