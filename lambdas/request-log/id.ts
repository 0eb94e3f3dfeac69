/**
 * Log ids are UUIDv7s (RFC 9562): they sort by the millisecond when the gateway received the request. The last byte is
 * the write shard of the entry, so an entry can be read by its id even after the number of shards was raised. The
 * remaining 66 bits are random.
 */
import { createUuidV7, formatUuidV7 } from '#lambdas/platform/uuid-v7.ts';

/** The shard is one byte of the id. Each shard is a DynamoDB partition, which accepts 1,000 writes per second. */
export const maxShardCount = 256;

export function createLogId(timestampMs: number, shard = 0): string {
  return createUuidV7(timestampMs).slice(0, -2) + shard.toString(16).padStart(2, '0');
}

export function shardOfLogId(id: string): number {
  return Number.parseInt(id.slice(-2), 16);
}

/** Returns milliseconds since 1970. */
export function timestampOfLogId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Returns milliseconds since 1970: the first one that has no id below this one. */
export function endOfIdsBefore(id: string): number {
  const timestampMs = timestampOfLogId(id);
  return id > firstLogIdAt(timestampMs) ? timestampMs + 1 : timestampMs;
}

export function firstLogIdAt(timestampMs: number): string {
  return formatUuidV7(timestampMs, '7000', '8000', '000000000000');
}

export function lastLogIdAt(timestampMs: number): string {
  return formatUuidV7(timestampMs, '7fff', 'bfff', 'ffffffffffff');
}
