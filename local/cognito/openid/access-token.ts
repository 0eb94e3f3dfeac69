/** Checks access tokens, as the user pool API and the userInfo endpoint do. */
import { CognitoError } from '../cognito-error.ts';
import type { User } from '../directory/state.ts';
import type { UserPool } from '../user-pool.ts';

interface VerifiedAccessToken {
  user: User;
  clientId: string;
  scopes: string[];
}

/** Throws `NotAuthorizedException` or `UserNotFoundException`. */
export function verifyAccessToken(pool: UserPool, token: unknown): VerifiedAccessToken {
  const claims = typeof token === 'string' ? pool.signingKey.verify(token) : undefined;
  if (claims?.token_use !== 'access')
    throw new CognitoError('NotAuthorizedException', 'Invalid Access Token');
  if (Number(claims.exp) * 1000 <= pool.now()) {
    throw new CognitoError('NotAuthorizedException', 'Access Token has expired');
  }
  const user = pool.users.findBySub(String(claims.sub));
  if (user === undefined) throw new CognitoError('UserNotFoundException', 'User does not exist.');
  if (!user.enabled) throw new CognitoError('NotAuthorizedException', 'User is disabled.');
  if (!pool.tokens.isGrantActive(String(claims.origin_jti))) {
    throw new CognitoError('NotAuthorizedException', 'Access Token has been revoked');
  }
  return { user, clientId: String(claims.client_id), scopes: String(claims.scope).split(' ') };
}
