/** Handles every request of the inference function: finds its operation or endpoint, and renders errors. */
import type { Authenticate } from '#lambdas/access/authenticate.ts';
import type { Cors } from '#lambdas/platform/http/cors.ts';
import { toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { requestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { currentRequestId } from '#lambdas/platform/telemetry/log.ts';
import type { Endpoints } from './endpoints.ts';
import { errorFormatOf, sendError } from './errors.ts';
import { type IncomingRequest, startExchange } from './exchange/exchange.ts';
import { type ServeDependencies, serve } from './exchange/serve.ts';
import type { OperationTable } from './operations.ts';
import { canonicalPath } from './paths.ts';

export interface InferenceDependencies extends ServeDependencies {
  operations: OperationTable;
  authenticate: Authenticate;
  cors: Cors;
  /** Only for requests that call no operation. */
  loadEndpoints(): Promise<Endpoints>;
}

/** Never rejects. Resolves when the response has ended and the log entry is written. */
export type InferenceHandler = (incoming: IncomingRequest) => Promise<void>;

export function createInferenceHandler(dependencies: InferenceDependencies): InferenceHandler {
  const { operations, authenticate, credentials, cors, now } = dependencies;
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
      const findKey = () => authenticate(request.headers, credentials.prefetch);
      const path = canonicalPath(request.path);
      const loadOperation = request.method === 'POST' ? operations[path] : undefined;
      if (loadOperation === undefined) {
        const endpoints = await dependencies.loadEndpoints();
        const route = endpoints.find(request, Object.keys(operations));
        endpoint = route.path;
        return await endpoints.respond(route, incoming, findKey);
      }
      endpoint = path;
      const apiKey = await findKey();
      const exchange = startExchange(incoming, { apiKey, receivedAtMs, operation: await loadOperation() });
      await serve(dependencies, exchange);
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
