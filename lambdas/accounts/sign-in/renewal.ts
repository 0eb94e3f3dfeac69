/**
 * Renews a session every hour: the provider confirms that the user may still sign in, and issues new tokens.
 *
 * One of several concurrent requests takes a short lease and renews; the others wait for its result. If it does not
 * finish, because its function was stopped, another one takes over. It sends the same refresh token again, which Cognito
 * accepts for 60 seconds after the rotation.
 */

import { GatewayError } from '#lambdas/platform/errors.ts';
import { errorFields } from '#lambdas/platform/telemetry/log.ts';
import { IdentityRefusedError, identityOf } from '../identity.ts';
import { saveProfile } from '../members/profiles.ts';
import {
  type ActiveSession,
  hasEnded,
  isRenewalDue,
  SessionEndedError,
  tokensOf,
} from '../sessions/active-session.ts';
import {
  acquireRenewalLease,
  deleteSessionUnlessRenewed,
  findSession,
  keyOf,
  releaseRenewalLease,
  renewSession,
  type SessionRecord,
} from '../sessions/store.ts';
import { sealTokens } from '../sessions/token.ts';
import type { SignInDependencies } from './call.ts';
import { GrantRefusedError } from './provider.ts';

/** Less than the period in which the old refresh token is valid, so that another request can take over. */
export const leaseMs = 10_000;

const pollIntervalMs = 100;

/** More than the lease. With the time of an own attempt, less than the function's timeout. */
const maxWaitMs = 12_000;

/**
 * Returns the session with current tokens, or `null` if it has ended. Throws a `GatewayError` (503) when the provider is
 * unavailable; the session then remains.
 */
export async function renewIfDue(
  dependencies: SignInDependencies,
  { token, record: firstRecord }: ActiveSession,
): Promise<ActiveSession | null> {
  const { accounts, now, wait } = dependencies;
  const deadlineMs = now().getTime() + maxWaitMs;
  let record: SessionRecord | null = firstRecord;
  while (record !== null && !hasEnded(record, now())) {
    if (!isRenewalDue(record, now())) return { token, record };
    const nowMs = now().getTime();
    const untilMs = nowMs + leaseMs;
    if (await acquireRenewalLease(accounts, record, { nowMs, untilMs })) {
      await renewUnderLease(dependencies, { token, record }, untilMs);
    } else {
      if (nowMs >= deadlineMs) throw providerUnavailableError();
      await wait(pollIntervalMs);
    }
    record = await findSession(accounts, keyOf(record));
  }
  return null;
}

/** Stores the renewed session, or deletes the session if it cannot be renewed. */
async function renewUnderLease(
  dependencies: SignInDependencies,
  session: ActiveSession,
  leaseUntilMs: number,
): Promise<void> {
  const { accounts, log } = dependencies;
  try {
    const renewal = await requestRenewal(dependencies, session);
    // First, since the provider does not repeat the new refresh token.
    const isRenewed = await renewSession(accounts, session.record, renewal);
    // Otherwise the session has ended, perhaps with the account, or another request has renewed it.
    if (isRenewed) await saveProfile(accounts, renewal.identity);
  } catch (error) {
    const refusal = refusalCode(error);
    if (refusal === null) {
      log.error('session_renewal_failed', errorFields(error));
      await releaseRenewalLease(accounts, session.record, leaseUntilMs);
      throw providerUnavailableError();
    }
    log.info('session_renewal_refused', { code: refusal });
    await deleteSessionUnlessRenewed(accounts, session.record);
  }
}

async function requestRenewal({ loadProvider, settings, now }: SignInDependencies, session: ActiveSession) {
  const { refreshToken } = tokensOf(session);
  const provider = await loadProvider();
  const { tokens, claims } = await provider.refresh(refreshToken);
  const identity = identityOf(claims, settings.identityProvider);
  if (identity.id !== session.token.userId) throw new GrantRefusedError('other_user');
  return { identity, sealedTokens: sealTokens(tokens, session.token), renewedAt: now().toISOString() };
}

function refusalCode(error: unknown): string | null {
  if (error instanceof GrantRefusedError) return error.code;
  if (error instanceof IdentityRefusedError) return error.refusal;
  if (error instanceof SessionEndedError) return 'unreadable_tokens';
  return null;
}

function providerUnavailableError(): GatewayError {
  return new GatewayError('service_unavailable', {
    message: 'The sign-in service is unavailable at the moment: send the request again',
    headers: { 'retry-after': '1' },
  });
}
