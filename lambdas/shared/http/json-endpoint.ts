/** The frame of the endpoints that answer in one piece: who calls, what they get in JSON, and errors in OpenAI's shape. */
import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { ApiKey } from '../domain/directory.ts';
import type { RawQueryParameters } from '../domain/query-parameters.ts';
import type { Authenticate } from './authenticate.ts';
import { asGatewayError, renderError } from './error-response.ts';
import { readHttpRequest } from './http-request.ts';

export interface JsonRequest {
  organizationId: string;
  query: RawQueryParameters;
  /** The path parameter `id`, where the route has one. */
  id: string;
}

/** Returns what is sent as JSON with status 200; throws a `GatewayError` for everything else. */
export type JsonEndpoint = (request: JsonRequest) => Promise<unknown>;

type AuthenticatedContext = Context & { apiKey: ApiKey };
type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, AuthenticatedContext>;

export function createJsonEndpoint(authenticate: Authenticate, endpoint: JsonEndpoint) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, AuthenticatedContext>()
    .use(errorsAsAnswers())
    .use(authenticated(authenticate))
    .handler(async (event, { apiKey }) => {
      const body = await endpoint({
        organizationId: apiKey.organization_id,
        query: event.multiValueQueryStringParameters ?? {},
        id: event.pathParameters?.id ?? '',
      });
      return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    });
}

function authenticated(authenticate: Authenticate): Middleware {
  return {
    async before({ event, context }) {
      context.apiKey = await authenticate(readHttpRequest(event).headers.authorization);
    },
  };
}

function errorsAsAnswers(): Middleware {
  return {
    onError(request) {
      request.response = renderError(asGatewayError(request.error));
    },
  };
}
