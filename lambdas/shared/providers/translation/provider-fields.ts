/** Puts the caller's own fields for the provider into the request that was written for it. */
import { isKeptNumber } from '../../domain/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

/**
 * Objects are joined at any depth; lists and single values of the caller replace what was written, so that anything
 * can be said in the provider's own words. A new object, whose keys are all its own: `__proto__` is a key as any other.
 */
export function withProviderFields(written: JsonObject, fields: JsonObject): JsonObject {
  const names = new Set([...Object.keys(written), ...Object.keys(fields)]);
  return Object.fromEntries(
    [...names].map((name) => {
      if (!Object.hasOwn(fields, name)) return [name, written[name]];
      const before = Object.hasOwn(written, name) ? written[name] : undefined;
      const value = fields[name];
      return [name, isJoinable(before) && isJoinable(value) ? withProviderFields(before, value) : value];
    }),
  );
}

function isJoinable(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isKeptNumber(value);
}
