import type { Identity } from '#lambdas/accounts/identity.ts';
import type { SessionServices } from '../services.ts';
import { type ActiveSession, sessionLifetimeSeconds } from './active-session.ts';
import { type ProviderTokens, sealTokens } from './sealed-tokens.ts';
import { createSessionToken } from './session-token.ts';

export interface NewSession {
  identity: Identity;
  tokens: ProviderTokens;
  userAgent: string | undefined;
}

/** Browsers send about 120 characters. */
const maxUserAgentLength = 256;

export async function createSession(
  { sessions, now }: Pick<SessionServices, 'sessions' | 'now'>,
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
  await sessions.create(record);
  return { token, record };
}
