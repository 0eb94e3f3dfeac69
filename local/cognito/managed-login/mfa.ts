/** The second factor, and passkeys. */
import { CognitoError } from '../cognito-error.ts';
import {
  authenticateByPasskey,
  createAuthenticationOptions,
  createRegistrationOptions,
  registerPasskey,
} from '../directory/passkeys.ts';
import { nextFactor } from '../directory/sign-in.ts';
import type { User } from '../directory/state.ts';
import { associateTotp, totpUri, usesTotp, verifyNewTotp, verifyTotp } from '../directory/totp.ts';
import type { UserPool } from '../user-pool.ts';
import { mfaPage, mfaSetUpPage } from './pages/factors.ts';
import type { Html } from './pages/html.ts';
import { continueSignIn } from './sign-in.ts';
import { orShowError, type PageHandler, redirect, show, type Visit } from './visit.ts';

const codeMismatch =
  'Invalid code. Check the time of this device, and enter the code that the app shows now.';

export const showMfa: PageHandler = (visit) => {
  const user = userAtStep(visit, 'challenge');
  return user === undefined ? redirect('/login') : show(renderMfa(visit.pool, user));
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
    ({ message }) => renderMfa(pool, user, message),
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

export const createSetUpOptions: PageHandler = async (visit) => {
  const body = await createRegistrationOptions(visit.pool, requireUserAtSetUp(visit));
  visit.attempt.challenge = body.challenge;
  return { kind: 'json', body };
};

/** The new passkey has verified the user, who is signed in. */
export const submitSetUpPasskey: PageHandler = async (visit) => {
  const { pool, attempt, body } = visit;
  const { challenge } = attempt;
  attempt.challenge = undefined;
  const user = requireUserAtSetUp(visit);
  await registerPasskey(pool, user, { response: body, challenge });
  return { kind: 'json', body: { location: await visit.signIn(user) } };
};

export const createSignInOptions: PageHandler = async ({ pool, attempt }) => {
  const body = await createAuthenticationOptions(pool);
  attempt.challenge = body.challenge;
  return { kind: 'json', body };
};

export const submitSignInPasskey: PageHandler = async (visit) => {
  const { pool, attempt, client, body } = visit;
  const { challenge } = attempt;
  attempt.challenge = undefined;
  const user = await authenticateByPasskey(pool, { response: body, challenge });
  await pool.triggers.preAuthentication(user, client.id);
  return { kind: 'json', body: { location: await continueSignIn(visit, user, 'passkey') } };
};

function userAtStep({ pool, attempt }: Visit, step: 'challenge' | 'set up'): User | undefined {
  if (attempt.authenticated === undefined) return undefined;
  const { username, firstFactor } = attempt.authenticated;
  const user = pool.users.find(username);
  return user !== undefined && nextFactor(pool, user, firstFactor) === step ? user : undefined;
}

function requireUserAtSetUp(visit: Visit): User {
  const user = visit.pool.settings.passkeys?.satisfiesMfa ? userAtStep(visit, 'set up') : undefined;
  if (user === undefined)
    throw new CognitoError('NotAuthorizedException', 'Sign in again to create a passkey.');
  return user;
}

function renderMfa({ settings }: UserPool, user: User, error?: string): Html {
  const passkey = settings.passkeys?.satisfiesMfa === true && user.passkeys.length > 0;
  return mfaPage({ totp: usesTotp(settings, user), passkey }, error);
}

function renderMfaSetUp({ settings, users }: UserPool, user: User, error?: string): Html {
  const secret = user.new_totp_secret ?? associateTotp(users, user);
  const totp = settings.totp ? { secret, uri: totpUri(user, secret) } : null;
  return mfaSetUpPage({ totp, passkey: settings.passkeys?.satisfiesMfa === true }, error);
}
