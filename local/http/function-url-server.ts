import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, LambdaFunctionURLEvent } from 'aws-lambda';
import { maxRequestBytes } from '#lambdas/platform/http/payload-limits.ts';
import type { HostedFunction } from '../functions/host.ts';
import type { ExecutedInvocation } from '../functions/worker.ts';
import { readRequestBody } from '../listeners/http-listener.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Resource } from '../template/template.ts';
import { isObject, parseJson } from '../untyped-json.ts';
import {
  abortOnDisconnect,
  type DisconnectSettings,
  readPrelude,
  readResponseHead,
  sendStream,
} from './function-response.ts';
import { sourceIpOf, toCommonLogTime } from './rest-event.ts';

interface FunctionUrlOptions extends DisconnectSettings {
  target: HostedFunction;
  qualifier: string | undefined;
  streaming: boolean;
  onError: (message: string) => void;
}

/** Throws for settings that are not emulated: CORS, and authorization types other than NONE. */
export function readFunctionUrlMode({ logicalId, properties }: Resource): { streaming: boolean } {
  if (properties.AuthType !== 'NONE' || properties.Cors !== undefined) {
    throw new LocalGatewayError(
      `${logicalId}: the local run emulates function URLs with AuthType NONE and no CORS`,
    );
  }
  return { streaming: properties.InvokeMode === 'RESPONSE_STREAM' };
}

export function createFunctionUrlServer(options: FunctionUrlOptions): RequestListener {
  return (request, response) => {
    handleRequest(options, request, response).catch((error) => {
      options.onError(`${options.target.definition.name}: ${error}`);
      sendInternalError(response);
    });
  };
}

async function handleRequest(
  options: FunctionUrlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readRequestBody(request, maxRequestBytes);
  if (body === null) return sendTooLarge(response);
  const requestId = randomUUID();
  const { logicalId } = options.target.definition;
  const event = JSON.stringify(createFunctionUrlEvent({ request, body, requestId, logicalId }));
  if (Buffer.byteLength(event) > maxRequestBytes) return sendTooLarge(response);
  const controller = abortOnDisconnect(response, options);
  const outcome = await options.target.invoke({
    event,
    requestId,
    qualifier: options.qualifier,
    signal: controller.signal,
  });
  if (controller.signal.aborted) return;
  if (outcome.kind === 'throttled') return sendThrottled(response);
  const failure = await sendOutcome(response, outcome, { requestId, options });
  if (failure === undefined) return;
  options.onError(`${options.target.definition.name}: ${failure}`);
  sendInternalError(response);
}

/** Returns the reason when no valid response could be sent. */
async function sendOutcome(
  response: ServerResponse,
  outcome: ExecutedInvocation,
  { requestId, options }: { requestId: string; options: FunctionUrlOptions },
): Promise<string | undefined> {
  if (outcome.kind === 'failed') return `${outcome.error.errorType}: ${outcome.error.errorMessage}`;
  if (outcome.kind === 'returned') return sendReturned(response, outcome.payload, requestId);
  if (!options.streaming) {
    outcome.body.resume();
    return 'it streams its response, but the InvokeMode of its function URL is BUFFERED';
  }
  const withoutPrelude = {
    statusCode: 200,
    headers: { 'content-type': outcome.contentType ?? 'application/octet-stream' },
  };
  const declaresPrelude = outcome.contentType?.startsWith(
    'application/vnd.awslambda.http-integration-response',
  );
  const head = declaresPrelude ? await readPrelude(outcome.contentType, outcome.body) : withoutPrelude;
  if (head === null) return 'it wrote no valid prelude (status and headers) before its body';
  const headers = { 'x-amzn-requestid': requestId, 'content-type': 'application/octet-stream' };
  await sendStream(response, { head, headers, body: outcome.body }, options);
  return undefined;
}

