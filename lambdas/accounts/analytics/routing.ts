/** The routes that an organization can use, and what their targets have done in the last hour. */

import { hourMs } from '#lambdas/platform/duration.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { readQueryParameters } from '#lambdas/platform/http/query.ts';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { type LogEntry, reachedProvider, requestsOf } from '#lambdas/request-log/entry.ts';
import { operations } from '#lambdas/request-log/operation.ts';
import { routeInUse } from '#lambdas/routing/item.ts';
import type { Route } from '#lambdas/routing/route.ts';
import { findUsableRoutes } from '#lambdas/routing/store.ts';
import { readJsonBody } from '../http/request.ts';
import { jsonResponse } from '../http/response.ts';
import { summarizeRoute } from '../route-summary.ts';
import {
  type AnalyticsDependencies,
  type AnalyticsHandler,
  type AnalyticsRoute,
  analyticsRoute,
} from './call.ts';
import { readNewestEntries } from './logs.ts';
import type { RouteActivity, RouteList, RouteTest, TargetActivity } from './responses.ts';

/** `GET /dashboard/api/analytics/{organization}/routes` */
const listRoutes: AnalyticsHandler<RouteList> = async ({ organization, query }, dependencies) => {
  readQueryParameters(query, []);
  const { own, operators } = await findUsableRoutes(dependencies.directoryTable, organization.id);
  const data = [
    ...Object.entries(own).map(([name, route]) =>
      summarizeRoute({ name, owner: 'organization', route, isOverridden: false }),
    ),
    ...Object.entries(operators).map(([name, route]) =>
      summarizeRoute({ name, owner: 'operator', route, isOverridden: Object.hasOwn(own, name) }),
    ),
  ];
  // The sort is stable: the route of the organization stays before that of the operator, which it replaces.
  data.sort((one, other) => (one.name === other.name ? 0 : one.name < other.name ? -1 : 1));
  return jsonResponse({ object: 'list', data });
};

/** The route that requests of this name use. Throws a `GatewayError` (404). */
async function requireRoute(
  { directoryTable }: AnalyticsDependencies,
  organizationId: string,
  name: string,
): Promise<Route> {
  const { own, operators } = await findUsableRoutes(directoryTable, organizationId);
  const route = routeInUse(name, own, operators);
  if (route === null) throw new GatewayError('not_found', { message: 'There is no such route' });
  return route;
}

/** `GET /dashboard/api/analytics/{organization}/routes/{name}/activity` */
const showRouteActivity: AnalyticsHandler<RouteActivity> = async (
  { organization, query, parameters: { name = '' } },
  dependencies,
) => {
  readQueryParameters(query, []);
  const route = await requireRoute(dependencies, organization.id, name);
  const until = dependencies.now();
  const since = new Date(until.getTime() - hourMs);
  const { entries, hasEarlier } = await readNewestEntries(dependencies.reports, organization.id, {
    route: [name],
    start: [since.toISOString()],
    end: [until.toISOString()],
  });
  return jsonResponse({
    since: since.toISOString(),
    until: until.toISOString(),
    complete: !hasEarlier,
    requests: sum(entries.map(requestsOf)),
    failed_requests: sum(entries.filter(hasFailed).map(requestsOf)),
    targets: summarizeTargets(
      entries,
      route.targets.map(({ model }) => model),
    ),
  });
};

/** The targets of the route in their order, then others that requests have been sent to. */
function summarizeTargets(entries: readonly LogEntry[], models: readonly string[]): TargetActivity[] {
  const byModel = new Map(models.map((model) => [model, noActivity]));
  const add = (model: string, { attempts, failures, skips, cost_usd }: typeof noActivity) => {
    const before = byModel.get(model) ?? noActivity;
    byModel.set(model, {
      attempts: before.attempts + attempts,
      failures: before.failures + failures,
      skips: before.skips + skips,
      cost_usd: addUsd(before.cost_usd, cost_usd),
    });
  };
  for (const entry of entries) {
    if (reachedProvider(entry)) {
      const { provider, model, cost_usd } = entry;
      const failures = hasFailed(entry) ? 1 : 0;
      add(`${provider}/${model}`, { ...noActivity, attempts: 1, failures, cost_usd });
    }
    // The entries of its earlier attempts have a part of the same targets.
    const skipped = entry.superseded_by === null ? (entry.skipped_targets ?? []) : [];
    for (const { target } of skipped) add(target, { ...noActivity, skips: 1 });
  }
  return [...byModel].map(([model, activity]) => ({
    model,
    ...activity,
    cost_usd: Number(activity.cost_usd),
  }));
}

const noActivity = { attempts: 0, failures: 0, skips: 0, cost_usd: '0' };

/** Also an attempt that another target has taken over, whatever its outcome. */
function hasFailed({ outcome, superseded_by }: LogEntry): boolean {
  return superseded_by !== null || (outcome !== 'completed' && outcome !== 'client_closed');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Enough for a request with an image. */
const maxTestBodyBytes = 4 * 1024 * 1024;

/** Loads all operations and the price table. */
const loadRouteTest = lazy(() => import('#lambdas/inference/routing/route-test.ts'));

/** `POST /dashboard/api/analytics/{organization}/routes/{name}/test`: nothing is sent to a provider. */
const testRouteWith: AnalyticsHandler<RouteTest> = async (call, dependencies) => {
  const {
    organization,
    query,
    parameters: { name = '' },
  } = call;
  const { providers, directory, now } = dependencies;
  readQueryParameters(query, []);
  const tested = readTestedRequest(await readJsonBody(call, maxTestBodyBytes));
  const route = await requireRoute(dependencies, organization.id, name);
  const { budget } = (await directory.findOrganization(organization.id)) ?? {};
  const { testRoute } = await loadRouteTest();
  const { client, tableName } = providers.customPrices;
  const customPrices = { calls: createSdkTableCalls(client), tableName };
  const { id } = organization;
  const result = await testRoute(
    { ...providers, customPrices, now },
    { ...tested, name, route, organization: { id, ...(budget !== undefined && { budget }) } },
  );
  return jsonResponse(result);
};

/** Requests of a session keep their target by weight. Throws a `GatewayError` (400). */
function readTestedRequest({ operation, request, session_id = null, ...others }: JsonObject) {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidRequestError(unknown, `${unknown} is not a field of this request`);
  const known = operations.find((each) => each === operation);
  if (known === undefined) {
    throw invalidRequestError('operation', `operation must be one of ${operations.join(', ')}`);
  }
  if (!isJsonObject(request)) {
    throw invalidRequestError('request', 'request must be a JSON object: the body of a request');
  }
  if (session_id !== null && typeof session_id !== 'string') {
    throw invalidRequestError('session_id', 'session_id must be a text');
  }
  return { operation: known, body: request, sessionId: session_id };
}

export const routingRoutes: readonly AnalyticsRoute[] = [
  analyticsRoute('/routes', listRoutes),
  analyticsRoute('/routes/{name}/activity', showRouteActivity),
  analyticsRoute('/routes/{name}/test', testRouteWith, 'POST'),
];
