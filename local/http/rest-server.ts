/** Emulates the REST API of the template. Paths do not contain the stage. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { maxApiGatewayRequestBytes, maxRequestBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { HostedFunction } from '../functions/host.ts';
import type { ExecutedInvocation } from '../functions/worker.ts';
import { readRequestBody } from '../listeners/http-listener.ts';
import { isObject, parseJson } from '../untyped-json.ts';
import {
  abortOnDisconnect,
  type DisconnectSettings,
  readPrelude,
  readResponseHead,
  sendStream,
} from './function-response.ts';
import {
  type FixedResponse,
  type GatewayResponseType,
  type ResponseContext,
  renderMockResponse,
} from './gateway-responses.ts';
import type { MethodThrottles } from './method-throttles.ts';
import { compressResponse } from './response-compression.ts';
import { createRestEvent, type RestApiStage } from './rest-event.ts';
import { type Integration, matchRoute, type RestRoute } from './rest-routes.ts';

interface RestServerOptions extends DisconnectSettings {
  api: RestApiStage;
  routes: readonly RestRoute[];
  throttles: MethodThrottles;
  /** Infinite without compression. */
  minCompressedBytes: number;
  gatewayResponse: (type: GatewayResponseType, context: ResponseContext) => FixedResponse;
  functionsByArn: ReadonlyMap<string, HostedFunction>;
  /** Called when a function fails or returns an invalid response, and for unexpected errors. */
  onError: (message: string) => void;
}

export function createRestServer(options: RestServerOptions): RequestListener {
  return (request, response) => {
    const exchange = createExchange(options, request, response);
    handleRequest(options, exchange).catch((error) => {
      options.onError(`${request.method} ${exchange.path}: ${error}`);
      exchange.fail('DEFAULT_5XX');
    });
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  context: ResponseContext;
  send(fixed: FixedResponse): void;
  fail(type: GatewayResponseType): void;
}

function createExchange(
  options: RestServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const [path = '/', ...queryParts] = (request.url ?? '/').split('?');
  const requestId = randomUUID();
  const context = { requestId, httpMethod: request.method ?? 'GET', path };
  const send = ({ status, headers, body }: FixedResponse) => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.writeHead(status, { 'x-amzn-requestid': requestId, ...headers });
    response.end(body);
  };
  return {
    request,
    response,
    path,
    query: new URLSearchParams(queryParts.join('?')),
    context,
    send,
    fail: (type) => send(options.gatewayResponse(type, context)),
  };
}

async function handleRequest(options: RestServerOptions, exchange: Exchange): Promise<void> {
  const { request, path, query, context } = exchange;
  const match = matchRoute(options.routes, request.method ?? 'GET', path);
  if (match?.integration === undefined) return exchange.fail('MISSING_AUTHENTICATION_TOKEN');
  const body = await readRequestBody(request, maxApiGatewayRequestBytes);
  if (body === null) return exchange.fail('REQUEST_TOO_LARGE');
  const { integration, route } = match;
  if (!options.throttles.admit(request.method ?? 'GET', route.resourcePath))
    return exchange.fail('THROTTLED');
  if (integration.kind === 'mock') {
    const contentType = request.headers['content-type'];
    const mockResponse = renderMockResponse(integration.properties, contentType, context);
    return typeof mockResponse === 'string' ? exchange.fail(mockResponse) : exchange.send(mockResponse);
  }
  const event = JSON.stringify(
    createRestEvent({ api: options.api, request, match, path, query, body, requestId: context.requestId }),
  );
  // AWS does not document which error a refusal by Lambda is. Its own emulator returns this one:
  // https://github.com/aws/aws-lambda-dotnet/pull/1990
  if (Buffer.byteLength(event) > maxRequestBytes) return exchange.fail('REQUEST_TOO_LARGE');
  await invoke(options, exchange, { integration, event });
}

async function invoke(
  options: RestServerOptions,
  exchange: Exchange,
  { integration, event }: { integration: Integration & { kind: 'function' }; event: string },
): Promise<void> {
  const target = options.functionsByArn.get(integration.functionArn);
  if (target === undefined) throw new Error(`there is no function ${integration.functionArn}`);
  const controller = abortOnDisconnect(exchange.response, options);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, integration.timeoutMs);
  const outcome = await target.invoke({ event, qualifier: integration.qualifier, signal: controller.signal });
  clearTimeout(timer);
  if (timedOut) return exchange.fail('INTEGRATION_TIMEOUT');
  if (controller.signal.aborted) return;
  if (outcome.kind === 'throttled') return exchange.fail('INTEGRATION_FAILURE');
  const failure = integration.streaming
    ? await sendStreamed(exchange, outcome, options)
    : await sendBuffered(exchange, outcome, options);
  if (failure === undefined) return;
  options.onError(`${target.definition.name}: ${failure}`);
  exchange.fail('INTEGRATION_FAILURE');
}

/** Returns the reason when no valid response could be sent, like `sendBuffered`. */
async function sendStreamed(
  exchange: Exchange,
  outcome: ExecutedInvocation,
  settings: DisconnectSettings,
): Promise<string | undefined> {
  if (outcome.kind === 'failed') return `${outcome.error.errorType}: ${outcome.error.errorMessage}`;
  if (outcome.kind === 'returned')
    return 'it does not stream its response, but its integration requires response streaming';
  const head = await readPrelude(outcome.contentType, outcome.body);
  if (head === null) return 'it wrote no valid prelude (status and headers) before its body';
  const headers = { 'x-amzn-requestid': exchange.context.requestId, 'content-type': 'application/json' };
  await sendStream(exchange.response, { head, headers, body: outcome.body }, settings);
  return undefined;
}

async function sendBuffered(
  exchange: Exchange,
  outcome: ExecutedInvocation,
  { minCompressedBytes }: RestServerOptions,
): Promise<string | undefined> {
  if (outcome.kind === 'failed') return `${outcome.error.errorType}: ${outcome.error.errorMessage}`;
  if (outcome.kind === 'streaming') {
    outcome.body.resume();
    return 'it streams its response, but its integration is buffered';
  }
  const result = parseJson(outcome.payload);
  const head = isObject(result) && result.statusCode !== undefined ? readResponseHead(result) : null;
  if (!isObject(result) || head === null || !['string', 'undefined', 'object'].includes(typeof result.body)) {
    return `malformed Lambda proxy response: ${outcome.payload.slice(0, 200)}`;
  }
  const { request, response, context } = exchange;
  const defaultHeaders = { 'x-amzn-requestid': context.requestId, 'content-type': 'application/json' };
  const source = {
    headers: { ...defaultHeaders, ...head.headers },
    body: Buffer.from(typeof result.body === 'string' ? result.body : ''),
  };
  const { headers, body } = await compressResponse(request, source, minCompressedBytes);
  response.writeHead(head.statusCode, headers);
  response.end(body);
  return undefined;
}
