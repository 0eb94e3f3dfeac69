import * as z from 'zod/mini';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { allTime, parseTimestamp } from '#lambdas/platform/time-window.ts';

/** In a request body; `readExpiry` reads it. */
export const expiryField = z.nullable(
  z.string({ error: 'expires_at must be an RFC 3339 timestamp, or null for a key that does not expire' }),
);

/** Returns the directory's format of timestamps. Throws a `GatewayError` (400) for a time that is not in the future. */
export function readExpiry(text: string | null, now: Date): string | null {
  if (text === null) return null;
  const expiresMs = parseTimestamp('expires_at', text);
  if (expiresMs > now.getTime() && expiresMs < allTime.endMs) return new Date(expiresMs).toISOString();
  throw invalidRequest('expires_at', 'expires_at must be in the future, and before December 9999');
}
