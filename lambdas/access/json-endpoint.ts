/** Wraps every non-streaming endpoint: authentication, JSON responses, and errors in OpenAI's format. */

import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { renderError, toGatewayError } from '#lambdas/platform/http/error-response.ts';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import type { Authenticate } from './authenticate.ts';
import type { ApiKey } from './directory.ts';

export interface JsonRequest {
  organizationId: string;
  query: RawQueryParameters;
  id: string;
}

/** Returns the JSON body of a 200 response; throws a `GatewayError` for any other response. */
export type JsonEndpoint = (request: JsonRequest) => Promise<unknown>;

type AuthenticatedContext = Context & { apiKey: ApiKey };
type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, AuthenticatedContext>;

export function createJsonEndpoint(authenticate: Authenticate, endpoint: JsonEndpoint) {
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, AuthenticatedContext>()
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

function errorResponses(): Middleware {
  return {
    onError(request) {
      request.response = renderError(toGatewayError(request.error));
    },
  };
}
