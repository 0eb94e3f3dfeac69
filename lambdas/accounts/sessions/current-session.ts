import { GatewayError } from '#lambdas/platform/errors.ts';
import type { DashboardRequest } from '../http/dashboard-request.ts';
import { type ActiveSession, findSession, invalidSession, isRenewalDue } from './active-session.ts';
import { readSessionCookie } from './cookie.ts';
import type { SessionStore } from './store.ts';

/** The clocks of functions differ: a session that `Session` does not renew yet must not be refused elsewhere. */
const toleranceMs = 60_000;

/**
 * The session of a call to a function that cannot renew sessions. Throws a `GatewayError` (401) without a session, and for
 * one that is due for its renewal.
 */
export async function requireCurrentSession(
  sessions: Pick<SessionStore, 'find'>,
  request: DashboardRequest,
  now: Date,
): Promise<ActiveSession> {
  const session = await findSession(sessions, readSessionCookie(request), now);
  if (session === null) throw invalidSession();
  if (!isRenewalDue(session.record, new Date(now.getTime() - toleranceMs))) return session;
  throw new GatewayError('session_renewal_due', {
    message:
      'The session is due for its hourly renewal: call GET /dashboard/api/session, then repeat this call',
  });
}
