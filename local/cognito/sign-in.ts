/** Managed login and the OpenID provider. */
import type { RequestListener } from 'node:http';
import { createSignInAttempts } from './managed-login/attempts.ts';
import { createSignInUrl } from './managed-login/company-sign-in.ts';
import { respondWithPage } from './managed-login/http-context.ts';
import { errorPage } from './managed-login/pages/error.ts';
import { serveManagedLogin } from './managed-login/routes.ts';
import { createFederation } from './openid/federation.ts';
import { createOpenIdProvider, paths } from './openid/provider.ts';
import type { UserPool } from './user-pool.ts';

export function createSignInListener(
  pool: UserPool,
  identityProviderSecret: string | undefined,
): RequestListener {
  const attempts = createSignInAttempts();
  const federation = createFederation({
    redirectUri: `${pool.signInOrigin}${paths.identityProviderResponse}`,
    clientSecret: identityProviderSecret,
  });
  const provider = createOpenIdProvider(pool, {
    signInUrl: createSignInUrl({ pool, federation, attempts }),
    renderError: (ctx, { error, error_description: description }) => {
      const code = error === 'invalid_redirect_uri' ? 'redirect_mismatch' : error;
      respondWithPage(ctx, errorPage({ code, message: description ?? error }), ctx.status);
    },
  });
  serveManagedLogin({ pool, provider, federation, attempts });
  return provider.callback();
}
