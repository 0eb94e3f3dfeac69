/**
 * Log ids are UUIDs of version 7 (RFC 9562): they sort by the millisecond in which the request came in. Their last byte
 * is the shard of the organization that holds the entry, so an id alone says where to read, however many shards there
 * are by then. The remaining 66 bits are random.
 */
import { randomUUID } from 'node:crypto';

/** One byte of the id. Each shard takes 1,000 writes a second, as a partition of DynamoDB does. */
export const maxShardCount = 256;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function createLogId(timestampMs: number, shard = 0): string {
  // Version 4 has the same variant bits, and Node draws many of them at once.
  const random = randomUUID();
  const lastByte = shard.toString(16).padStart(2, '0');
  return format(
    timestampMs,
    `7${random.slice(15, 18)}`,
    random.slice(19, 23),
    random.slice(24, 34) + lastByte,
  );
}

export function shardOfLogId(id: string): number {
  return Number.parseInt(id.slice(-2), 16);
}

/** When the request came in, in milliseconds since 1970. */
export function timestampOfLogId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The lowest id that the millisecond can have. */
export function firstLogIdAt(timestampMs: number): string {
  return format(timestampMs, '7000', '8000', '000000000000');
}

/** The highest id that the millisecond can have. */
export function lastLogIdAt(timestampMs: number): string {
  return format(timestampMs, '7fff', 'bfff', 'ffffffffffff');
}

/** A UUID of any version: a lookup finds nothing for one that is not a log id. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

function format(timestampMs: number, third: string, fourth: string, fifth: string): string {
  const time = timestampMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${fourth}-${fifth}`;
}
