/** The frame of every non-streaming endpoint: authentication, a JSON response, and errors in OpenAI's shape. */

import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { asGatewayError, renderError } from '#lambdas/platform/http/error-response.ts';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import type { Authenticate } from './authenticate.ts';
import type { ApiKey } from './directory.ts';

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
