/** The frame of the endpoints that answer in one piece: who calls, what they get in JSON, and errors in OpenAI's shape. */

import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import middy, { type MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { asGatewayError, renderError } from '#lambdas/platform/http/error-response.ts';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import { type Authenticate, createAuthenticate } from './authenticate.ts';
import type { ApiKey } from './directory.ts';
import { createDirectoryStore } from './organizations.ts';
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

// What the functions that answer in one piece start with. Only entry files call this.

/** By default the SDK waits without end. This way a caller is told before API Gateway's 29 seconds are over. */
export const reportClientSettings = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
} as const satisfies DynamoDBClientConfig;

export function createReportClients(directoryTable: string) {
  const client = createDocumentClient(new DynamoDBClient(reportClientSettings));
  const directory = createDirectoryStore({ client, tableName: directoryTable });
  return { client, directory, authenticate: createAuthenticate({ directory, now: () => new Date() }) };
}
