import { CognitoError } from '../cognito-error.ts';
import type { ClientSettings } from '../settings/client.ts';
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

export type FirstFactor = 'password' | 'passkey';

/** Returns the next step of a sign-in whose first factor has been verified, and `null` when none is left. */
export function nextFactor(
  pool: UserPool,
  user: User,
  firstFactor: FirstFactor,
): 'challenge' | 'set up' | null {
  const { mfa, passkeys } = pool.settings;
  const passkeysSatisfyMfa = passkeys?.satisfiesMfa === true;
  if (mfa === 'OFF' || (firstFactor === 'passkey' && passkeysSatisfyMfa)) return null;
  if (usesTotp(pool.settings, user)) return 'challenge';
  if (mfa === 'OPTIONAL') return null;
  return passkeysSatisfyMfa && user.passkeys.length > 0 ? 'challenge' : 'set up';
}
