import { CognitoError } from '../cognito-error.ts';
import type { ClientSettings } from '../settings/client.ts';
import type { UserPoolSettings } from '../settings/user-pool.ts';
import type { UserPool } from '../user-pool.ts';
import { matchesPassword } from './passwords.ts';
import type { User } from './state.ts';
import { usesTotp } from './totp.ts';

/** The user may still have to confirm the sign-up. Throws a `CognitoError` when the sign-in is refused. */
export async function authenticateByPassword(
  pool: UserPool,
  client: ClientSettings,
  { email, password }: { email: string; password: string },
): Promise<User> {
  const user = pool.users.findByEmail(email);
  const mismatch = new CognitoError('NotAuthorizedException', 'Incorrect username or password.');
  if (user === undefined) {
    throw client.hidesUserExistence
      ? mismatch
      : new CognitoError('UserNotFoundException', 'User does not exist.');
  }
  await pool.triggers.preAuthentication(user, client.id);
  if (user.password === undefined || !matchesPassword(password, user.password)) throw mismatch;
  assertEnabled(user);
  return user;
}

export function assertEnabled({ enabled }: User): void {
  if (!enabled) throw new CognitoError('NotAuthorizedException', 'User is disabled.');
}

/** Returns what is left to do after the password, and `null` when nothing is. */
export function stepAfterPassword(settings: UserPoolSettings, user: User): 'challenge' | 'set up' | null {
  if (usesTotp(settings, user)) return 'challenge';
  return settings.mfa === 'ON' ? 'set up' : null;
}

/** Throws `NotAuthorizedException` when the user needs a second factor, and a passkey alone does not count as two. */
export function assertPasskeySuffices(settings: UserPoolSettings, user: User): void {
  if (stepAfterPassword(settings, user) === null) return;
  if (settings.passkeys?.satisfiesMfa && user.passkey_mfa) return;
  throw new CognitoError(
    'NotAuthorizedException',
    'Password Challenge is Required to SignIn. Sign in with your password.',
  );
}
