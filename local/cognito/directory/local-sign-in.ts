import { randomUUID } from 'node:crypto';
import { CognitoError } from '../cognito-error.ts';
import type { ClientSettings } from '../settings/client.ts';
import type { UserPool } from '../user-pool.ts';
import { assertEnabled } from './sign-in.ts';
import { assertEmail } from './sign-up.ts';
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
  if (existing.status === 'UNCONFIRMED') {
    const attributes = { ...existing.attributes, email_verified: 'true' };
    pool.users.update(existing, { status: 'CONFIRMED', attributes });
    await pool.announceSignUp(existing);
  }
  return existing;
}

async function createAccount(
  { settings, triggers, users, announceSignUp }: UserPool,
  clientId: string,
  email: string,
): Promise<User> {
  if (!settings.selfSignUp) {
    throw new CognitoError('NotAuthorizedException', 'SignUp is not permitted for this user pool');
  }
  assertEmail(email);
  const username = randomUUID();
  const attributes = { email, name: nameIn(email) };
  await triggers.preSignUp('PreSignUp_SignUp', { username, attributes }, clientId);
  const user = users.create({
    username,
    attributes: { sub: username, ...attributes, email_verified: 'true' },
    status: 'CONFIRMED',
    password: undefined,
  });
  await announceSignUp(user);
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
