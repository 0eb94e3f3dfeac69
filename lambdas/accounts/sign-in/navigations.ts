/**
 * The pages through which a browser passes to sign in and out. None of them reads the session: browsers leave its Strict
 * cookie out of navigations that began on another site.
 */

import { timingSafeEqual } from 'node:crypto';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import { asciiDomain, domainOf, maxAddressLength } from '../email-address.ts';
import type { DashboardRequest } from '../http/request.ts';
import { type DashboardResponse, redirect } from '../http/response.ts';
import { type IdentityRefusal, IdentityRefusedError, identityOf } from '../identity.ts';
import { type ActiveSession, setSessionCookie } from '../sessions/active-session.ts';
import { createSession, revokeTokens } from '../sessions/lifecycle.ts';
import { callbackPath, type DashboardSettings, type SignInDependencies } from './call.ts';
import { GrantRefusedError } from './provider.ts';
import {
  clearSignInCookie,
  readSignInCookie,
  type StartedSignIn,
  setSignInCookie,
} from './started-sign-in.ts';

/** `GET /dashboard/api/sign-in` */
export async function startSignIn(
  { query }: DashboardRequest,
  { settings, loadProvider }: SignInDependencies,
): Promise<DashboardResponse> {
  const isSignUp = query.screen !== undefined;
  if (isSignUp && query.screen?.join() !== 'sign_up') {
    throw invalidRequestError('screen', 'screen must be sign_up, or be left out');
  }
  const idpIdentifier = readIdpIdentifier(query.idp_identifier, settings);
  const loginHint = readLoginHint(query.login_hint);
  const provider = await loadProvider();
  const redirectUri = settings.dashboardOrigin + callbackPath;
  const { url, checks } = await provider.authorize({ redirectUri, isSignUp, idpIdentifier, loginHint });
  const returnTo = returnPath(query.return_to?.[0], settings.dashboardOrigin);
  return redirect(url, setSignInCookie({ ...checks, returnTo, isThroughCompany: idpIdentifier !== null }));
}

function readIdpIdentifier(
  values: readonly string[] | undefined,
  { identityProvider }: DashboardSettings,
): string | null {
  if (values === undefined) return null;
  const text = values.join();
  const identifier = asciiDomain(text) ?? text;
  if (identityProvider?.domains.includes(identifier)) return identifier;
  throw invalidRequestError('idp_identifier', 'idp_identifier must be a domain with company sign-in');
}

function readLoginHint(values: readonly string[] | undefined): string | null {
  if (values === undefined) return null;
  const [address = ''] = values;
  if (values.length === 1 && address.length <= maxAddressLength && domainOf(address) !== '') return address;
  throw invalidRequestError('login_hint', 'login_hint must be one e-mail address, or be left out');
}

/** `GET /dashboard/api/callback`. Every failure is a page, since a person is looking at it. */
export async function finishSignIn(
  request: DashboardRequest,
  dependencies: SignInDependencies,
): Promise<DashboardResponse> {
  const { settings, log } = dependencies;
  const signIn = readSignInCookie(request);
  if (signIn === null || !isEqual(request.query.state?.join() ?? '', signIn.state)) {
    log.info('sign_in_refused', { code: 'expired' });
    return failurePage('expired');
  }
  try {
    const session = await createSessionFromCode(request, dependencies, signIn);
    const path = returnPath(signIn.returnTo, settings.dashboardOrigin);
    return redirect(path, setSessionCookie(session.token), clearSignInCookie());
  } catch (error) {
    return failurePage(failureOf(error, signIn, log), clearSignInCookie());
  }
}

/** `GET /dashboard/api/sign-out` ends the session of the provider. A call has ended that of the dashboard before. */
export async function signOutAtProvider(
  _request: DashboardRequest,
  { settings }: SignInDependencies,
): Promise<DashboardResponse> {
  const { signInOrigin, clientId, dashboardOrigin } = settings;
  const parameters = new URLSearchParams({ client_id: clientId, logout_uri: `${dashboardOrigin}/` });
  return redirect(`${signInOrigin}/logout?${parameters}`);
}

async function createSessionFromCode(
  { query, headers }: DashboardRequest,
  dependencies: SignInDependencies,
  signIn: StartedSignIn,
): Promise<ActiveSession> {
  const { settings, loadProvider, log } = dependencies;
  const callbackUrl = new URL(callbackPath, settings.dashboardOrigin);
  for (const [name, values = []] of Object.entries(query)) {
    for (const value of values) callbackUrl.searchParams.append(name, value);
  }
  const provider = await loadProvider();
  const { tokens, claims } = await provider.exchangeCode(callbackUrl, signIn);
  try {
    const identity = identityOf(claims, settings.identityProvider);
    const session = await createSession(dependencies, { identity, tokens, userAgent: headers['user-agent'] });
    log.info('signed_in', { user_id: identity.id, identity_provider: identity.identityProvider });
    return session;
  } catch (error) {
    await revokeTokens(dependencies, tokens);
    throw error;
  }
}

/** A code that was used or has expired, and an ID token that is too old. */
const repeatableRefusals: ReadonlySet<string> = new Set([
  'invalid_grant',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

/** The page's error code; logs the reason, without data of the user. */
function failureOf(error: unknown, { isThroughCompany }: StartedSignIn, log: Log): SignInFailure {
  if (error instanceof IdentityRefusedError) {
    log.info('sign_in_refused', { code: error.refusal });
    return error.refusal;
  }
  if (error instanceof GrantRefusedError) {
    log.info('sign_in_refused', { code: error.code });
    if (repeatableRefusals.has(error.code)) return 'expired';
    // Cognito's code for a refusal by the function SignUp, whose only reason is then the domain.
    return isThroughCompany && error.code === 'invalid_request' ? 'company_domain_required' : 'denied';
  }
  log.error('sign_in_failed', errorFields(error));
  return 'unavailable';
}

/** In constant time. */
function isEqual(received: string, expected: string): boolean {
  const [one, other] = [Buffer.from(received), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

export type SignInFailure = IdentityRefusal | 'expired' | 'denied' | 'unavailable';

/**
 * The response to a callback that fails: a page that leads back to the dashboard, which explains the error. It has the
 * status of an error instead of a redirect, so that failures are visible in metrics. Scripts and styles are not allowed on the page,
 * so the browser follows a `meta` element.
 */
function failurePage(failure: SignInFailure, ...cookies: string[]): DashboardResponse {
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

/** More than any view needs; the encoded path is kept in a cookie during the sign-in. */
const maxPathLength = 1024;

const apiPrefix = '/dashboard/api/';

/** Returns `/` for text that is not the path of a page of the dashboard, so that no link can lead to another site. */
export function returnPath(text: string | undefined, dashboardOrigin: string): string {
  if (text === undefined || !text.startsWith('/')) return '/';
  // Read as browsers do: they leave out line breaks and take backslashes for slashes, so `/\example.com` is another site.
  const url = URL.parse(text, dashboardOrigin);
  if (url === null || url.origin !== dashboardOrigin) return '/';
  // Resolving dots may have left two slashes, as in `/.//example.com`.
  if (url.pathname.startsWith('//') || url.pathname.startsWith(apiPrefix)) return '/';
  const path = url.pathname + url.search + url.hash;
  return path.length > maxPathLength ? '/' : path;
}
