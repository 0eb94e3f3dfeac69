/** Decides which authorization requests lead to a sign-in, although the browser may have a session of managed login. */

import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { hourSeconds } from '#lambdas/platform/duration.ts';
import { identityProviderOf } from '../directory/users.ts';
import { findClient, findIdentityProvider, type UserPool } from '../user-pool.ts';

/** Managed login remembers a sign-in for an hour, however often it is resumed. */
export const sessionSeconds = hourSeconds;

/** Without consent, for which Cognito asks nobody. */
export function createSignInPolicy(pool: UserPool): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy;
  const session = new Check(
    'session',
    'the request needs a sign-in',
    ({ oidc }) => oidc.result?.login === undefined && !resumesSession(pool, oidc),
  );
  // The library adds a check of `prompt=login`.
  return [new Prompt({ name: 'login', requestable: true }, session)];
}

function resumesSession(
  pool: UserPool,
  { session, client, params = {} }: KoaContextWithOIDC['oidc'],
): boolean {
  const user = pool.users.findBySub(session?.accountId ?? '');
  if (session?.loginTs === undefined || user === undefined) return false;
  const ageSeconds = Math.floor(pool.now() / 1000) - session.loginTs;
  if (ageSeconds >= sessionSeconds || ageSeconds > Number(params.max_age ?? sessionSeconds)) return false;
  // Requests to `/login` and `/signup` show their page.
  if (params.screen !== undefined) return false;
  const named = findIdentityProvider(pool, findClient(pool, client?.clientId ?? ''), params);
  const provider = named?.name ?? params.identity_provider;
  return provider === undefined || provider === identityProviderOf(user);
}
