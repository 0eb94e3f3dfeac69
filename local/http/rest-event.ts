/** Creates the event that API Gateway passes to a Lambda proxy integration (payload format 1.0). */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayEventRequestContext, APIGatewayProxyEvent } from 'aws-lambda';
import { localAccountId } from '../identities.ts';
import type { RouteMatch } from './rest-routes.ts';

export interface RestApiStage {
  apiId: string;
  stage: string;
  region: string;
}

export function createRestEvent(source: {
  api: RestApiStage;
  request: IncomingMessage;
  match: RouteMatch;
  path: string;
  query: URLSearchParams;
  body: Buffer;
  requestId: string;
}): APIGatewayProxyEvent {
  const { request, match, query, body } = source;
  const multiValueHeaders = groupHeaders(request);
  const multiValueQuery = groupQuery(query);
  return {
    resource: match.route.resourcePath,
    path: source.path,
    httpMethod: request.method ?? 'GET',
    headers: lastOfEach(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: query.size > 0 ? lastOfEach(multiValueQuery) : null,
    multiValueQueryStringParameters: query.size > 0 ? multiValueQuery : null,
    pathParameters: match.pathParameters,
    stageVariables: null,
    requestContext: createRequestContext(source),
    body: body.length > 0 ? body.toString('utf8') : null,
    isBase64Encoded: false,
  };
}

const anonymousIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

function createRequestContext(source: Parameters<typeof createRestEvent>[0]): APIGatewayEventRequestContext {
  const { api, request, match, path, requestId } = source;
  const now = Date.now();
  return {
    resourceId: match.route.resourceId,
    resourcePath: match.route.resourcePath,
    httpMethod: request.method ?? 'GET',
    extendedRequestId: randomUUID(),
    requestTime: toCommonLogTime(now),
    path: `/${api.stage}${path}`,
    accountId: localAccountId,
    protocol: `HTTP/${request.httpVersion}`,
    stage: api.stage,
    domainPrefix: api.apiId,
    requestTimeEpoch: now,
    requestId,
    identity: {
      ...anonymousIdentity,
      sourceIp: sourceIpOf(request),
      userAgent: request.headers['user-agent'] ?? null,
    },
    domainName: `${api.apiId}.execute-api.${api.region}.amazonaws.com`,
    apiId: api.apiId,
    authorizer: null,
  };
}

export function sourceIpOf(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? '127.0.0.1';
}

/** Keeps the case of the header names and adds the `X-Forwarded-…` headers of API Gateway. */
function groupHeaders(request: IncomingMessage): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? '';
    if (/^(connection|transfer-encoding|content-length)$/i.test(name)) continue;
    headers[name] = [...(headers[name] ?? []), request.rawHeaders[index + 1] ?? ''];
  }
  headers['X-Forwarded-For'] = [sourceIpOf(request)];
  headers['X-Forwarded-Port'] = [String(request.socket.localPort)];
  headers['X-Forwarded-Proto'] = ['http'];
  return headers;
}

function groupQuery(query: URLSearchParams): Record<string, string[]> {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}

function lastOfEach(values: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.at(-1) ?? '']));
}

/** Formats a time such as `20/Nov/2026:13:14:00 +0000`. */
export function toCommonLogTime(epochMs: number): string {
  const [, day, month, year, time] = new Date(epochMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
