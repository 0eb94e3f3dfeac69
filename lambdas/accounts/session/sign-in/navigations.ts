/**
 * The pages through which a browser passes to sign in and out. None of them reads the session: browsers leave its Strict
 * cookie out of navigations that began on another site.
 */
import { timingSafeEqual } from 'node:crypto';
import type { DashboardRequest } from '#lambdas/accounts/http/dashboard-request.ts';
import { type DashboardResponse, redirect } from '#lambdas/accounts/http/dashboard-response.ts';
import { IdentityRefusedError, identityOf } from '#lambdas/accounts/identity.ts';
import type { ActiveSession } from '#lambdas/accounts/sessions/active-session.ts';
import { setSessionCookie } from '#lambdas/accounts/sessions/cookie.ts';
import { invalidRequest } from '#lambdas/platform/errors.ts';
import { errorFields, type Log } from '#lambdas/platform/log.ts';
import type { SessionServices } from '../services.ts';
import { createSession } from '../sessions/create-session.ts';
import { revokeTokens } from '../sessions/revoke.ts';
import { callbackPath, type DashboardSettings } from '../settings.ts';
import { failurePage, type SignInFailure } from './failure-page.ts';
import { GrantRefusedError } from './provider.ts';
import { returnPath } from './return-path.ts';
import {
  clearSignInCookie,
  readSignInCookie,
  type StartedSignIn,
  setSignInCookie,
} from './sign-in-cookie.ts';

/** `GET /dashboard/api/sign-in` */
export async function startSignIn(
  { query }: DashboardRequest,
  { settings, loadProvider }: SessionServices,
): Promise<DashboardResponse> {
  const isSignUp = query.screen !== undefined;
  if (isSignUp && query.screen?.join() !== 'sign_up') {
    throw invalidRequest('screen', 'screen must be sign_up, or be left out');
  }
  const idpIdentifier = readIdpIdentifier(query.idp_identifier, settings);
  const provider = await loadProvider();
  const redirectUri = settings.dashboardOrigin + callbackPath;
  const { url, checks } = await provider.authorize({ redirectUri, isSignUp, idpIdentifier });
  const returnTo = returnPath(query.return_to?.[0], settings.dashboardOrigin);
  return redirect(url, setSignInCookie({ ...checks, returnTo, isThroughCompany: idpIdentifier !== null }));
}

function readIdpIdentifier(
  values: readonly string[] | undefined,
  { identityProvider }: DashboardSettings,
): string | null {
  if (values === undefined) return null;
  const identifier = values.join();
  if (identityProvider?.domains.includes(identifier)) return identifier;
  throw invalidRequest('idp_identifier', 'idp_identifier must be a domain with company sign-in');
}

/** `GET /dashboard/api/callback`. Every failure is a page, since a person is looking at it. */
export async function finishSignIn(
  request: DashboardRequest,
  services: SessionServices,
): Promise<DashboardResponse> {
  const { settings, log } = services;
  const signIn = readSignInCookie(request);
  if (signIn === null || !isEqual(request.query.state?.join() ?? '', signIn.state)) {
    log.info('sign_in_refused', { code: 'expired' });
    return failurePage('expired');
  }
  try {
    const session = await createSessionFromCode(request, services, signIn);
    const path = returnPath(signIn.returnTo, settings.dashboardOrigin);
    return redirect(path, setSessionCookie(session.token), clearSignInCookie());
  } catch (error) {
    return failurePage(failureOf(error, signIn, log), clearSignInCookie());
  }
}

/** `GET /dashboard/api/sign-out` ends the session of the provider. A call has ended that of the dashboard before. */
export async function signOutAtProvider(
  _request: DashboardRequest,
  { settings }: SessionServices,
): Promise<DashboardResponse> {
  const { signInOrigin, clientId, dashboardOrigin } = settings;
  const parameters = new URLSearchParams({ client_id: clientId, logout_uri: `${dashboardOrigin}/` });
  return redirect(`${signInOrigin}/logout?${parameters}`);
}

async function createSessionFromCode(
  { query, headers }: DashboardRequest,
  services: SessionServices,
  signIn: StartedSignIn,
): Promise<ActiveSession> {
  const { settings, loadProvider, log } = services;
  const callbackUrl = new URL(callbackPath, settings.dashboardOrigin);
  for (const [name, values = []] of Object.entries(query)) {
    for (const value of values) callbackUrl.searchParams.append(name, value);
  }
  const provider = await loadProvider();
  const { tokens, claims } = await provider.exchangeCode(callbackUrl, signIn);
  try {
    const identity = identityOf(claims, settings.identityProvider);
    const session = await createSession(services, { identity, tokens, userAgent: headers['user-agent'] });
    log.info('signed_in', { user_id: identity.id, identity_provider: identity.identityProvider });
    return session;
  } catch (error) {
    await revokeTokens(services, tokens);
    throw error;
  }
}

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

/** A code that was used or has expired, and an ID token that is too old. */
const repeatableRefusals: ReadonlySet<string> = new Set([
  'invalid_grant',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

/** In constant time. */
function isEqual(received: string, expected: string): boolean {
  const [one, other] = [Buffer.from(received), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
