/** Turns requests into responses: first the checks that any route needs, then the route's handler. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { type DashboardRequest, readDashboardRequest } from './http/dashboard-request.ts';
import { type DashboardResponse, toProxyResult } from './http/dashboard-response.ts';
import { assertSameOrigin } from './http/same-origin.ts';
import { findRoute, type Route } from './routes.ts';
import type { SessionServices } from './services.ts';
import { type ActiveSession, findSession } from './sessions/active-session.ts';
import { renewIfDue } from './sessions/renewal.ts';
import { readSessionCookie } from './sessions/session-cookie.ts';
import { SessionEndedError } from './sessions/session-ended-error.ts';

export function createSessionHandler(
  services: SessionServices,
): (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult> {
  return async (event) => {
    try {
      return toProxyResult(await respond(readDashboardRequest(event), services));
    } catch (error) {
      const { statusCode: status, ...response } = renderError(toGatewayError(error));
      return toProxyResult({ status, ...response });
    }
  };
}

async function respond(request: DashboardRequest, services: SessionServices): Promise<DashboardResponse> {
  const match = findRoute(request.method, request.path);
  const isNavigation = match.result === 'found' && match.route.kind === 'navigation';
  if (!isNavigation) assertSameOrigin(request, services.settings.dashboardOrigin);
  if (match.result === 'missing') throw noRoute(match.methods);
  const { route, id } = match;
  if (route.kind !== 'call') return route.handle(request, services);
  const session = await requireSession(request, services, route);
  try {
    return await route.handle({ ...request, session, id }, services);
  } catch (error) {
    if (!(error instanceof SessionEndedError)) throw error;
    await services.sessions.delete(session.token);
    throw invalidSession();
  }
}

async function requireSession(
  request: DashboardRequest,
  services: SessionServices,
  { renews }: Extract<Route, { kind: 'call' }>,
): Promise<ActiveSession> {
  const found = await findSession(services.sessions, readSessionCookie(request), services.now());
  const session = found !== null && renews ? await renewIfDue(services, found) : found;
  if (session === null) throw invalidSession();
  return session;
}

function noRoute(methods: readonly string[]): GatewayError {
  if (methods.length === 0) return new GatewayError('not_found', { message: 'There is no such path' });
  return new GatewayError('method_not_allowed', {
    message: `This path supports only ${methods.join(', ')}`,
    headers: { allow: methods.join(', ') },
  });
}

function invalidSession(): GatewayError {
  return new GatewayError('invalid_session', { message: 'There is no session, or it has ended: sign in' });
}
