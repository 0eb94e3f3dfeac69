/** Endpoints whose responses differ from oidc-provider's: discovery and userInfo. */
import type { JsonObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import { subOf } from '../directory/users.ts';
import type { UserPool } from '../user-pool.ts';
import { verifyAccessToken } from './access-token.ts';
import { paths } from './provider.ts';
import { attributeClaims } from './tokens.ts';

export function describeProvider({ settings, signInOrigin }: UserPool): JsonObject {
  return {
    issuer: signInOrigin,
    authorization_endpoint: `${signInOrigin}${paths.authorize}`,
    token_endpoint: `${signInOrigin}${paths.token}`,
    userinfo_endpoint: `${signInOrigin}${paths.userInfo}`,
    revocation_endpoint: `${signInOrigin}${paths.revoke}`,
    end_session_endpoint: `${signInOrigin}/logout`,
    jwks_uri: `${signInOrigin}${paths.jwks}`,
    response_types_supported: ['code'],
    scopes_supported: [...new Set(settings.clients.flatMap(({ scopes }) => scopes))],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  };
}

/** A response to the userInfo endpoint, which takes a bearer token. */
export function describeUserInfo(
  pool: UserPool,
  authorization: string,
): { status: number; body: JsonObject } {
  try {
    const { user, scopes } = verifyAccessToken(pool, /^Bearer (.+)$/i.exec(authorization)?.[1]);
    if (!scopes.includes('openid')) {
      return {
        status: 401,
        body: { error: 'invalid_token', error_description: 'The scope openid is missing' },
      };
    }
    const { email_verified: verified, ...claims } = attributeClaims(user, scopes.join(' '));
    // Unlike the ID token, this endpoint of Cognito returns a string.
    const verification = verified === undefined ? {} : { email_verified: String(verified) };
    return { status: 200, body: { sub: subOf(user), username: user.username, ...claims, ...verification } };
  } catch (error) {
    if (!(error instanceof CognitoError)) throw error;
    return { status: 401, body: { error: 'invalid_token', error_description: error.message } };
  }
}
