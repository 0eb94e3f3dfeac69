import type { Identity } from '#lambdas/accounts/identity.ts';
import { type ActiveSession, sessionLifetimeSeconds } from '#lambdas/accounts/sessions/active-session.ts';
import { type ProviderTokens, sealTokens } from '#lambdas/accounts/sessions/sealed-tokens.ts';
import { createSessionToken } from '#lambdas/accounts/sessions/token.ts';
import type { SessionServices } from '../services.ts';

export interface NewSession {
  identity: Identity;
  tokens: ProviderTokens;
  userAgent: string | undefined;
}

/** Browsers send about 120 characters. */
const maxUserAgentLength = 256;

export async function createSession(
  { sessions, profiles, now }: Pick<SessionServices, 'sessions' | 'profiles' | 'now'>,
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
  await profiles.save(identity);
  await sessions.create(record);
  return { token, record };
}
