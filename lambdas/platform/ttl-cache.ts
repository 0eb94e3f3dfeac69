/** A bounded cache: every entry lives equally long, so the oldest ones are the first to go. */
export interface TtlCache<Value> {
  /** `undefined` for what is not cached, or no longer. */
  get(key: string, atMs: number): Value | undefined;
  /** `readAtMs` is the time at which the value was known to hold: before the read began, not after it ended. */
  set(key: string, value: Value, readAtMs: number): void;
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
      // Deleted first, so that the order of the map is that of expiry.
      entries.delete(key);
      entries.set(key, { value, expiresAtMs: readAtMs + limits.ttlMs });
      const [oldest = key] = entries.keys();
      if (entries.size > limits.maxEntries) entries.delete(oldest);
    },
  };
}
