/** Changes of the organization's routes, and of the models that it and its API keys may use. */
import * as z from 'zod/mini';
import { readModelPatterns } from '#lambdas/access/models/allow-list.ts';
import { type ModelList, setAllowedModels } from '#lambdas/access/models/changes.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type RouteId, removeRoute, setRoute } from '#lambdas/routing/changes.ts';
import { readRoute } from '#lambdas/routing/read-route.ts';
import { readBody, readJsonBody } from '../http/request.ts';
import { jsonResponse, noContent } from '../http/response.ts';
import { summarizeRoute } from '../route-summary.ts';
import { type OrganizationCall, type OrganizationHandler, organizationRoute, type Route } from './call.ts';
import { apiKeyIdField, findOwner } from './owners.ts';
import type { ModelAccess, RouteSummary } from './responses.ts';

/** Routes with their parameters, and lists of models, have bounds of their own. */
export const maxRoutingBodyBytes = 65_536;

/** `PUT /dashboard/api/organizations/{organization}/routes/{name}` */
const replaceRoute: OrganizationHandler<RouteSummary> = async (call, { directoryTable }) => {
  const route = readRoute(await readJsonBody(call, maxRoutingBodyBytes));
  const id = routeId(call);
  const stored = await setRoute(directoryTable, id, route, call.audit);
  const { name } = id;
  return jsonResponse(summarizeRoute({ name, owner: 'organization', route: stored, isOverridden: false }));
};

/** `DELETE /dashboard/api/organizations/{organization}/routes/{name}` */
const deleteRoute: OrganizationHandler<null> = async (call, { directoryTable }) => {
  await removeRoute(directoryTable, routeId(call), call.audit);
  return noContent();
};

function routeId({ organization, parameters: { name = '' } }: OrganizationCall): RouteId {
  return { owner: organization.id, name };
}

/** In a request body; `readModelList` reads it. */
export const modelListField = z.optional(z.unknown());

/** All models for `null`. Throws a `GatewayError` (400). */
export function readModelList(models: unknown): ModelList {
  return models === null ? null : readModelPatterns(models);
}

const modelAccess = z.strictObject({ api_key_id: apiKeyIdField, models: modelListField });

/** `PUT /dashboard/api/organizations/{organization}/model-access` replaces the list of the organization or a key. */
const replaceModelAccess: OrganizationHandler<ModelAccess> = async (call, dependencies) => {
  const body = await readBody(call, modelAccess, maxRoutingBodyBytes);
  const models = readModelList(body.models);
  const { scope, isRevoked } = await findOwner(call, dependencies, body.api_key_id);
  if (isRevoked && models !== null) {
    throw new GatewayError('conflict', {
      param: 'api_key_id',
      message: 'This API key is revoked, so a list of models has no effect: choose an active key',
    });
  }
  await setAllowedModels(dependencies.directoryTable, scope, models, call.audit);
  return jsonResponse({ api_key_id: scope.keyId, models: models && [...models] });
};

export const routingRoutes: readonly Route[] = [
  organizationRoute('PUT', '/routes/{name}', 'manage_routing', replaceRoute),
  organizationRoute('DELETE', '/routes/{name}', 'manage_routing', deleteRoute),
  organizationRoute('PUT', '/model-access', 'manage_routing', replaceModelAccess),
];
