import { type Html, html } from './html.ts';
import { renderPage } from './layout.ts';

export interface PageError {
  code: string;
  message: string;
  /** Where to begin again. */
  appUrl?: string;
}

export function errorPage({ code, message, appUrl }: PageError): Html {
  return renderPage({
    heading: 'An error was encountered',
    error: message,
    body: html`${appUrl !== undefined && html`<p><a href="${appUrl}">Back to the app</a></p>`}
<p class="muted"><code>${code}</code></p>`,
  });
}
