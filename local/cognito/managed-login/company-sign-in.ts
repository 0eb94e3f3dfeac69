/** Managed login's part in a sign-in at a company's identity provider. */
import { errors } from 'oidc-provider';
import { CognitoError } from '../cognito-error.ts';
import { signInFederatedUser } from '../directory/federated-users.ts';
import { type Federation, FederationError } from '../openid/federation.ts';
import type { SignInUrl } from '../openid/provider.ts';
import { findClient, findIdentityProvider, type UserPool } from '../user-pool.ts';
import type { SignInAttempts } from './attempts.ts';
import { localSignInPath } from './local-sign-in.ts';
import { errorPage } from './pages/error.ts';
import { type PageHandler, redirect } from './visit.ts';

/** Authorization requests that name an identity provider go there; others see a page. */
export function createSignInUrl(options: {
  pool: UserPool;
  federation: Federation;
  attempts: SignInAttempts;
}): SignInUrl {
  const { pool, federation, attempts } = options;
  return async (_, { uid, params }) => {
    const client = findClient(pool, String(params.client_id));
    const provider = findIdentityProvider(pool, client, params);
    if (provider === undefined)
      return client.identityProviders.includes('COGNITO') ? localSignInPath : '/login';
    try {
      const asksAgain = params.prompt === 'login';
      const { url, request } = await federation.begin(provider, { asksAgain });
      attempts.get(uid).federation = request;
      return url;
    } catch (error) {
      if (error instanceof FederationError) throw new errors.InvalidRequest(error.message);
      throw error;
    }
  };
}

/** Refusals of the provider and the trigger go to the client, as at Cognito. */
export const receiveIdentityProviderResponse: PageHandler = async (visit) => {
  const { pool, client, attempt, federation, url } = visit;
  const { federation: request } = attempt;
  if (request === undefined) {
    const message =
      'No sign-in at an identity provider is in progress. Go back to the app and sign in again.';
    return { kind: 'page', page: errorPage({ code: 'invalid_request', message }), status: 400 };
  }
  attempt.federation = undefined;
  try {
    const claims = await federation.complete(url, request);
    const user = await signInFederatedUser(pool, request.provider, { claims, clientId: client.id });
    return redirect(await visit.signIn(user));
  } catch (error) {
    if (!(error instanceof CognitoError || error instanceof FederationError)) throw error;
    return redirect(await visit.refuse({ code: 'invalid_request', description: error.message }));
  }
};
