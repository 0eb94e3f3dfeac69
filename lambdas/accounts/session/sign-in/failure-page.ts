/** The response to a callback that fails: a page that leads back to the dashboard, which explains the error. */

import type { DashboardResponse } from '#lambdas/accounts/http/dashboard-response.ts';
import type { IdentityRefusal } from '#lambdas/accounts/identity.ts';

export type SignInFailure = IdentityRefusal | 'expired' | 'denied' | 'unavailable';

/**
 * An error instead of a redirect, so that failures are visible in metrics. Scripts and styles are not allowed on the page,
 * so the browser follows a `meta` element.
 */
export function failurePage(failure: SignInFailure, ...cookies: string[]): DashboardResponse {
  const page = `/sign-in?error=${failure}`;
  return {
    status: failure === 'unavailable' ? 503 : 400,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    cookies,
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${page}">
<title>Sign-in failed</title>
</head>
<body><p>The sign-in failed. <a href="${page}">Continue</a></p></body>
</html>
`,
  };
}
