/** Log entries in memory, read as DynamoDB reads a table: so many items at a time, of which the filter takes some. */
import type { LogEntry, LogEntryRange, LogStep } from '#lambdas/request-log/entry.ts';
import { shardOfLogId } from '#lambdas/request-log/id.ts';

export interface MemoryRead {
  shard: number;
  evaluated: number;
  /** How many reads were under way, this one included. */
  atOnce: number;
}

export interface MemoryLogEntries {
  reader: { newestFirst(range: LogEntryRange): AsyncGenerator<LogStep> };
  reads: MemoryRead[];
}

export function memoryLogEntries(entries: LogEntry[]): MemoryLogEntries {
  const shards = Map.groupBy(
    entries.toSorted((left, right) => (left.id < right.id ? 1 : -1)),
    ({ id }) => shardOfLogId(id),
  );
  const reads: MemoryRead[] = [];
  let underWay = 0;
  const newestFirst = async function* ({ shard, filter, before = '~', pageSize }: LogEntryRange) {
    const items = (shards.get(shard) ?? []).filter(({ id }) => id < before);
    for (let from = 0; ; from += pageSize) {
      underWay += 1;
      const page = items.slice(from, from + pageSize);
      reads.push({ shard, evaluated: page.length, atOnce: underWay });
      await Promise.resolve();
      underWay -= 1;
      for (const entry of page.filter((item) => matches(item, filter))) yield { id: entry.id, entry };
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      yield { id: last.id, entry: null, evaluated: page.length };
    }
  };
  return { reader: { newestFirst }, reads };
}

function matches(entry: LogEntry, filter: LogEntryRange['filter']): boolean {
  return Object.entries(filter).every(([field, value]) => entry[field as keyof LogEntry] === value);
}
