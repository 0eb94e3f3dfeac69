/** A session that has not ended, together with the cookie's value, which alone opens its tokens. */
import { openTokens, type ProviderTokens } from './sealed-tokens.ts';
import { SessionEndedError } from './session-ended-error.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';
import { parseSessionToken, type SessionToken } from './session-token.ts';

export interface ActiveSession {
  token: SessionToken;
  record: SessionRecord;
}

export const sessionLifetimeSeconds = 12 * 3600;

/** Returns `null` if there is no such session, or if it has ended. */
export async function findSession(
  sessions: SessionStore,
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

/** Throws a `SessionEndedError` when the record has been tampered with. */
export function tokensOf({ token, record }: ActiveSession): ProviderTokens {
  try {
    return openTokens(record.sealedTokens, token);
  } catch {
    throw new SessionEndedError();
  }
}
