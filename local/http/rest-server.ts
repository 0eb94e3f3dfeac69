/** The template's REST API, as API Gateway would answer for it, without the stage in the path. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { maxApiGatewayRequestBytes, maxRequestBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { HostedFunction } from '../functions/function-host.ts';
import type { AnsweredInvocation } from '../functions/function-worker.ts';
import { isObject, parseJson } from '../untyped-json.ts';
import { readPrelude, readResponseHead, sendStream, whenCallerGoes } from './function-response.ts';
import {
  answerMock,
  type FixedResponse,
  type GatewayResponseType,
  type ResponseContext,
} from './gateway-responses.ts';
import { readRequestBody } from './http-listener.ts';
import type { MethodThrottles } from './method-throttles.ts';
import { createRestEvent, type RestApiFacts } from './rest-event.ts';
import { type Integration, matchRoute, type RestRoute } from './rest-routes.ts';

export interface RestServerParts {
  api: RestApiFacts;
  routes: readonly RestRoute[];
  throttles: MethodThrottles;
  gatewayResponse: (type: GatewayResponseType, context: ResponseContext) => FixedResponse;
  /** By ARN, without a qualifier. */
  functions: ReadonlyMap<string, HostedFunction>;
  /** Told why a caller got an error of API Gateway's own. */
  onProblem: (message: string) => void;
}

export function createRestServer(parts: RestServerParts): RequestListener {
  return (request, response) => {
    const exchange = openExchange(parts, request, response);
    answer(parts, exchange).catch((error) => {
      parts.onProblem(`${request.method} ${exchange.path}: ${error}`);
      exchange.fail('DEFAULT_5XX');
    });
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  requestId: string;
  send(fixed: FixedResponse): void;
  fail(type: GatewayResponseType): void;
}

function openExchange(parts: RestServerParts, request: IncomingMessage, response: ServerResponse): Exchange {
  const [path = '/', ...queryParts] = (request.url ?? '/').split('?');
  const requestId = randomUUID();
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
    requestId,
    send,
    fail: (type) =>
      send(parts.gatewayResponse(type, { requestId, httpMethod: request.method ?? 'GET', path })),
  };
}

async function answer(parts: RestServerParts, exchange: Exchange): Promise<void> {
  const { request, path, query, requestId } = exchange;
  const match = matchRoute(parts.routes, request.method ?? 'GET', path);
  if (match?.integration === undefined) return exchange.fail('MISSING_AUTHENTICATION_TOKEN');
  const body = await readRequestBody(request, maxApiGatewayRequestBytes);
  if (body === null) return exchange.fail('REQUEST_TOO_LARGE');
  const { integration, route } = match;
  if (!parts.throttles.admit(request.method ?? 'GET', route.resourcePath)) return exchange.fail('THROTTLED');
  if (integration.kind === 'mock') {
    const answered = answerMock(integration.properties, request.headers['content-type']);
    return typeof answered === 'string' ? exchange.fail(answered) : exchange.send(answered);
  }
  const event = JSON.stringify(
    createRestEvent({ api: parts.api, request, match, path, query, body, requestId }),
  );
  if (Buffer.byteLength(event) > maxRequestBytes) return exchange.fail('REQUEST_TOO_LARGE');
  await invoke(parts, exchange, { integration, event });
}

async function invoke(
  parts: RestServerParts,
  exchange: Exchange,
  { integration, event }: { integration: Integration & { kind: 'function' }; event: string },
): Promise<void> {
  const target = parts.functions.get(integration.functionArn);
  if (target === undefined) throw new Error(`there is no function ${integration.functionArn}`);
  const gone = whenCallerGoes(exchange.response);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    gone.abort();
  }, integration.timeoutMs);
  const outcome = await target.invoke({ event, qualifier: integration.qualifier, signal: gone.signal });
  clearTimeout(timer);
  if (timedOut) return exchange.fail('INTEGRATION_TIMEOUT');
  if (gone.signal.aborted) return;
  if (outcome.kind === 'throttled') return exchange.fail('INTEGRATION_FAILURE');
  const problem = integration.streaming
    ? await sendStreamed(exchange, outcome)
    : await sendBuffered(exchange, outcome);
  if (problem === undefined) return;
  parts.onProblem(`${target.definition.name}: ${problem}`);
  exchange.fail('INTEGRATION_FAILURE');
}

/** Both return what was wrong with the function's answer. */
async function sendStreamed(exchange: Exchange, outcome: AnsweredInvocation): Promise<string | undefined> {
  if (outcome.kind === 'failed') return `${outcome.error.errorType}: ${outcome.error.errorMessage}`;
  if (outcome.kind === 'returned') return 'it is integrated with response streaming but does not stream';
  const head = await readPrelude(outcome.contentType, outcome.body);
  if (head === null) return 'it wrote no valid prelude (status and headers) before its body';
  await sendStream(exchange.response, {
    head,
    headers: { 'x-amzn-requestid': exchange.requestId, 'content-type': 'application/json' },
    body: outcome.body,
  });
  return undefined;
}

async function sendBuffered(exchange: Exchange, outcome: AnsweredInvocation): Promise<string | undefined> {
  if (outcome.kind === 'failed') return `${outcome.error.errorType}: ${outcome.error.errorMessage}`;
  if (outcome.kind === 'streaming') {
    outcome.body.resume();
    return 'it streams but is integrated without response streaming';
  }
  const result = parseJson(outcome.payload);
  const head = isObject(result) && result.statusCode !== undefined ? readResponseHead(result) : null;
  if (!isObject(result) || head === null || !['string', 'undefined', 'object'].includes(typeof result.body)) {
    return `malformed Lambda proxy response: ${outcome.payload.slice(0, 200)}`;
  }
  exchange.response.writeHead(head.statusCode, {
    'x-amzn-requestid': exchange.requestId,
    'content-type': 'application/json',
    ...head.headers,
  });
  exchange.response.end(typeof result.body === 'string' ? result.body : undefined);
  return undefined;
}
