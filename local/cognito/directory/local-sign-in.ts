import { randomUUID } from 'node:crypto';
import type { ClientSettings } from '../settings/client.ts';
import type { UserPool } from '../user-pool.ts';
import { assertEnabled } from './sign-in.ts';
import { assertEmail, assertSignUpAllowed, confirmUser } from './sign-up.ts';
import type { User } from './state.ts';

/**
 * Finds the account of the address without a password or a code, which prove nothing on one's own machine. The first time,
 * the account is created. Throws a `CognitoError` when Cognito would refuse the sign-up or the sign-in.
 */
export async function signInByAddress(
  pool: UserPool,
  { id: clientId }: ClientSettings,
  email: string,
): Promise<User> {
  const existing = pool.users.findByEmail(email);
  if (existing === undefined) return createAccount(pool, clientId, email);
  await pool.triggers.preAuthentication(existing, clientId);
  assertEnabled(existing);
  if (existing.status === 'UNCONFIRMED') await confirmUser(pool, existing);
  return existing;
}

async function createAccount(pool: UserPool, clientId: string, email: string): Promise<User> {
  assertSignUpAllowed(pool);
  assertEmail(email);
  const username = randomUUID();
  const attributes = { email, name: nameIn(email) };
  await pool.triggers.preSignUp('PreSignUp_SignUp', { username, attributes }, clientId);
  const user = pool.users.create({
    username,
    attributes: { sub: username, ...attributes, email_verified: 'true' },
    status: 'CONFIRMED',
    password: undefined,
  });
  await pool.announceSignUp(user);
  return user;
}

/** Returns "Ada Lovelace" for `ada.lovelace+test@example.com`. */
function nameIn(email: string): string {
  const [local = ''] = email.split('@');
  const [name = ''] = local.split('+');
  const words = name.split(/[._-]+/).filter((word) => word !== '');
  const capitalized = words.map(([first = '', ...rest]) => first.toUpperCase() + rest.join(''));
  return capitalized.join(' ') || email;
}
