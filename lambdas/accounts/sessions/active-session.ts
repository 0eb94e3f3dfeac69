/** A session that has not ended, together with the cookie's value, which alone opens its tokens. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { SessionEndedError } from './ended-error.ts';
import { openTokens, type ProviderTokens } from './sealed-tokens.ts';
import type { SessionRecord, SessionStore } from './store.ts';
import { parseSessionToken, type SessionToken } from './token.ts';

export interface ActiveSession {
  token: SessionToken;
  record: SessionRecord;
}

export const sessionLifetimeSeconds = 12 * 3600;

/** Returns `null` if there is no such session, or if it has ended. */
export async function findSession(
  sessions: Pick<SessionStore, 'find'>,
  cookie: string | null,
  now: Date,
): Promise<ActiveSession | null> {
  const token = parseSessionToken(cookie ?? '');
  const record = token === null ? null : await sessions.find(token);
  return token === null || record === null || hasEnded(record, now) ? null : { token, record };
}

/** DynamoDB deletes expired items late, within a few days. */
export function hasEnded({ expiresAt }: SessionRecord, now: Date): boolean {
  return now.getTime() >= expiresAt * 1000;
}

/** Every hour, the function `Session` lets the provider confirm that the user may still sign in. */
const renewalIntervalMs = 3_600_000;

export function isRenewalDue({ lastRenewedAt }: SessionRecord, now: Date): boolean {
  return now.getTime() >= Date.parse(lastRenewedAt) + renewalIntervalMs;
}

export function invalidSession(): GatewayError {
  return new GatewayError('invalid_session', { message: 'There is no session, or it has ended: sign in' });
}

/** Throws a `SessionEndedError` when the record has been tampered with. */
export function tokensOf({ token, record }: ActiveSession): ProviderTokens {
  try {
    return openTokens(record.sealedTokens, token);
  } catch {
    throw new SessionEndedError();
  }
}
