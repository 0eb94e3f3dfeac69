import { randomUUID } from 'node:crypto';
import { CognitoError } from '../cognito-error.ts';
import type { UserPool } from '../user-pool.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import type { User } from './state.ts';

/** Creates an account and mails a code to its address. Throws a `CognitoError` when the sign-up is refused. */
export async function signUp(
  pool: UserPool,
  request: { email: string; name: string; password: string },
  clientId: string,
): Promise<User> {
  const { triggers, users, codes } = pool;
  const { email, name, password } = request;
  assertSignUpAllowed(pool);
  assertEmail(email);
  assertPassword(pool, password);
  const username = randomUUID();
  const attributes = { email, ...(name !== '' && { name }) };
  await triggers.preSignUp('PreSignUp_SignUp', { username, attributes }, clientId);
  assertUnusedEmail(pool, email, 'UsernameExistsException');
  const user = users.create({
    username,
    attributes: { sub: username, ...attributes, email_verified: 'false' },
    status: 'UNCONFIRMED',
    password: hashPassword(password),
  });
  codes.send(user, 'sign up');
  return user;
}

export async function confirmSignUp(pool: UserPool, user: User, code: string): Promise<void> {
  pool.codes.verify(user, 'sign up', code);
  await confirmUser(pool, user);
}

export async function confirmUser(pool: UserPool, user: User): Promise<void> {
  pool.users.update(user, {
    status: 'CONFIRMED',
    attributes: { ...user.attributes, email_verified: 'true' },
  });
  await pool.announceSignUp(user);
}

/** Throws a `CognitoError` for a wrong code or a password that breaks the policy. */
export function resetPassword(pool: UserPool, user: User, request: { code: string; password: string }): void {
  assertPassword(pool, request.password);
  pool.codes.verify(user, 'password', request.code);
  pool.users.update(user, { password: hashPassword(request.password) });
}

export function assertSignUpAllowed({ settings }: UserPool): void {
  if (settings.selfSignUp) return;
  throw new CognitoError('NotAuthorizedException', 'SignUp is not permitted for this user pool');
}

export function assertEmail(email: string): void {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return;
  throw new CognitoError('InvalidParameterException', 'Invalid email address format.');
}

export function assertUnusedEmail(
  { users }: UserPool,
  email: string,
  type: 'UsernameExistsException' | 'AliasExistsException',
): void {
  if (users.findByEmail(email) === undefined) return;
  throw new CognitoError(type, 'An account with the given email already exists.');
}

function assertPassword({ settings }: UserPool, password: string): void {
  const broken = checkPassword(password, settings.password).find(({ followed }) => !followed);
  if (broken === undefined) return;
  throw new CognitoError(
    'InvalidPasswordException',
    `Password did not conform with policy: ${broken.violation}`,
  );
}
