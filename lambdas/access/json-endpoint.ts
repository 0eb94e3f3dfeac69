/** Wraps the non-streaming endpoints of the API: authentication, JSON responses, and errors, by default in OpenAI's format. */

import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { Cors } from '#lambdas/platform/http/cors.ts';
import { type ErrorResponse, renderError } from '#lambdas/platform/http/error-response.ts';
import { readHttpRequest } from '#lambdas/platform/http/lambda-event.ts';
import { createProxyPipeline } from '#lambdas/platform/http/proxy-pipeline.ts';
import type { RawQueryParameters } from '#lambdas/platform/http/query.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import { type RequestIdHeader, requestIdHeader } from '#lambdas/platform/http/request-id-header.ts';
import { log } from '#lambdas/platform/telemetry/log.ts';
import type { Authenticate } from './authenticate.ts';
import type { RequestKey } from './directory.ts';
import { createRejectionLog } from './rejection-log.ts';

interface JsonRequest {
  apiKey: RequestKey;
  organizationId: string;
  headers: HttpRequest['headers'];
  query: RawQueryParameters;
  /** Empty for a path without an id. */
  pathId: string;
}

/** Returns the JSON body of a 200 response; throws a `GatewayError` for any other response. */
export type JsonEndpoint = (request: JsonRequest) => Promise<unknown>;

interface Authenticated {
  apiKey: RequestKey;
}

/** The parts of responses that depend on the client, besides the body of a 200 response. */
export interface ClientFormat {
  /** The header with the id of the request. */
  requestIdHeader: RequestIdHeader;
  renderError(error: GatewayError): ErrorResponse;
}

const openAiFormat: ClientFormat = { requestIdHeader: 'x-request-id', renderError };

interface JsonEndpointDependencies {
  authenticate: Authenticate;
  cors: Cors;
  now(): Date;
}

export function createJsonEndpoint(
  { authenticate, cors, now }: JsonEndpointDependencies,
  endpoint: JsonEndpoint,
  formatFor: (request: HttpRequest) => ClientFormat = () => openAiFormat,
) {
  const logRejection = createRejectionLog({ log, now });
  return (
    createProxyPipeline<Authenticated>({
      headersFor: (event) => {
        const request = readHttpRequest(event);
        return { ...requestIdHeader(formatFor(request).requestIdHeader), ...cors.headersFor(request) };
      },
      renderError: (error, event) => formatFor(readHttpRequest(event)).renderError(error),
      onErrorResponse: (error, event, context) =>
        logRejection({
          error,
          endpoint: event.resource,
          sourceIp: event.requestContext.identity.sourceIp,
          organizationId: context.apiKey?.organization_id ?? null,
        }),
      // A caller gets an error in the API's format instead of API Gateway's.
      timeoutEarlyMs: 5,
    })
      // A preflight request has no API key.
      .before(({ event }) => cors.preflight(readHttpRequest(event)) ?? undefined)
      .before(async ({ event, context }) => {
        context.apiKey = await authenticate(readHttpRequest(event).headers);
      })
      .handler(async (event, { apiKey }) => {
        const { headers, readQuery } = readHttpRequest(event);
        const body = await endpoint({
          apiKey,
          organizationId: apiKey.organization_id,
          headers,
          query: readQuery(),
          pathId: event.pathParameters?.id ?? '',
        });
        return {
          statusCode: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
      })
  );
}
