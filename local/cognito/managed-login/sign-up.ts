import type { CognitoError } from '../cognito-error.ts';
import { checkPassword } from '../directory/passwords.ts';
import { confirmSignUp, signUp } from '../directory/sign-up.ts';
import type { User } from '../directory/state.ts';
import { emailOf } from '../directory/users.ts';
import { confirmationPage, type ShownRule, signUpPage } from './pages/accounts.ts';
import { continueSignIn } from './sign-in.ts';
import { orShowError, type PageHandler, redirect, show, takeNotice, type Visit } from './visit.ts';

export const showSignUp: PageHandler = (visit) => {
  if (!visit.pool.settings.selfSignUp) return redirect('/login');
  return show(signUpPage(passwordRules(visit), { email: String(visit.parameters.login_hint ?? '') }));
};

export const submitSignUp: PageHandler = (visit) => {
  const { pool, client, attempt, field } = visit;
  const [email, name] = [field('email'), field('name')];
  return orShowError(
    async () => {
      const user = await signUp(pool, { email, name, password: field('password') }, client.id);
      attempt.email = email;
      attempt.unconfirmed = user.username;
      return redirect('/confirm');
    },
    ({ message, type }) =>
      signUpPage(passwordRules(visit), { email, name, error: message, invalidField: invalidFieldOf(type) }),
  );
};

export const showConfirmation: PageHandler = ({ pool, attempt }) => {
  const user = unconfirmedUser(pool, attempt);
  if (user === undefined) return redirect('/login');
  return show(confirmationPage(emailOf(user), { notice: takeNotice(attempt) }));
};

/** Signs the person in, who has entered the password before. */
export const submitConfirmation: PageHandler = (visit) => {
  const { pool, attempt, field } = visit;
  const user = unconfirmedUser(pool, attempt);
  if (user === undefined) return redirect('/login');
  return orShowError(
    async () => {
      await confirmSignUp(pool, user, field('code'));
      attempt.unconfirmed = undefined;
      return redirect(await continueSignIn(visit, user));
    },
    ({ message }) => confirmationPage(emailOf(user), { error: message }),
  );
};

export const resendCode: PageHandler = ({ pool, attempt }) => {
  const user = unconfirmedUser(pool, attempt);
  if (user === undefined) return redirect('/login');
  pool.codes.send(user, 'sign up');
  attempt.notice = 'A new code has been mailed to you. Earlier ones are no longer valid.';
  return redirect('/confirm');
};

function unconfirmedUser({ users }: Visit['pool'], { unconfirmed }: Visit['attempt']): User | undefined {
  const user = unconfirmed === undefined ? undefined : users.find(unconfirmed);
  return user?.status === 'UNCONFIRMED' ? user : undefined;
}

/** After a form was submitted, the rules show which ones its password breaks. */
export function passwordRules({ pool, field }: Visit): ShownRule[] {
  const password = field('password');
  const rules = checkPassword(password, pool.settings.password);
  return password === '' ? rules.map(({ rule }) => ({ rule })) : rules;
}

export function invalidFieldOf(type: CognitoError['type']): string | undefined {
  switch (type) {
    case 'InvalidPasswordException':
      return 'password';
    case 'CodeMismatchException':
    case 'ExpiredCodeException':
      return 'code';
    case 'InvalidParameterException':
    case 'UserLambdaValidationException':
    case 'UsernameExistsException':
      return 'email';
    default:
      return undefined;
  }
}
