/** UUIDs that sort by time: https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7 */
import { randomUUID } from 'node:crypto';

export function createUuidV7(timestampMs: number): string {
  // A UUIDv4 has the same variant bits, and Node.js generates its random bytes in batches.
  const random = randomUUID();
  return formatUuidV7(timestampMs, `7${random.slice(15, 18)}`, random.slice(19, 23), random.slice(24));
}

/** Returns a UUID with this time and these last three groups. */
export function formatUuidV7(timestampMs: number, third: string, fourth: string, fifth: string): string {
  const time = timestampMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${fourth}-${fifth}`;
}
