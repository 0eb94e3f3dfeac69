/** Pages of accounts: sign-in, sign-up, confirmation, recovery. */
import type { PasswordRule } from '#local/cognito/directory/passwords.ts';
import type { ClientSettings } from '#local/cognito/settings/client.ts';
import type { IdentityProviderSettings } from '#local/cognito/settings/identity-provider.ts';
import { type Html, html } from './html.ts';
import { divider, renderButton, renderField, renderPage, renderPasskeyButton } from './layout.ts';

/** The entries of a form that was refused, and the error. */
export interface Entered {
  email?: string;
  name?: string;
  error?: string;
}

/** `othersUrl` is the page of managed login that Cognito would have shown. */
export function localSignInPage(urls: { action: string; othersUrl: string }, entered: Entered): Html {
  const { email = '', error } = entered;
  return renderPage({
    heading: 'Sign in',
    lead: 'Your address is enough on this machine. The first time, it creates your account.',
    error,
    body: html`<form method="post" action="${urls.action}">
${renderField({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, focused: true, invalid: error !== undefined })}
${renderButton('Sign in')}
</form>
<p class="center"><a href="${urls.othersUrl}">Other ways to sign in</a></p>`,
  });
}

interface SignInOptions {
  client: ClientSettings;
  /** With the URL at which the sign-in begins. */
  identityProviders: { provider: IdentityProviderSettings; url: string }[];
  passkeys: boolean;
  signUp: boolean;
}

export function signInPage(options: SignInOptions, entered: Entered & { notice?: string }): Html {
  const { client, identityProviders, passkeys, signUp } = options;
  const native = client.identityProviders.includes('COGNITO');
  const others = [
    native && passkeys && passkeySignInButton(),
    ...identityProviders.map(
      ({ provider, url }) =>
        html`<a class="button secondary" href="${url}">Continue with ${provider.name}</a>`,
    ),
  ].filter((option) => option !== false);
  return renderPage({
    heading: 'Sign in',
    error: entered.error,
    notice: entered.notice,
    body: html`${native && passwordForm(entered)}
${native && others.length > 0 && divider}
${others}
${native && signUp && html`<p class="center">New here? <a href="/signup">Create an account</a></p>`}`,
    script: native && passkeys,
  });
}

function passkeySignInButton(): Html {
  return renderPasskeyButton({
    label: 'Sign in with a passkey',
    action: 'get',
    optionsUrl: '/login/passkey/options',
    resultUrl: '/login/passkey',
  });
}

function passwordForm({ email = '', error }: Entered): Html {
  const invalid = error !== undefined;
  return html`<form method="post" action="/login">
${renderField({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, focused: email === '', invalid })}
${renderField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', focused: email !== '', invalid })}
<p class="aside"><a href="/forgotPassword">Forgot your password?</a></p>
${renderButton('Sign in')}
</form>`;
}

/** `followed` is missing before a password was entered. */
export type ShownRule = Pick<PasswordRule, 'rule'> & Partial<PasswordRule>;

export function signUpPage(rules: readonly ShownRule[], entered: Entered & { invalidField?: string }): Html {
  const { email, name, error, invalidField } = entered;
  return renderPage({
    heading: 'Create an account',
    error,
    body: html`<form method="post" action="/signup">
${renderField({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, focused: invalidField !== 'password', invalid: invalidField === 'email' })}
${renderField({ name: 'name', label: 'Name', autocomplete: 'name', value: name, optional: true })}
${newPasswordField(rules, invalidField === 'password')}
${renderButton('Create account')}
</form>
<p class="center">Already have an account? <a href="/login">Sign in</a></p>`,
  });
}

function newPasswordField(rules: readonly ShownRule[], invalid: boolean): Html {
  const hint = html`<ul class="rules">${rules.map(
    ({ rule, followed }) =>
      html`<li${followed === false && html` class="broken"`}>${rule}${followed === false && html` <span class="visually-hidden">(missing)</span>`}</li>`,
  )}</ul>`;
  return renderField({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint,
    focused: invalid,
    invalid,
  });
}

export function confirmationPage(
  email: string,
  { error, notice }: { error?: string; notice?: string },
): Html {
  return renderPage({
    heading: 'Confirm your e-mail',
    lead: html`Enter the code for <strong>${email}</strong>.`,
    error,
    notice,
    body: html`<form method="post" action="/confirm">
${codeField(error !== undefined)}
${renderButton('Confirm')}
</form>
<form method="post" action="/resendCode" class="center"><button class="link" type="submit">Send a new code</button></form>`,
  });
}

function codeField(invalid: boolean, focused = true): Html {
  const hint = html`Codes are shown in the <a href="/mail" target="_blank">local mailbox</a>.`;
  return renderField({
    name: 'code',
    label: 'Code',
    autocomplete: 'one-time-code',
    digits: true,
    focused,
    hint,
    invalid,
  });
}

export function forgotPasswordPage({ email, error }: Entered): Html {
  return renderPage({
    heading: 'Forgot your password?',
    lead: 'A code that is mailed to you lets you choose a new one.',
    error,
    body: html`<form method="post" action="/forgotPassword">
${renderField({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, focused: true, invalid: error !== undefined })}
${renderButton('Send code')}
</form>
<p class="center"><a href="/login">Back to sign-in</a></p>`,
  });
}

export function newPasswordPage(
  email: string,
  { rules, error, invalidField }: { rules: readonly ShownRule[]; error?: string; invalidField?: string },
): Html {
  return renderPage({
    heading: 'Choose a new password',
    lead: html`If <strong>${email}</strong> has an account, a code has been mailed to it.`,
    error,
    body: html`<form method="post" action="/confirmForgotPassword">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${codeField(invalidField === 'code', invalidField !== 'password')}
${newPasswordField(rules, invalidField === 'password')}
${renderButton('Change password')}
</form>
<p class="center"><a href="/login">Back to sign-in</a></p>`,
  });
}
