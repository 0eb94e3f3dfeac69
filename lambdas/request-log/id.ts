/**
 * Log ids are UUIDv7s (RFC 9562): they sort by the millisecond when the gateway received the request. The last byte is
 * the write shard of the entry, so an entry can be read by its id even after the number of shards was raised. The
 * remaining 66 bits are random.
 */
import { randomUUID } from 'node:crypto';

/** The shard is one byte of the id. Each shard is a DynamoDB partition, which accepts 1,000 writes per second. */
export const maxShardCount = 256;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function createLogId(timestampMs: number, shard = 0): string {
  // A UUIDv4 has the same variant bits, and Node.js generates its random bytes in batches.
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

/** Returns milliseconds since 1970. */
export function timestampOfLogId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

export function firstLogIdAt(timestampMs: number): string {
  return format(timestampMs, '7000', '8000', '000000000000');
}

export function lastLogIdAt(timestampMs: number): string {
  return format(timestampMs, '7fff', 'bfff', 'ffffffffffff');
}

/** True for UUIDs of any version; the lookup of a UUID that is not a log id finds nothing. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

function format(timestampMs: number, third: string, fourth: string, fifth: string): string {
  const time = timestampMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${fourth}-${fifth}`;
}
