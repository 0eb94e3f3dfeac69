/** The first page of the local sign-in: an address is enough. Managed login's own pages are a link away. */
import { signInByAddress } from '../directory/local-sign-in.ts';
import { localSignInPage } from './pages/accounts.ts';
import type { Html } from './pages/html.ts';
import { continueSignIn } from './sign-in.ts';
import { orShowError, type PageHandler, redirect, show, type Visit } from './visit.ts';

export const localSignInPath = '/local';

export const showLocalSignIn: PageHandler = (visit) =>
  show(renderLocalSignIn(visit, { email: String(visit.parameters.login_hint ?? '') }));

export const submitLocalSignIn: PageHandler = (visit) => {
  const { pool, client, field } = visit;
  const email = field('email');
  return orShowError(
    async () => redirect(await continueSignIn(visit, await signInByAddress(pool, client, email))),
    ({ message }) => renderLocalSignIn(visit, { email, error: message }),
  );
};

function renderLocalSignIn({ parameters }: Visit, entered: { email: string; error?: string }): Html {
  const othersUrl = parameters.screen === 'signup' ? '/signup' : '/login';
  return localSignInPage({ action: localSignInPath, othersUrl }, entered);
}
