/** The users and tokens of a fake user pool, shared by its OpenID provider and its API. */
import { randomBytes, randomUUID } from 'node:crypto';

export interface FakeUser {
  sub: string;
  email: string;
  isEmailVerified: boolean;
  name?: string;
  /** Set for users of an identity provider. */
  providerName?: string;
  isEnabled: boolean;
  pendingEmail?: string;
  isTotpEnabled: boolean;
  /** Whether a passkey satisfies multi-factor authentication. */
  isPasskeyMfaEnabled: boolean;
  passkeys: { CredentialId: string; FriendlyCredentialName: string; CreatedAt: number }[];
}

interface Grant {
  sub: string;
  isRevoked: boolean;
}

interface RefreshToken {
  grant: Grant;
  /** When the token was exchanged for the next one. */
  rotatedAtMs: number | null;
}

export interface FakePoolState {
  users: Map<string, FakeUser>;
  addUser(user: Partial<FakeUser> & { email: string }): FakeUser;
  issueTokens(grant: Grant): { access_token: string; refresh_token: string };
  /** Returns `null` for a token that the pool refuses. */
  redeemRefreshToken(token: string): { grant: Grant; user: FakeUser } | null;
  userOfAccessToken(token: string): FakeUser | 'unknown' | 'deleted';
  revokeRefreshToken(token: string): void;
  revokeAll(sub: string): void;
}

/** Cognito accepts a refresh token for this long after its rotation. */
const gracePeriodMs = 60_000;

export function createFakePoolState(now: () => Date): FakePoolState {
  const users = new Map<string, FakeUser>();
  const refreshTokens = new Map<string, RefreshToken>();
  const accessTokens = new Map<string, Grant>();
  const grants: Grant[] = [];
  const isUsable = ({ sub, isRevoked }: Grant) => !isRevoked && users.get(sub)?.isEnabled === true;
  return {
    users,
    addUser(fields) {
      const user = {
        sub: randomUUID(),
        isEmailVerified: true,
        isEnabled: true,
        isTotpEnabled: false,
        isPasskeyMfaEnabled: false,
        passkeys: [],
        ...fields,
      };
      users.set(user.sub, user);
      return user;
    },
    issueTokens(grant) {
      const access_token = `access-${randomBytes(16).toString('hex')}`;
      const refresh_token = `refresh-${randomBytes(16).toString('hex')}`;
      accessTokens.set(access_token, grant);
      refreshTokens.set(refresh_token, { grant, rotatedAtMs: null });
      grants.push(grant);
      return { access_token, refresh_token };
    },
    redeemRefreshToken(token) {
      const stored = refreshTokens.get(token);
      const user = users.get(stored?.grant.sub ?? '');
      if (stored === undefined || user === undefined || !isUsable(stored.grant)) return null;
      const nowMs = now().getTime();
      if (stored.rotatedAtMs !== null && nowMs >= stored.rotatedAtMs + gracePeriodMs) return null;
      stored.rotatedAtMs ??= nowMs;
      return { grant: stored.grant, user };
    },
    userOfAccessToken(token) {
      const grant = accessTokens.get(token);
      if (grant === undefined) return 'unknown';
      const user = users.get(grant.sub);
      if (user === undefined) return 'deleted';
      return isUsable(grant) ? user : 'unknown';
    },
    revokeRefreshToken(token) {
      const stored = refreshTokens.get(token);
      if (stored !== undefined) stored.grant.isRevoked = true;
    },
    revokeAll(sub) {
      for (const grant of grants) if (grant.sub === sub) grant.isRevoked = true;
    },
  };
}
