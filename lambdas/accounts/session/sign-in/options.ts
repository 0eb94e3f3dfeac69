import { jsonResponse } from '#lambdas/accounts/http/dashboard-response.ts';
import type { PublicHandler } from '../call.ts';
import type { SignInOptions } from '../responses.ts';

/** `GET /dashboard/api/sign-in-options` */
export const showSignInOptions: PublicHandler = async (_request, { settings }) => {
  const { signUp, identityProvider } = settings;
  return jsonResponse<SignInOptions>({
    sign_up: signUp,
    identity_provider: identityProvider && {
      name: identityProvider.name,
      // Any of the domains leads to the provider. The settings require one.
      idp_identifier: identityProvider.domains[0] ?? '',
      domains: identityProvider.domains,
    },
  });
};
