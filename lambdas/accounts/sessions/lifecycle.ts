import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { errorFields } from '#lambdas/platform/telemetry/log.ts';
import type { AccountsTable } from '../accounts-table.ts';
import type { Identity } from '../identity.ts';
import { saveProfile } from '../members/profiles.ts';
import type { SignInDependencies } from '../sign-in/call.ts';
import { type ActiveSession, sessionLifetimeSeconds } from './active-session.ts';
import { deleteSession, insertSession, keyOf, listSessionsOfUser } from './store.ts';
import { createSessionToken, type ProviderTokens, sealTokens } from './token.ts';

interface NewSession {
  identity: Identity;
  tokens: ProviderTokens;
  userAgent: string | undefined;
}

/** Browsers send about 120 characters. */
const maxUserAgentLength = 256;

export async function createSession(
  { accounts, now }: Pick<SignInDependencies, 'accounts' | 'now'>,
  { identity, tokens, userAgent }: NewSession,
): Promise<ActiveSession> {
  const token = createSessionToken(identity.id);
  const nowMs = now().getTime();
  const signedInAt = new Date(nowMs).toISOString();
  const record = {
    hash: token.hash,
    identity,
    pendingEmail: null,
    userAgent: userAgent?.slice(0, maxUserAgentLength) ?? null,
    signedInAt,
    lastRenewedAt: signedInAt,
    expiresAt: Math.floor(nowMs / 1000) + sessionLifetimeSeconds,
    leaseUntilMs: 0,
    sealedTokens: sealTokens(tokens, token),
  };
  await saveProfile(accounts, identity);
  await insertSession(accounts, record);
  return { token, record };
}

/** Logs a failure instead of throwing: without its session, nobody can read the refresh token any more. */
export async function revokeTokens(
  { loadProvider, log }: Pick<SignInDependencies, 'loadProvider' | 'log'>,
  { refreshToken }: ProviderTokens,
): Promise<void> {
  try {
    await (await loadProvider()).revoke(refreshToken);
  } catch (error) {
    log.error('token_revocation_failed', errorFields(error));
  }
}

/** Their requests are refused from now on, also while they are being renewed. */
export async function endOtherSessions(accounts: AccountsTable, { token }: ActiveSession): Promise<void> {
  const records = await listSessionsOfUser(accounts, token.userId);
  const others = records.filter(({ hash }) => hash !== token.hash);
  await forEachConcurrently(others, 10, (record) => deleteSession(accounts, keyOf(record)));
}
