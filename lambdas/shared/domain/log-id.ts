/** Log ids are UUIDs of version 7 (RFC 9562): they sort by the millisecond in which the request came in. */
import { randomBytes } from 'node:crypto';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function createLogId(timestampMs: number): string {
  const random = randomBytes(10).toString('hex');
  const variant = ((Number.parseInt(random.charAt(3), 16) & 0b0011) | 0b1000).toString(16);
  return format(timestampMs, `7${random.slice(0, 3)}`, `${variant}${random.slice(4, 7)}`, random.slice(8));
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

/** A UUID of any version: one that is no log id is simply not found. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

function format(timestampMs: number, third: string, fourth: string, fifth: string): string {
  const time = timestampMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${fourth}-${fifth}`;
}
