/** The second factor: codes of an authenticator app. */
import { CognitoError } from '../cognito-error.ts';
import { stepAfterPassword } from '../directory/sign-in.ts';
import type { User } from '../directory/state.ts';
import { associateTotp, totpUri, verifyNewTotp, verifyTotp } from '../directory/totp.ts';
import type { UserPool } from '../user-pool.ts';
import { mfaPage, mfaSetUpPage } from './pages/factors.ts';
import type { Html } from './pages/html.ts';
import { orShowError, type PageHandler, redirect, show, type Visit } from './visit.ts';

const codeMismatch =
  'Invalid code. Check the time of this device, and enter the code that the app shows now.';

export const showMfa: PageHandler = (visit) => {
  const user = userAtStep(visit, 'challenge');
  return user === undefined ? redirect('/login') : show(mfaPage());
};

export const submitMfa: PageHandler = (visit) => {
  const { pool, field } = visit;
  const user = userAtStep(visit, 'challenge');
  if (user === undefined) return redirect('/login');
  return orShowError(
    async () => {
      if (!verifyTotp(pool.users, user, { code: field('code'), now: pool.now() })) {
        throw new CognitoError('CodeMismatchException', codeMismatch);
      }
      return redirect(await visit.signIn(user));
    },
    ({ message }) => mfaPage(message),
  );
};

export const showMfaSetUp: PageHandler = (visit) => {
  const user = userAtStep(visit, 'set up');
  return user === undefined ? redirect('/login') : show(renderMfaSetUp(visit.pool, user));
};

export const submitMfaSetUp: PageHandler = (visit) => {
  const { pool, field } = visit;
  const user = userAtStep(visit, 'set up');
  if (user === undefined) return redirect('/login');
  return orShowError(
    async () => {
      if (!verifyNewTotp(pool.users, user, { code: field('code'), now: pool.now() })) {
        throw new CognitoError('CodeMismatchException', codeMismatch);
      }
      if (user.totp !== undefined) pool.users.update(user, { totp: { ...user.totp, enabled: true } });
      return redirect(await visit.signIn(user));
    },
    ({ message }) => renderMfaSetUp(pool, user, message),
  );
};

function userAtStep({ pool, attempt }: Visit, step: 'challenge' | 'set up'): User | undefined {
  const user = attempt.authenticated === undefined ? undefined : pool.users.find(attempt.authenticated);
  return user !== undefined && stepAfterPassword(pool.settings, user) === step ? user : undefined;
}

function renderMfaSetUp({ users }: UserPool, user: User, error?: string): Html {
  const secret = user.new_totp_secret ?? associateTotp(users, user);
  return mfaSetUpPage({ secret, uri: totpUri(user, secret) }, error);
}
