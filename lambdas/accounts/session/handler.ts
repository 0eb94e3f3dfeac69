/** Turns requests into responses: first the checks that any route needs, then the route's handler. */

import type { DashboardRequest } from '../http/dashboard-request.ts';
import type { DashboardResponse } from '../http/dashboard-response.ts';
import { createProxyHandler, type ProxyHandler } from '../http/proxy-handler.ts';
import { findRoute } from '../http/router.ts';
import { assertSameOrigin } from '../http/same-origin.ts';
import { type ActiveSession, findSession, invalidSession } from '../sessions/active-session.ts';
import { readSessionCookie } from '../sessions/cookie.ts';
import { SessionEndedError } from '../sessions/ended-error.ts';
import { navigations, type Route, routes } from './routes.ts';
import type { SessionServices } from './services.ts';
import { renewIfDue } from './sessions/renewal.ts';

export function createSessionHandler(services: SessionServices): ProxyHandler {
  return createProxyHandler((request) => respond(request, services));
}

async function respond(request: DashboardRequest, services: SessionServices): Promise<DashboardResponse> {
  const isNavigation = request.method === 'GET' && navigations.has(request.path);
  if (!isNavigation) assertSameOrigin(request, services.settings.dashboardOrigin);
  const { route, parameters } = findRoute(routes, request);
  if (route.kind !== 'call') return route.handle(request, services);
  const session = await requireSession(request, services, route);
  try {
    return await route.handle({ ...request, session, parameters }, services);
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
