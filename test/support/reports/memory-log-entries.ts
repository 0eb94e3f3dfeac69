/** In-memory log entries that are read like a DynamoDB table: the filter applies after the page size. */

import type { LogEntryRange, LogEntryReader } from '#lambdas/reports/logs/read.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { matchesErrorCode } from '#lambdas/request-log/error-code.ts';
import { firstLogIdAt, shardOfLogId } from '#lambdas/request-log/id.ts';

interface MemoryRead {
  shard: number;
  evaluated: number;
  /** Reads in flight, this one included. */
  concurrentReads: number;
}

interface MemoryLogEntries {
  reader: Pick<LogEntryReader, 'readPage'>;
  reads: MemoryRead[];
}

export function memoryLogEntries(entries: LogEntry[]): MemoryLogEntries {
  const shards = Map.groupBy(
    entries.toSorted((left, right) => (left.id < right.id ? 1 : -1)),
    ({ id }) => shardOfLogId(id),
  );
  const reads: MemoryRead[] = [];
  let inFlight = 0;
  return {
    reads,
    reader: {
      async readPage({ shard, filter, window }, before = '~', pageSize) {
        inFlight += 1;
        const [first, end] = [firstLogIdAt(window.startMs), firstLogIdAt(window.endMs)];
        const page = (shards.get(shard) ?? [])
          .filter(({ id }) => id < before && id >= first && id < end)
          .slice(0, pageSize);
        reads.push({ shard, evaluated: page.length, concurrentReads: inFlight });
        await Promise.resolve();
        inFlight -= 1;
        const readTo = page.length < pageSize ? null : (page.at(-1)?.id ?? null);
        return {
          entries: page.filter((entry) => matches(entry, filter)),
          lastEvaluatedId: readTo,
          scannedCount: page.length,
        };
      },
    },
  };
}

function matches(entry: LogEntry, { error_code, ...filter }: LogEntryRange['filter']): boolean {
  if (error_code !== undefined && !matchesErrorCode(entry, error_code)) return false;
  return Object.entries(filter).every(([field, value]) => entry[field as keyof LogEntry] === value);
}
