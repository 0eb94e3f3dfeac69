import { isJsonObject } from '#lambdas/platform/json/json.ts';

/** `place` is the index of a value in document order, modulo the number of values. */
export function replaceValue(root: unknown, place: number, replacement: unknown): unknown {
  let remaining = place % countValues(root);
  const replaceIn = (value: unknown): unknown => {
    if (remaining-- === 0) return replacement;
    if (Array.isArray(value)) return value.map(replaceIn);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaceIn(inner)]));
  };
  return replaceIn(root);
}

function countValues(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return inner.reduce<number>((count, item) => count + countValues(item), 1);
}
