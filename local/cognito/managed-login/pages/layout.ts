/** The frame and the controls that all pages have in common. */
import { type Html, html } from './html.ts';

interface PageContent {
  heading: string;
  /** One sentence below the heading. */
  lead?: Html | string;
  error?: string;
  notice?: string;
  body: Html;
  /** Adds the script that passkey buttons need. */
  script?: boolean;
  wide?: boolean;
}

const errorId = 'error';

export function renderPage({ heading, lead, error, notice, body, script, wide }: PageContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${error !== undefined && 'Error: '}${heading} · AI gateway</title>
<link rel="stylesheet" href="/assets/style.css">
<link rel="icon" href="data:,">
${script && html`<script src="/assets/passkey.js" type="module"></script>`}
</head>
<body>
<header><span class="brand">AI gateway</span> <span class="badge">Local sign-in</span></header>
<main${wide && html` class="wide"`}>
<h1>${heading}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${error !== undefined && html`<p class="alert" id="${errorId}" role="alert">${error}</p>`}
${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${body}
</main>
<footer>
<p>This is the local stand-in for Amazon Cognito. Accounts stay on this machine, and no mail is sent.</p>
<p><a href="/mail">Local mailbox</a></p>
</footer>
</body>
</html>
`;
}

interface Field {
  name: string;
  label: string;
  type?: 'email' | 'password' | 'text';
  autocomplete: string;
  value?: string;
  optional?: boolean;
  /** Below the label. */
  hint?: Html;
  /** For one-time codes. */
  digits?: boolean;
  focused?: boolean;
  /** The page's error is about this field. */
  invalid?: boolean;
}

export function renderField(field: Field): Html {
  const {
    name,
    label,
    type = 'text',
    autocomplete,
    value = '',
    optional,
    hint,
    digits,
    focused,
    invalid,
  } = field;
  const hintId = `${name}-hint`;
  const descriptions = [...(invalid ? [errorId] : []), ...(hint === undefined ? [] : [hintId])].join(' ');
  return html`<div class="field">
<label for="${name}">${label}${optional && html` <span class="muted">(optional)</span>`}</label>
${hint !== undefined && html`<div class="hint" id="${hintId}">${hint}</div>`}
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}"
${digits && html` inputmode="numeric" maxlength="7" spellcheck="false"`}
${!optional && html` required`}${focused && html` autofocus`}
${invalid && html` aria-invalid="true"`}${descriptions !== '' && html` aria-describedby="${descriptions}"`}>
</div>`;
}

export function renderButton(label: string): Html {
  return html`<button class="primary" type="submit">${label}</button>`;
}

/** `optionsUrl` returns the WebAuthn options; `resultUrl` takes the browser's response and returns where to go. */
export function renderPasskeyButton(button: {
  label: string;
  action: 'create' | 'get';
  optionsUrl: string;
  resultUrl: string;
  primary?: boolean;
}): Html {
  const { label, action, optionsUrl, resultUrl, primary } = button;
  return html`<button class="${primary ? 'primary' : 'secondary'}" type="button"
data-passkey="${action}" data-options="${optionsUrl}" data-result="${resultUrl}">${label}</button>
<p class="alert" role="alert" data-passkey-error hidden></p>`;
}

export const divider = html`<p class="divider"><span>or</span></p>`;
