/** Turns requests into responses: first the checks that any route needs, then the route's handler. */

import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { assertSameOrigin, type DashboardRequest } from '../http/request.ts';
import { type BodyOf, createProxyHandler, type DashboardResponse } from '../http/response.ts';
import { apiPath, findRoute, type RoutePath } from '../http/router.ts';
import {
  type ActiveSession,
  findActiveSession,
  invalidSessionError,
  readSessionCookie,
  SessionEndedError,
} from '../sessions/active-session.ts';
import { deleteSession } from '../sessions/store.ts';
import { changeAccount, changeEmail, deleteAccount, showAccount, verifyEmail } from './account/endpoints.ts';
import { createTotpSecret, deletePasskey, disableTotp, verifyTotp } from './account/factors.ts';
import { type CallHandler, callbackPath, type PublicHandler, type SignInDependencies } from './call.ts';
import { finishSignIn, signOutAtProvider, startSignIn } from './navigations.ts';
import { renewIfDue } from './renewal.ts';
import type { SignInResponses } from './responses.ts';
import {
  endSession,
  listSessions,
  showSession,
  showSignInOptions,
  signOut,
  signOutEverywhere,
} from './session-endpoints.ts';

type Route = RoutePath &
  (
    | {
        /** A navigation of the browser needs no header. A public call needs no session. */
        kind: 'navigation' | 'public call';
        handle: PublicHandler;
      }
    | {
        kind: 'call';
        /** False for a route that also works while the session is due for renewal and the provider unavailable. */
        renews: boolean;
        handle: CallHandler;
      }
  );

/** All routes of the function `Session`. */
export const routes: readonly Route[] = [
  { method: 'GET', path: `${apiPath}/sign-in`, kind: 'navigation', handle: startSignIn },
  { method: 'GET', path: callbackPath, kind: 'navigation', handle: finishSignIn },
  { method: 'GET', path: `${apiPath}/sign-out`, kind: 'navigation', handle: signOutAtProvider },
  { method: 'GET', path: `${apiPath}/sign-in-options`, kind: 'public call', handle: showSignInOptions },
  call('GET', '/session', showSession),
  { ...call('DELETE', '/session', signOut), renews: false },
  call('GET', '/sessions', listSessions),
  call('DELETE', '/sessions', signOutEverywhere),
  call('DELETE', '/sessions/{id}', endSession),
  call('GET', '/account', showAccount),
  call('PATCH', '/account', changeAccount),
  call('DELETE', '/account', deleteAccount),
  call('POST', '/account/email', changeEmail),
  call('POST', '/account/email/verification', verifyEmail),
  call('DELETE', '/account/passkeys/{id}', deletePasskey),
  call('POST', '/account/totp', createTotpSecret),
  call('DELETE', '/account/totp', disableTotp),
  call('POST', '/account/totp/verification', verifyTotp),
];

function call<Method extends RoutePath['method'], Path extends string>(
  method: Method,
  path: Path,
  handle: CallHandler<BodyOf<SignInResponses, `${Method} ${Path}`>>,
) {
  return { method, path: apiPath + path, kind: 'call' as const, renews: true, handle };
}

/** The paths to which browsers navigate, and which therefore need no header. */
const navigations: ReadonlySet<string> = new Set(
  routes.filter(({ kind }) => kind === 'navigation').map(({ path }) => path),
);

export function createSignInHandler(dependencies: SignInDependencies): ProxyHandler {
  return createProxyHandler((request) => respond(request, dependencies));
}

async function respond(
  request: DashboardRequest,
  dependencies: SignInDependencies,
): Promise<DashboardResponse> {
  const isNavigation = request.method === 'GET' && navigations.has(request.path);
  if (!isNavigation) assertSameOrigin(request, dependencies.settings.dashboardOrigin);
  const { route, parameters } = findRoute(routes, request);
  if (route.kind !== 'call') return route.handle(request, dependencies);
  const session = await requireSession(request, dependencies, route);
  try {
    return await route.handle({ ...request, session, parameters }, dependencies);
  } catch (error) {
    if (!(error instanceof SessionEndedError)) throw error;
    await deleteSession(dependencies.accounts, session.token);
    throw invalidSessionError();
  }
}

async function requireSession(
  request: DashboardRequest,
  dependencies: SignInDependencies,
  { renews }: Extract<Route, { kind: 'call' }>,
): Promise<ActiveSession> {
  const found = await findActiveSession(
    dependencies.accounts,
    readSessionCookie(request),
    dependencies.now(),
  );
  const session = found !== null && renews ? await renewIfDue(dependencies, found) : found;
  if (session === null) throw invalidSessionError();
  return session;
}
