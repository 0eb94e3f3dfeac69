import type { Mail } from '#local/cognito/mailbox.ts';
import { type Html, html } from './html.ts';
import { renderPage } from './layout.ts';

export function mailboxPage(messages: readonly Mail[]): Html {
  return renderPage({
    heading: 'Local mailbox',
    lead: 'Mail that the gateway has sent since it was started, the newest first.',
    body:
      messages.length === 0
        ? html`<p class="empty">No mail yet. Codes of a sign-up appear here.</p>`
        : html`<ol class="mails">${messages.map(renderMail)}</ol>`,
    wide: true,
  });
}

function renderMail({ to, subject, text, code, sentAt }: Mail): Html {
  const time = new Date(sentAt).toLocaleTimeString('en-GB');
  return html`<li><article>
<h2>${subject}</h2>
<p class="muted">to ${to} · <time datetime="${sentAt}">${time}</time></p>
${code !== undefined && html`<p class="code">${code}</p>`}
<p class="text">${withLinks(text)}</p>
</article></li>`;
}

function withLinks(text: string): Html[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]+)/);
  // The expression captures the links, which are every other part.
  return parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<a href="${part}">${part}</a>`));
}
