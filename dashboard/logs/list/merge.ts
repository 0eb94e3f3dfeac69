import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';

/**
 * Merges two lists of entries, both the newest first, by their ids, which sort by time. Of an entry in both, the first list
 * has the newer version: an interrupted request can turn out to have ended.
 */
export function mergeEntries(
  newer: readonly ListedLogEntry[],
  older: readonly ListedLogEntry[],
): readonly ListedLogEntry[] {
  if (newer.length === 0) return older;
  const merged: ListedLogEntry[] = [];
  let index = 0;
  for (const entry of newer) {
    for (let other = older[index]; other !== undefined && other.id >= entry.id; other = older[index]) {
      if (other.id !== entry.id) merged.push(other);
      index += 1;
    }
    merged.push(entry);
  }
  for (const entry of older.slice(index)) merged.push(entry);
  return merged;
}
