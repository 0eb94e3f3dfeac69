/** Turns requests into responses: first the session, the membership and the permission, then the route's handler. */

import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { assertSameOrigin, type DashboardRequest } from '../http/request.ts';
import { createProxyHandler, type DashboardResponse } from '../http/response.ts';
import { findRoute } from '../http/router.ts';
import { requireCurrentSession } from '../sessions/active-session.ts';
import type { Route, SignedInCall } from './call.ts';
import {
  type MembershipDependencies,
  requireOrganizationMembership,
  requirePermission,
} from './require-membership.ts';

/** For the checks before the route's handler. */
interface HandlerDependencies extends MembershipDependencies {
  now(): Date;
}

interface HandlerOptions<Dependencies> {
  routes: readonly Route<Dependencies>[];
  /** Without a trailing slash. */
  dashboardOrigin: string;
  dependencies: Dependencies;
}

export function createOrganizationCallsHandler<Dependencies extends HandlerDependencies>(
  options: HandlerOptions<Dependencies>,
): ProxyHandler {
  return createProxyHandler((request) => respond(request, options));
}

async function respond<Dependencies extends HandlerDependencies>(
  request: DashboardRequest,
  { routes, dashboardOrigin, dependencies }: HandlerOptions<Dependencies>,
): Promise<DashboardResponse> {
  assertSameOrigin(request, dashboardOrigin);
  const { route, parameters } = findRoute(routes, request);
  if (route.kind === 'public call') return route.handle(request, dependencies);
  const { record } = await requireCurrentSession(dependencies.accounts, request, dependencies.now());
  const call: SignedInCall = { ...request, user: record.identity, parameters };
  if (route.kind === 'user call') return route.handle(call, dependencies);
  const { organization: organizationId = '' } = parameters;
  const membership = await requireOrganizationMembership(dependencies, organizationId, call.user.id);
  requirePermission(membership, route.permission);
  return route.handle({ ...call, ...membership }, dependencies);
}
