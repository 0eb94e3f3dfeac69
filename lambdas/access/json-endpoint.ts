/** Wraps every non-streaming endpoint: authentication, JSON responses, and errors in OpenAI's format. */

import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Cors } from '#lambdas/platform/http/cors.ts';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { requestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import { log } from '#lambdas/platform/telemetry/log.ts';
import type { Authenticate } from './authenticate.ts';
import type { ApiKey } from './directory.ts';
import { createRejectionLog } from './rejection-log.ts';

export interface JsonRequest {
  organizationId: string;
  query: RawQueryParameters;
  id: string;
}

/** Returns the JSON body of a 200 response; throws a `GatewayError` for any other response. */
export type JsonEndpoint = (request: JsonRequest) => Promise<unknown>;

type AuthenticatedContext = Context & { apiKey: ApiKey };
type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, AuthenticatedContext>;

export function createJsonEndpoint(authenticate: Authenticate, cors: Cors, endpoint: JsonEndpoint) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, AuthenticatedContext>()
    .use(crossOrigin(cors))
    .use(requestIds())
    .use(errorResponses())
    .use(authentication(authenticate))
    .handler(async (event, { apiKey }) => {
      const body = await endpoint({
        organizationId: apiKey.organization_id,
        query: event.multiValueQueryStringParameters ?? {},
        id: event.pathParameters?.id ?? '',
      });
      return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    });
}

function authentication(authenticate: Authenticate): Middleware {
  return {
    async before({ event, context }) {
      context.apiKey = await authenticate(readHttpRequest(event).headers.authorization);
    },
  };
}

const logRejection = createRejectionLog({ log, now: () => new Date() });

function errorResponses(): Middleware {
  return {
    onError(request) {
      const { event, context } = request;
      const error = toGatewayError(request.error);
      logRejection({
        error,
        endpoint: event.resource,
        sourceIp: event.requestContext.identity.sourceIp,
        organizationId: context.apiKey?.organization_id ?? null,
      });
      request.response = renderError(error);
    },
  };
}

function requestIds(): Middleware {
  return addHeaders(() => requestIdHeader());
}

/** A preflight request has no API key. */
function crossOrigin(cors: Cors): Middleware {
  return {
    ...addHeaders((event) => cors.headersFor(readHttpRequest(event))),
    before: ({ event }) => cors.preflight(readHttpRequest(event)) ?? undefined,
  };
}

function addHeaders(headersFor: (event: APIGatewayProxyEvent) => Record<string, string>): Middleware {
  const add: Middleware['after'] = ({ event, response }) => {
    if (response) response.headers = { ...response.headers, ...headersFor(event) };
  };
  return { after: add, onError: add };
}
