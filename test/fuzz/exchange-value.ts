/** Exchanges one value of many, wherever it stands. */
import { isJsonObject } from '#lambdas/platform/json/json.ts';

/** The value with the one at that place in it exchanged; places are counted in the order of the text, and then anew. */
export function exchangeValue(root: unknown, place: number, other: unknown): unknown {
  let left = place % countValues(root);
  const exchanged = (value: unknown): unknown => {
    if (left-- === 0) return other;
    if (Array.isArray(value)) return value.map(exchanged);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, exchanged(inner)]));
  };
  return exchanged(root);
}

function countValues(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return inner.reduce<number>((count, item) => count + countValues(item), 1);
}
