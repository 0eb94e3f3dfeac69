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
      async readPage({ shard, filter, bounds, window, direction }, after, pageSize) {
        inFlight += 1;
        const [first, end] = [firstLogIdAt(window.startMs), firstLogIdAt(window.endMs)];
        const inShard = shards.get(shard) ?? [];
        const isAscending = direction === 'asc';
        const follows = (id: string) => after === undefined || (isAscending ? id > after : id < after);
        const page = (isAscending ? inShard.toReversed() : inShard)
          .filter(({ id }) => follows(id) && id >= first && id < end)
          .slice(0, pageSize);
        reads.push({ shard, evaluated: page.length, concurrentReads: inFlight });
        await Promise.resolve();
        inFlight -= 1;
        const readTo = page.length < pageSize ? null : (page.at(-1)?.id ?? null);
        return {
          entries: page.filter((entry) => matches(entry, filter) && isWithin(entry, bounds)),
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

function isWithin(entry: LogEntry, bounds: LogEntryRange['bounds']): boolean {
  if (bounds === undefined) return true;
  const { ranges, excludedOutcomes, writtenSinceMs = 0 } = bounds;
  return (
    Date.parse(entry.created_at) + entry.latency_ms >= writtenSinceMs &&
    !excludedOutcomes.includes(entry.outcome) &&
    ranges.every(({ field, min, max }) => {
      const value = field === 'retries' ? (entry.retries ?? 0) : entry[field];
      return value !== null && Number(value) >= Number(min) && (max === null || Number(value) <= Number(max));
    })
  );
}
