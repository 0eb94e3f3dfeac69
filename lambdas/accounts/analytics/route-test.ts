/** Tests a route with a request, which is sent to no provider. */
import * as z from 'zod/mini';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { readBody } from '../http/request.ts';
import { jsonResponse } from '../http/response.ts';
import { type AnalyticsHandler, type AnalyticsRoute, analyticsRoute } from './call.ts';
import type { RouteTest } from './responses.ts';
import { requireRoute } from './routing.ts';

/** Enough for a request with an image. */
const maxTestBodyBytes = 4 * 1024 * 1024;

const testedRequest = z.strictObject({
  operation: z.enum(operations, `operation must be one of ${operations.join(', ')}`),
  request: z.record(z.string(), z.unknown(), 'request must be a JSON object: the body of a request'),
  /** Requests of a session keep their target by weight. */
  session_id: z.optional(z.string()),
});

/** Loads all operations and the price table. */
const loadTest = lazy(() => import('#lambdas/inference/routing/route-test.ts'));

/** `POST /dashboard/api/analytics/{organization}/routes/{name}/test` */
const testRouteWith: AnalyticsHandler<RouteTest> = async (call, dependencies) => {
  const {
    organization,
    parameters: { name = '' },
  } = call;
  const {
    providers: { settings, credentials, region, customPrices },
    directory,
    now,
  } = dependencies;
  readQueryParameters(call.query, []);
  const body = await readBody(call, testedRequest, maxTestBodyBytes);
  const route = await requireRoute(dependencies, organization.id, name);
  const { budget } = (await directory.findOrganization(organization.id)) ?? {};
  const { testRoute } = await loadTest();
  const { client, tableName } = customPrices;
  const sources = {
    settings,
    credentials,
    region,
    customPrices: { calls: createSdkTableCalls(client), tableName },
    now,
  };
  const targets = await testRoute(sources, {
    name,
    route,
    operation: body.operation,
    body: body.request,
    organizationId: organization.id,
    sessionId: body.session_id ?? null,
    requiresPrice: budget !== undefined && !budget.allows_unpriced,
  });
  const first = targets.find(({ decision }) => decision === 'first');
  return jsonResponse({ target: first?.model ?? null, targets });
};

export const routeTestRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/routes/{name}/test', testRouteWith, 'POST'),
];
