/** A forgotten password: a code that is mailed to the address allows a new one. */
import { CognitoError } from '../cognito-error.ts';
import { resetPassword } from '../directory/sign-up.ts';
import { forgotPasswordPage, newPasswordPage } from './pages/accounts.ts';
import { invalidFieldOf, passwordRules } from './sign-up.ts';
import { orShowError, type PageHandler, redirect, show } from './visit.ts';

export const showForgotPassword: PageHandler = ({ attempt }) =>
  show(forgotPasswordPage({ email: attempt.email }));

/** An address without an account gets no mail, which the response does not tell. */
export const submitForgotPassword: PageHandler = ({ pool, client, attempt, field }) => {
  const email = field('email');
  attempt.email = email;
  const user = pool.users.findByEmail(email);
  if (user === undefined && !client.hidesUserExistence) {
    return show(forgotPasswordPage({ email, error: 'User does not exist.' }));
  }
  if (user?.enabled && user.attributes.email_verified === 'true') pool.codes.send(user, 'password');
  return redirect('/confirmForgotPassword');
};

export const showNewPassword: PageHandler = (visit) => {
  const { email } = visit.attempt;
  if (email === undefined) return redirect('/forgotPassword');
  return show(newPasswordPage(email, { rules: passwordRules(visit) }));
};

export const submitNewPassword: PageHandler = (visit) => {
  const { pool, attempt, field } = visit;
  const { email = '' } = attempt;
  return orShowError(
    () => {
      const user = pool.users.findByEmail(email);
      if (user === undefined) {
        throw new CognitoError(
          'CodeMismatchException',
          'Invalid verification code provided, please try again.',
        );
      }
      resetPassword(pool, user, { code: field('code'), password: field('password') });
      attempt.notice = 'Your password has been changed. Sign in with the new one.';
      return redirect('/login');
    },
    ({ message, type }) =>
      newPasswordPage(email, {
        rules: passwordRules(visit),
        error: message,
        invalidField: invalidFieldOf(type),
      }),
  );
};
