/** Pages of second factors and passkeys. */
import { renderSVG } from 'uqr';
import { passkeySignInButton } from './accounts.ts';
import { type Html, html, trustedHtml } from './html.ts';
import { divider, renderButton, renderField, renderPage, renderPasskeyButton } from './layout.ts';

export function mfaPage(factors: { totp: boolean; passkey: boolean }, error?: string): Html {
  return renderPage({
    heading: 'Two-step verification',
    lead: factors.totp
      ? 'Enter the code that your authenticator app shows.'
      : 'Your account needs its passkey.',
    error,
    body: html`${factors.totp && totpForm('/mfa', error)}
${factors.totp && factors.passkey && divider}
${factors.passkey && passkeySignInButton(!factors.totp)}
<p class="center"><a href="/login">Back to sign-in</a></p>`,
    script: factors.passkey,
  });
}

export function mfaSetUpPage(
  setUp: { totp: { secret: string; uri: string } | null; passkey: boolean },
  error?: string,
): Html {
  const { totp, passkey } = setUp;
  return renderPage({
    heading: 'Set up two-step verification',
    lead: 'This sign-in needs more than a password.',
    error,
    body: html`${
      totp &&
      html`<h2>Authenticator app</h2>
<p>Scan this code with the app, or enter the key, and then the code that the app shows.</p>
<div class="qr" role="img" aria-label="QR code for the authenticator app">${trustedHtml(renderSVG(totp.uri, { border: 2 }))}</div>
<dl class="key"><dt>Key</dt><dd><code>${totp.secret}</code></dd></dl>
${totpForm('/mfa/setup', error)}`
    }
${totp && passkey && divider}
${
  passkey &&
  html`<h2>Passkey</h2>
<p>Use your fingerprint, face or screen lock from now on, instead of a password.</p>
${renderPasskeyButton({ label: 'Create a passkey', action: 'create', optionsUrl: '/mfa/setup/passkey/options', resultUrl: '/mfa/setup/passkey' })}`
}`,
    script: passkey,
  });
}

function totpForm(action: string, error: string | undefined): Html {
  return html`<form method="post" action="${action}">
${renderField({ name: 'code', label: 'Code from the app', autocomplete: 'one-time-code', digits: true, focused: true, invalid: error !== undefined })}
${renderButton('Verify')}
</form>`;
}

export function addPasskeyPage(request: { email: string; query: string; returnUrl: string }): Html {
  const { email, query, returnUrl } = request;
  return renderPage({
    heading: 'Add a passkey',
    lead: html`Sign in as <strong>${email}</strong> with your fingerprint, face or screen lock.`,
    body: html`${renderPasskeyButton({
      label: 'Create a passkey',
      action: 'create',
      optionsUrl: '/passkeys/add/options',
      resultUrl: `/passkeys/add?${query}`,
      primary: true,
    })}
<p class="center"><a href="${returnUrl}">Cancel</a></p>`,
    script: true,
  });
}
