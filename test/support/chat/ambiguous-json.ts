/** JSON that servers read differently, as it has duplicate keys, and keys in several letter cases. */
import { isJsonObject } from '#lambdas/platform/json/json.ts';

export type JsonTree =
  | { members: readonly (readonly [key: string, value: JsonTree])[] }
  | { items: readonly JsonTree[] }
  | { value: unknown };

export function writeJson(tree: JsonTree): string {
  if ('members' in tree) {
    return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join()}}`;
  }
  return 'items' in tree ? `[${tree.items.map(writeJson).join()}]` : JSON.stringify(tree.value);
}

/** Equates the keys that Go's parser equates: https://pkg.go.dev/encoding/json#Unmarshal */
function equateCases(key: string): string {
  return key.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
}

/** Lists all values that a server may read which uses one of the members with the same key. */
export function readingsOf(tree: JsonTree, server: { ignoresCase: boolean }): unknown[] {
  if ('value' in tree) return [tree.value];
  if ('items' in tree) return combinations(tree.items.map((item) => readingsOf(item, server)));
  const choices = new Map<string, unknown[]>();
  for (const [key, value] of tree.members) {
    const name = server.ignoresCase ? equateCases(key) : key;
    choices.set(name, [...(choices.get(name) ?? []), ...readingsOf(value, server)]);
  }
  const names = [...choices.keys()];
  return combinations([...choices.values()]).map((chosen) =>
    Object.fromEntries(names.map((name, index) => [name, chosen[index]])),
  );
}

/** The number of readings of a server that ignores the case of keys. */
export function countReadings(tree: JsonTree): number {
  if ('value' in tree) return 1;
  const counts = new Map<unknown, number>();
  const add = (name: unknown, value: JsonTree) =>
    counts.set(name, (counts.get(name) ?? 0) + countReadings(value));
  if ('items' in tree) for (const [index, item] of tree.items.entries()) add(index, item);
  else for (const [key, value] of tree.members) add(equateCases(key), value);
  return [...counts.values()].reduce((product, count) => product * count, 1);
}

/** Takes one element of each list. */
function combinations(lists: readonly (readonly unknown[])[]): unknown[][] {
  return lists.reduce<unknown[][]>(
    (taken, list) => taken.flatMap((elements) => list.map((element) => [...elements, element])),
    [[]],
  );
}

/** Go's parser stores a duplicate over what it has read before, whose other members and list elements remain. */
export function mergedReading(tree: JsonTree): unknown {
  if ('value' in tree) return tree.value;
  if ('items' in tree) return tree.items.map(mergedReading);
  return tree.members.reduce((read: unknown, [key, value]) => {
    return merge(read, { [equateCases(key)]: mergedReading(value) });
  }, {});
}

function merge(earlier: unknown, later: unknown): unknown {
  if (Array.isArray(earlier) && Array.isArray(later)) {
    return later.map((item, index) => (index < earlier.length ? merge(earlier[index], item) : item));
  }
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  const merged = Object.entries(later).map(([name, value]) => [
    name,
    Object.hasOwn(earlier, name) ? merge(earlier[name], value) : value,
  ]);
  return { ...earlier, ...Object.fromEntries(merged) };
}
