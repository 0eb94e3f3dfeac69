/**
 * Sends test requests to the gateway for the page, which passes on the API key that it has just shown. The target is fixed,
 * and the key is neither stored nor logged.
 */
import * as z from 'zod/mini';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import type { ResponseSink } from '#lambdas/platform/http/response-sink.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { assertSameOrigin, type DashboardRequest, readBody } from '../http/request.ts';
import { findRoute, idPattern } from '../http/router.ts';
import { requireMembership, requirePermission } from '../organization-calls/require-membership.ts';
import { requireCurrentSession } from '../sessions/active-session.ts';
import { type GatewayRequest, testRoutes } from './gateway-request.ts';
import { type GatewayAddress, passOn } from './pass-on.ts';

interface TestRequestDependencies {
  dashboardOrigin: string;
  gateway: GatewayAddress;
  /** The time after which an event is flushed; 0 for never. */
  flushMs: number;
  accounts: AccountsTable;
  now(): Date;
}

interface IncomingTestRequest {
  request: DashboardRequest;
  response: ResponseSink;
  /** After this time, the connection is closed. */
  maxDurationMs: number;
}

/** Never rejects. Resolves when the response has ended. */
type TestRequestHandler = (incoming: IncomingTestRequest) => Promise<void>;

export function createTestRequestHandler(dependencies: TestRequestDependencies): TestRequestHandler {
  return async ({ request, response, maxDurationMs }) => {
    response.disconnectAfter(maxDurationMs);
    try {
      const allowed = await readAllowedRequest(request, dependencies);
      await passOn(dependencies, allowed, response);
    } catch (error) {
      if (!response.clientDisconnected) sendError(response, error);
      await response.end();
    }
  };
}

const membershipFields = z.object({
  organization_id: z
    .string({ error: 'organization_id must be text' })
    .check(z.regex(idPattern, { error: 'organization_id must be the id of an organization' })),
});

/** Throws a `GatewayError`. Checks the membership before the other fields. */
async function readAllowedRequest(
  request: DashboardRequest,
  { dashboardOrigin, accounts, now }: TestRequestDependencies,
): Promise<GatewayRequest> {
  assertSameOrigin(request, dashboardOrigin);
  const { route } = findRoute(testRoutes, request);
  const { record } = await requireCurrentSession(accounts, request, now());
  const { organization_id: organizationId } = await readBody(request, membershipFields);
  const membership = await requireMembership(accounts, organizationId, record.identity.id);
  requirePermission({ membership }, 'send_test_requests');
  return route.read(request);
}

function sendError(response: ResponseSink, thrown: unknown): void {
  const { statusCode, headers, body } = renderError(toGatewayError(thrown));
  response.start(statusCode, { ...headers, 'cache-control': 'no-store' });
  response.write(body);
}
