import { hourMs, hourSeconds, minuteMs } from '#lambdas/platform/duration.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { clearCookie, setCookie } from '../http/cookies.ts';
import type { DashboardRequest } from '../http/request.ts';
import { findSession, type SessionRecord } from './store.ts';
import { openTokens, type ProviderTokens, parseSessionToken, type SessionToken } from './token.ts';

/** A session that has not ended, together with the cookie's value, which alone opens its tokens. */
export interface ActiveSession {
  token: SessionToken;
  record: SessionRecord;
}

export const sessionLifetimeSeconds = 12 * hourSeconds;

/** Returns `null` if there is no such session, or if it has ended. */
export async function findActiveSession(
  accounts: AccountsTable,
  cookie: string | null,
  now: Date,
): Promise<ActiveSession | null> {
  const token = parseSessionToken(cookie ?? '');
  const record = token === null ? null : await findSession(accounts, token);
  return token === null || record === null || hasEnded(record, now) ? null : { token, record };
}

/** DynamoDB deletes expired items late, within a few days. */
export function hasEnded({ expiresAt }: SessionRecord, now: Date): boolean {
  return now.getTime() >= expiresAt * 1000;
}

/** Every hour, the function `Session` lets the provider confirm that the user may still sign in. */
const renewalIntervalMs = hourMs;

export function isRenewalDue({ lastRenewedAt }: SessionRecord, now: Date): boolean {
  return now.getTime() >= Date.parse(lastRenewedAt) + renewalIntervalMs;
}

export function invalidSessionError(): GatewayError {
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

/** The clocks of functions differ: a session that `Session` does not renew yet must not be refused elsewhere. */
const toleranceMs = minuteMs;

/**
 * The session of a call to a function that cannot renew sessions. Throws a `GatewayError` (401) without a session, and for
 * one that is due for its renewal.
 */
export async function requireCurrentSession(
  accounts: AccountsTable,
  request: DashboardRequest,
  now: Date,
): Promise<ActiveSession> {
  const session = await findActiveSession(accounts, readSessionCookie(request), now);
  if (session === null) throw invalidSessionError();
  if (!isRenewalDue(session.record, new Date(now.getTime() - toleranceMs))) return session;
  throw new GatewayError('session_renewal_due', {
    message:
      'The session is due for its hourly renewal: call GET /dashboard/api/session, then repeat this call',
  });
}

const cookieName = '__Host-session';
const sameSite = 'Strict';

export function setSessionCookie({ value }: SessionToken): string {
  return setCookie(cookieName, value, { sameSite, maxAgeSeconds: sessionLifetimeSeconds });
}

export function clearSessionCookie(): string {
  return clearCookie(cookieName, sameSite);
}

export function readSessionCookie({ cookies }: DashboardRequest): string | null {
  return cookies.get(cookieName) ?? null;
}

/** The session's record exists, but its tokens cannot be used any more: the record is to be deleted. */
export class SessionEndedError extends Error {
  constructor() {
    super('The session has ended');
    this.name = 'SessionEndedError';
  }
}

/** The user of the session has been deleted. */
export class UserDeletedError extends SessionEndedError {
  constructor() {
    super();
    this.name = 'UserDeletedError';
  }
}
