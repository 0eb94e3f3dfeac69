interface SignInStart {
  /** Path of the dashboard to return to. */
  returnTo?: string;
  screen?: 'sign_up';
  /** Domain of a company's identity provider. */
  identityProvider?: string;
}

/** Returns the address that starts the sign-in: a full navigation, which leads to the sign-in service. */
export function signInUrl({ returnTo, screen, identityProvider }: SignInStart): string {
  const query = new URLSearchParams();
  if (returnTo) query.set('return_to', returnTo);
  if (screen) query.set('screen', screen);
  if (identityProvider) query.set('idp_identifier', identityProvider);
  return `/dashboard/api/sign-in${query.size > 0 ? `?${query}` : ''}`;
}
