/** Merges the parts in which a stream reports its usage. */
import { isRawNumber } from '#lambdas/platform/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';

/**
 * Later counts replace earlier ones, since providers that send several report cumulative counts. Zeros, `null` and empty
 * objects replace nothing: some servers end with a frame of zeros, or add only the cost.
 */
export function mergeUsageFrames(earlier: JsonObject, later: unknown): JsonObject {
  if (!isJsonObject(later)) return earlier;
  const merged = { ...earlier };
  for (const [name, value] of Object.entries(later)) {
    const known = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (known === undefined || known === null) merged[name] = value;
    else if (isMergeable(known) && isMergeable(value)) merged[name] = mergeUsageFrames(known, value);
    else if (!isEmpty(value)) merged[name] = value;
  }
  return merged;
}

function isMergeable(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true;
  return (
    (isMergeable(value) && Object.keys(value).length === 0) || (Array.isArray(value) && value.length === 0)
  );
}
