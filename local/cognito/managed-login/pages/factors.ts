/** Pages of second factors and passkeys. */
import { renderSVG } from 'uqr';
import { type Html, html, trustedHtml } from './html.ts';
import { renderButton, renderField, renderPage, renderPasskeyButton } from './layout.ts';

export function mfaPage(error?: string): Html {
  return renderPage({
    heading: 'Two-step verification',
    lead: 'Enter the code that your authenticator app shows.',
    error,
    body: html`${totpForm('/mfa', error)}
<p class="center"><a href="/login">Back to sign-in</a></p>`,
  });
}

/** `uri` is the content of the QR code. */
export function mfaSetUpPage({ secret, uri }: { secret: string; uri: string }, error?: string): Html {
  return renderPage({
    heading: 'Set up two-step verification',
    lead: 'This sign-in needs more than a password: an authenticator app.',
    error,
    body: html`<p>Scan this code with the app, or enter the key, and then the code that the app shows.</p>
<div class="qr" role="img" aria-label="QR code for the authenticator app">${trustedHtml(renderSVG(uri, { border: 2 }))}</div>
<dl class="key"><dt>Key</dt><dd><code>${secret}</code></dd></dl>
${totpForm('/mfa/setup', error)}`,
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
