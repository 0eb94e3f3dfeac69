/** Serves the requests that call no operation, and therefore have no log entry. Loaded for the first of them. */
import type { RequestKey } from '#lambdas/access/directory.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import { requestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import type { Log } from '#lambdas/platform/telemetry/log.ts';
import type { RouteLookup } from '#lambdas/routing/lookup.ts';
import { errorFormatOf } from './errors.ts';
import type { IncomingRequest } from './exchange/exchange.ts';
import type { SendDependencies } from './exchange/send.ts';
import type { CredentialSource } from './providers/credentials.ts';
import type { ProviderRegistry } from './providers/registry.ts';
import type { ProviderSettingsByName } from './providers/settings.ts';
import { findRoute, type Route } from './routes.ts';

interface EndpointDependencies extends SendDependencies {
  settings: ProviderSettingsByName;
  region: string;
  providers: ProviderRegistry;
  credentials: CredentialSource;
  loadRoutes(): Promise<RouteLookup>;
  log: Pick<Log, 'info'>;
  /** Waits between the events of a stream test. */
  wait(ms: number): Promise<void>;
}

export interface Endpoints {
  /** See `findRoute`. */
  find(request: HttpRequest, operations: readonly string[]): Route;
  /** Throws a `GatewayError`. `authenticate` is not called for a route that takes no key. */
  respond(route: Route, incoming: IncomingRequest, authenticate: () => Promise<RequestKey>): Promise<void>;
}

export function createEndpoints(dependencies: EndpointDependencies): Endpoints {
  const loadCountTokens = lazy(async () => {
    const { createCountTokensEndpoint } = await import('./messages/count-tokens/endpoint.ts');
    return createCountTokensEndpoint(dependencies);
  });
  const loadModels = lazy(async () => {
    const [{ createModelsEndpoint }, routes] = await Promise.all([
      import('./models/endpoint.ts'),
      dependencies.loadRoutes(),
    ]);
    return createModelsEndpoint({ ...dependencies, routes });
  });
  const loadStreamTest = lazy(async () => {
    const { createStreamTest } = await import('./stream-test.ts');
    return createStreamTest({ ...dependencies, flushMs: dependencies.limits.flushMs });
  });

  const sendTokenCount = async (incoming: IncomingRequest, apiKey: RequestKey) => {
    const countTokens = await loadCountTokens();
    const { status, headers, body } = await countTokens(incoming, apiKey);
    incoming.response.start(status, { ...requestIdHeader('request-id'), ...headers });
    await incoming.response.end(body);
  };
  const sendModels = async (
    { request, response }: IncomingRequest,
    selected: { apiKey: RequestKey; pathId: string },
  ) => {
    const modelsEndpoint = await loadModels();
    const { headers } = request;
    const body = await modelsEndpoint({ ...selected, headers, query: request.readQuery() });
    const format = await errorFormatOf(request, null);
    response.start(200, {
      ...requestIdHeader(format.requestIdHeader),
      'content-type': 'application/json',
    });
    await response.end(JSON.stringify(body));
  };

  return {
    find: findRoute,
    async respond(route, incoming, authenticate) {
      const { response } = incoming;
      if (route.kind === 'base_url') {
        response.start(200, requestIdHeader());
        return await response.end('');
      }
      if (route.kind === 'missing') throw (await import('./missing-routes.ts')).missingRouteError(route.rest);
      const apiKey = await authenticate();
      if (route.kind === 'count_tokens') await sendTokenCount(incoming, apiKey);
      else if (route.kind === 'models') await sendModels(incoming, { apiKey, pathId: route.id });
      else await (await loadStreamTest())(response, apiKey);
    },
  };
}
