/** Remembers what was worked out for a text, for so many texts of such a length that memory does not grow. */

export interface MemoryBounds {
  entries: number;
  longestKey: number;
}

export type Remember<Value> = (key: string, workOut: () => Value) => Value;

/** When it is full it forgets all at once: what is asked for often is soon back. */
export function createBoundedMemory<Value extends object | null>({
  entries,
  longestKey,
}: MemoryBounds): Remember<Value> {
  const remembered = new Map<string, Value>();
  return (key, workOut) => {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const value = workOut();
    if (key.length > longestKey) return value;
    if (remembered.size >= entries) remembered.clear();
    remembered.set(key, value);
    return value;
  };
}
