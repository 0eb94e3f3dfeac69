/** Serves `GET /ai/models` and `GET /ai/models/{id}` behind the REST API and the function URL. */
import type { RequestKey } from '#lambdas/access/directory.ts';
import type { ClientFormat } from '#lambdas/access/json-endpoint.ts';
import { refusingList } from '#lambdas/access/models/allow-list.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import { currentRequestId } from '#lambdas/platform/telemetry/log.ts';
import { type OperationName, operations } from '#lambdas/request-log/operation.ts';
import type { OwnedRoute, RouteLookup } from '#lambdas/routing/lookup.ts';
import { routePrefix, routeProvider } from '#lambdas/routing/route.ts';
import { isAnthropicClient, openAiErrors } from '../errors.ts';
import { messagesErrors } from '../messages/errors.ts';
import type { ProviderAccess } from '../providers/catalog.ts';
import { type ProviderSources, readProviderSetUps } from '../providers/set-up.ts';
import { pageOf, toAnthropicModel } from './anthropic-format.ts';
import { modelsOf, operationsOf, type ProviderModel } from './list.ts';

interface ModelsDependencies extends ProviderSources {
  region: string;
  routes: Pick<RouteLookup, 'list'>;
  now(): Date;
}

export interface ListedModel {
  id: string;
  object: 'model';
  /** Always 0, since providers do not report when a model was created. */
  created: 0;
  /** The provider, or `route`. */
  owned_by: string;
  /** The operations that the model, or at least one target of the route, can be used for. */
  operations: readonly OperationName[];
}

interface ModelsRequest {
  apiKey: RequestKey;
  headers: HttpRequest['headers'];
  query: RawQueryParameters;
  pathId: string;
}

/**
 * Returns the model or route with the id, or the list of those that the key may use if it is empty, in the format of the client.
 * Anthropic's clients get those that they can use. Throws a `GatewayError` (400, 404).
 */
type ModelsEndpoint = (request: ModelsRequest) => Promise<unknown>;

export function createModelsEndpoint(dependencies: ModelsDependencies): ModelsEndpoint {
  return async ({ apiKey, headers, query, pathId }) => {
    const models = await listModels(dependencies, apiKey);
    if (isAnthropicClient({ headers })) {
      const usable = models.filter(({ operations }) => operations.includes('messages'));
      return pathId === ''
        ? pageOf(
            usable.map(({ id }) => id),
            query,
          )
        : toAnthropicModel(findModel(usable, pathId).id);
    }
    return pathId === '' ? { object: 'list', data: models } : findModel(models, pathId);
  };
}

/** For the models function; the chat function has its own way of sending errors. */
export function clientFormatOf(request: Pick<HttpRequest, 'headers'>): ClientFormat {
  const { requestIdHeader, renderError } = isAnthropicClient(request) ? messagesErrors : openAiErrors;
  return {
    requestIdHeader,
    renderError: (error) => renderError({ error, original: null, requestId: currentRequestId() }),
  };
}

function findModel(models: readonly ListedModel[], pathId: string): ListedModel {
  const modelId = decode(pathId);
  const found = models.find((model) => model.id === modelId);
  if (found !== undefined) return found;
  throw new GatewayError('model_not_found', {
    status: 404,
    param: 'model',
    message: `The model ${modelId} does not exist; GET /ai/models lists the available models`,
  });
}

async function listModels(
  { region, routes, now, ...sources }: ModelsDependencies,
  apiKey: RequestKey,
): Promise<ListedModel[]> {
  const [setUps, ownedRoutes] = await Promise.all([
    readProviderSetUps(sources),
    routes.list(apiKey.organization_id),
  ]);
  const at = now();
  const providers = setUps.filter(({ isSetUp }) => isSetUp).map(({ access }) => access);
  const models = providers.flatMap((access) =>
    modelsOf(access, { region, at }).map((model) => toListedModel(access.name, model)),
  );
  const listedRoutes = ownedRoutes.map((route) => toListedRoute(route, providers));
  return [...models, ...listedRoutes.filter((route) => route.operations.length > 0)]
    .filter(({ id }) => refusingList(apiKey, id) === null)
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

function toListedModel(provider: string, { name, operations }: ProviderModel): ListedModel {
  return { id: `${provider}/${name}`, object: 'model', created: 0, owned_by: provider, operations };
}

/** Without operations if requests cannot be sent to any of its targets. */
function toListedRoute({ name, route }: OwnedRoute, providers: readonly ProviderAccess[]): ListedModel {
  const offered = new Set(
    route.targets.flatMap(({ model }) => {
      const slash = model.indexOf('/');
      const provider = providers.find((access) => access.name === model.slice(0, slash));
      return provider === undefined ? [] : operationsOf(provider, model.slice(slash + 1));
    }),
  );
  return {
    id: routePrefix + name,
    object: 'model',
    created: 0,
    owned_by: routeProvider,
    operations: operations.filter((operation) => offered.has(operation)),
  };
}

/** Clients percent-encode the slashes of an id, and not every entry point decodes them. No id contains a percent sign. */
function decode(pathId: string): string {
  try {
    return decodeURIComponent(pathId);
  } catch (error) {
    if (error instanceof URIError) return pathId;
    throw error;
  }
}
