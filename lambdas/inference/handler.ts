/** Handles every request of the inference function: finds its route, authenticates the caller, and renders errors. */
import type { Authenticate } from '#lambdas/access/authenticate.ts';
import type { RequestKey } from '#lambdas/access/directory.ts';
import type { Cors } from '#lambdas/platform/http/cors.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { requestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { currentRequestId } from '#lambdas/platform/telemetry/log.ts';
import { errorFormatOf, sendError } from './errors.ts';
import { type IncomingRequest, startExchange } from './exchange/exchange.ts';
import { type ServeDependencies, serve } from './exchange/serve.ts';
import type { CountTokensEndpoint } from './messages/count-tokens/endpoint.ts';
import type { ModelsEndpoint } from './models/endpoint.ts';
import type { OperationTable } from './operations.ts';
import { findRoute, isBaseUrlCheck } from './routes.ts';
import type { SendStreamTest } from './stream-test.ts';

export interface InferenceDependencies extends ServeDependencies {
  operations: OperationTable;
  authenticate: Authenticate;
  cors: Cors;
  loadCountTokens(): Promise<CountTokensEndpoint>;
  loadModelsEndpoint(): Promise<ModelsEndpoint>;
  loadStreamTest(): Promise<SendStreamTest>;
}

/** Never rejects. Resolves when the response has ended and the log entry is written. */
export type InferenceHandler = (incoming: IncomingRequest) => Promise<void>;

export function createInferenceHandler(dependencies: InferenceDependencies): InferenceHandler {
  const { operations, authenticate, credentials, cors, now } = dependencies;
  const paths = Object.keys(operations);
  const loadLogRejection = lazy(async () =>
    (await import('#lambdas/access/rejection-log.ts')).createRejectionLog(dependencies),
  );
  return async (incoming) => {
    const { request, response, deadlineMs } = incoming;
    const receivedAtMs = now().getTime();
    response.disconnectAfter(deadlineMs - receivedAtMs);
    response.addHeaders(cors.headersFor(request));
    let endpoint: string | null = null;
    try {
      const preflight = cors.preflight(request);
      if (preflight !== null) {
        response.start(preflight.statusCode, preflight.headers);
        return await response.end(preflight.body);
      }
      if (isBaseUrlCheck(request)) {
        response.start(200, requestIdHeader());
        return await response.end('');
      }
      const route = findRoute(request, paths);
      endpoint = route.path;
      if (route.kind === 'missing') throw (await import('./missing-routes.ts')).missingRouteError(route.rest);
      const apiKey = await authenticate(request.headers, credentials.prefetch);
      const loadOperation = operations[route.path];
      if (loadOperation !== undefined) {
        const exchange = startExchange(incoming, { apiKey, receivedAtMs, operation: await loadOperation() });
        await serve(dependencies, exchange);
      } else if (route.kind === 'count_tokens') await sendTokenCount(dependencies, incoming, apiKey);
      else if (route.kind === 'models')
        await sendModels(dependencies, incoming, { apiKey, pathId: route.id });
      else await (await dependencies.loadStreamTest())(response, apiKey);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      const logRejection = await loadLogRejection();
      logRejection({ error, endpoint, sourceIp: request.sourceIp, organizationId: null });
      const operation = endpoint === null ? undefined : await operations[endpoint]?.();
      const format = operation ?? (await errorFormatOf(request, endpoint));
      const headers = requestIdHeader(format.requestIdHeader);
      await sendError(
        response,
        { error, original: null, requestId: currentRequestId() },
        { format, headers },
      );
      await response.end();
    }
  };
}

/** It is part of no exchange: a count costs nothing and has no log entry. */
async function sendTokenCount(
  { loadCountTokens }: InferenceDependencies,
  incoming: IncomingRequest,
  apiKey: RequestKey,
): Promise<void> {
  const countTokens = await loadCountTokens();
  const { status, headers, body } = await countTokens(incoming, apiKey);
  incoming.response.start(status, { ...requestIdHeader('request-id'), ...headers });
  await incoming.response.end(body);
}

async function sendModels(
  { loadModelsEndpoint }: InferenceDependencies,
  { request, response }: IncomingRequest,
  selected: { apiKey: RequestKey; pathId: string },
): Promise<void> {
  const modelsEndpoint = await loadModelsEndpoint();
  const { headers } = request;
  const body = await modelsEndpoint({ ...selected, headers, query: request.readQuery() });
  const format = await errorFormatOf(request, null);
  response.start(200, { ...requestIdHeader(format.requestIdHeader), 'content-type': 'application/json' });
  await response.end(JSON.stringify(body));
}
