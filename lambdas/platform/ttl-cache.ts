/** A cache of limited size. All entries have the same time to live, so the oldest entry is the first to expire. */
interface TtlCache<Value> {
  get(key: string, atMs: number): Value | undefined;
  /** `readAtMs` is the time when the read of the value began: the value may have changed before the read ended. */
  set(key: string, value: Value, readAtMs: number): void;
  delete(key: string): void;
}

export function createTtlCache<Value>(limits: { ttlMs: number; maxEntries: number }): TtlCache<Value> {
  const entries = new Map<string, { value: Value; expiresAtMs: number }>();
  return {
    get(key, atMs) {
      const entry = entries.get(key);
      if (entry === undefined || atMs < entry.expiresAtMs) return entry?.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, readAtMs) {
      setAsNewest(entries, key, { value, expiresAtMs: readAtMs + limits.ttlMs }, limits.maxEntries);
    },
    delete: (key) => void entries.delete(key),
  };
}

/** Deletes the oldest entry of a map that has more than `maxEntries`. */
export function setAsNewest<Value>(
  entries: Map<string, Value>,
  key: string,
  value: Value,
  maxEntries: number,
): void {
  // Delete first: a map keeps the position of an existing key.
  entries.delete(key);
  entries.set(key, value);
  const [oldest = key] = entries.keys();
  if (entries.size > maxEntries) entries.delete(oldest);
}