/** Sends a result without a status code as the JSON body of a 200 response. */
function sendReturned(response: ServerResponse, payload: string, requestId: string): string | undefined {
  const result = parseJson(payload);
  const isResponse = isObject(result) && result.statusCode !== undefined;
  const head = isResponse ? readResponseHead(result) : { statusCode: 200, headers: {} };
  if (head === null) return `its result has no valid statusCode: ${payload.slice(0, 200)}`;
  response.writeHead(head.statusCode, {
    'x-amzn-requestid': requestId,
    'content-type': 'application/json',
    ...head.headers,
  });
  const body = isResponse ? String(result.body ?? '') : payload;
  response.end(isResponse && result.isBase64Encoded === true ? Buffer.from(body, 'base64') : body);
  return undefined;
}

function createFunctionUrlEvent(source: {
  request: IncomingMessage;
  body: Buffer;
  requestId: string;
  logicalId: string;
}): LambdaFunctionURLEvent {
  const { request, body } = source;
  const [rawPath = '/', ...queryParts] = (request.url ?? '/').split('?');
  const rawQueryString = queryParts.join('?');
  const isText = isTextual(request.headers['content-type']);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: rawPath,
    rawQueryString,
    ...(request.headers.cookie !== undefined && { cookies: request.headers.cookie.split(/;\s*/) }),
    headers: joinHeaders(request),
    ...(rawQueryString !== '' && { queryStringParameters: joinQuery(rawQueryString) }),
    requestContext: createRequestContext(source, rawPath),
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

function createRequestContext(
  { request, requestId, logicalId }: Parameters<typeof createFunctionUrlEvent>[0],
  path: string,
): APIGatewayProxyEventV2['requestContext'] {
  const now = Date.now();
  const domainPrefix = logicalId.toLowerCase();
  return {
    accountId: 'anonymous',
    apiId: domainPrefix,
    domainName: `${domainPrefix}.lambda-url.local.on.aws`,
    domainPrefix,
    http: {
      method: request.method ?? 'GET',
      path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: sourceIpOf(request),
      userAgent: request.headers['user-agent'] ?? '',
    },
    requestId,
    routeKey: '$default',
    stage: '$default',
    time: toCommonLogTime(now),
    timeEpoch: now,
  };
}

/** Lambda passes the body as text for these media types and base64-encoded for all others. */
function isTextual(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^(text\/.*|application\/(json|xml|javascript|x-www-form-urlencoded)|.*\+(json|xml))$/.test(
    mediaType,
  );
}

function joinHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (name === 'connection' || name === 'cookie' || name === 'transfer-encoding') continue;
    headers[name] = (values ?? []).join(',');
  }
  headers['x-forwarded-for'] = sourceIpOf(request);
  headers['x-forwarded-port'] = String(request.socket.localPort);
  headers['x-forwarded-proto'] = 'http';
  return headers;
}

function joinQuery(rawQueryString: string): Record<string, string> {
  const query = new URLSearchParams(rawQueryString);
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(',')]));
}

/**
 * The response of Lambda's API, which cannot be customized. AWS does not document that of function URLs: their callers
 * report this status (https://github.com/ducktors/turborepo-remote-cache/issues/677), and callers of the API this message.
 */
function sendTooLarge(response: ServerResponse): void {
  const message = `Request must be smaller than ${maxRequestBytes} bytes for the InvokeFunction operation`;
  response.writeHead(413, {
    'content-type': 'application/json',
    'x-amzn-errortype': 'RequestEntityTooLargeException',
  });
  response.end(JSON.stringify({ Message: message }));
}

/** The response of Lambda, which cannot be customized: not an OpenAI error, and without `retry-after`. */
function sendThrottled(response: ServerResponse): void {
  response.writeHead(429, {
    'content-type': 'application/json',
    'x-amzn-errortype': 'TooManyRequestsException',
  });
  response.end('{"message":"Rate Exceeded."}');
}

function sendInternalError(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(502, { 'content-type': 'application/json' });
  response.end('{"message":"Internal Server Error"}');
}
