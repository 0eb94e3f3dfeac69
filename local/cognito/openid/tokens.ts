/** Claims of the tokens. https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-tokens-with-identity-providers.html */
import { hash, randomUUID } from 'node:crypto';
import type { JsonObject } from '#local/untyped-json.ts';
import { parseJson } from '#local/untyped-json.ts';
import type { User } from '../directory/state.ts';
import { subOf } from '../directory/users.ts';
import type { ClientSettings } from '../settings/client.ts';
import type { SigningKey } from './signing-key.ts';

interface TokenSubject {
  user: User;
  client: ClientSettings;
  issuer: string;
  scope: string;
  /** Becomes `origin_jti`: all tokens of one sign-in have it in common. */
  grantId: string;
  /** The time of the sign-in, in seconds since 1970. */
  authenticatedAt: number;
  nonce: string | undefined;
}

export function signTokens(
  { user, client, issuer, scope, grantId, authenticatedAt, nonce }: TokenSubject,
  key: SigningKey,
  now: () => number,
): { accessToken: string; idToken: string } {
  const issuedAt = Math.floor(now() / 1000);
  const common = {
    sub: subOf(user),
    iss: issuer,
    origin_jti: grantId,
    event_id: randomUUID(),
    auth_time: authenticatedAt,
    iat: issuedAt,
  };
  const accessToken = key.sign({
    ...common,
    token_use: 'access',
    client_id: client.id,
    username: user.username,
    version: 2,
    scope,
    jti: randomUUID(),
    exp: issuedAt + client.accessTokenSeconds,
  });
  const idToken = key.sign({
    ...attributeClaims(user, scope),
    ...common,
    token_use: 'id',
    aud: client.id,
    'cognito:username': user.username,
    at_hash: accessTokenHash(accessToken),
    ...(nonce !== undefined && { nonce }),
    jti: randomUUID(),
    exp: issuedAt + client.idTokenSeconds,
  });
  return { accessToken, idToken };
}

/** The scope `openid` alone gives all attributes; with other scopes, they choose. */
export function attributeClaims({ attributes }: User, scope: string): JsonObject {
  const scopes = scope.split(' ');
  const { email, email_verified, name, identities } = attributes;
  const all = !scopes.some((granted) => ['email', 'phone', 'profile'].includes(granted));
  return {
    ...((all || scopes.includes('email')) && { email, email_verified: email_verified === 'true' }),
    ...((all || scopes.includes('profile')) && name !== undefined && { name }),
    ...(identities !== undefined && { identities: parseJson(identities) }),
  };
}

/** https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken */
function accessTokenHash(accessToken: string): string {
  return hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');
}
