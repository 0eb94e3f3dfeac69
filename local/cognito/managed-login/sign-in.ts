import { assertEnabled, authenticateByPassword, stepAfterPassword } from '../directory/sign-in.ts';
import type { User } from '../directory/state.ts';
import { paths } from '../openid/provider.ts';
import { type Entered, signInPage } from './pages/accounts.ts';
import type { Html } from './pages/html.ts';
import { orShowError, type PageHandler, redirect, show, takeNotice, type Visit } from './visit.ts';

export const showSignIn: PageHandler = (visit) => {
  const { attempt, parameters } = visit;
  const email = attempt.email ?? String(parameters.login_hint ?? '');
  return show(renderSignIn(visit, { email, notice: takeNotice(attempt) }));
};

export const submitSignIn: PageHandler = (visit) => {
  const { pool, client, attempt, field } = visit;
  const email = field('email');
  attempt.email = email;
  return orShowError(
    async () => {
      const user = await authenticateByPassword(pool, client, { email, password: field('password') });
      if (user.status !== 'UNCONFIRMED') return redirect(await continueSignIn(visit, user));
      attempt.unconfirmed = user.username;
      attempt.notice = 'Your account is not confirmed yet. A new code has been mailed to you.';
      pool.codes.send(user, 'sign up');
      return redirect('/confirm');
    },
    ({ message }) => renderSignIn(visit, { email, error: message }),
  );
};

/** Goes on after the password. Returns the URL of the next page. */
export async function continueSignIn(visit: Visit, user: User): Promise<string> {
  assertEnabled(user);
  visit.attempt.authenticated = user.username;
  switch (stepAfterPassword(visit.pool.settings, user)) {
    case 'challenge':
      return '/mfa';
    case 'set up':
      return '/mfa/setup';
    case null:
      return visit.signIn(user);
  }
}

function renderSignIn({ pool, client, parameters }: Visit, entered: Entered & { notice?: string }): Html {
  const { settings } = pool;
  const identityProviders = settings.identityProviders
    .filter(({ name, type }) => type === 'OIDC' && client.identityProviders.includes(name))
    .map((provider) => ({ provider, url: identityProviderUrl(parameters, provider.name) }));
  const passkeys = settings.passkeys !== null && client.authFlows.includes('ALLOW_USER_AUTH');
  return signInPage({ client, identityProviders, passkeys, signUp: settings.selfSignUp }, entered);
}

/** The same authorization request, for a sign-in at the provider. */
function identityProviderUrl({ screen: _, ...parameters }: Visit['parameters'], provider: string): string {
  const query = new URLSearchParams({ identity_provider: provider });
  for (const [name, value] of Object.entries(parameters)) query.append(name, String(value));
  return `${paths.authorize}?${query}`;
}
