/** Errors that API Gateway returns itself, in the format of OpenAI's API. */

import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { ErrorType } from '#lambdas/platform/errors.ts';
import { exposedHeaders } from '#lambdas/platform/http/cors.ts';

/** Status and message default to those of API Gateway. */
interface RestError {
  status?: number;
  message?: string;
  type: ErrorType;
  code: string;
  headers?: Record<string, string>;
}

const invalidRequest: RestError = { type: 'invalid_request_error', code: 'invalid_request_error' };

const notFound = {
  status: 404,
  message: 'There is no such route.',
  type: 'invalid_request_error',
  code: 'not_found',
} satisfies RestError;

const methodNotAllowed = {
  status: 405,
  message: 'This route does not support the request method.',
  type: 'invalid_request_error',
  code: 'method_not_allowed',
} satisfies RestError;

const forbidden: RestError = {
  status: 403,
  message: 'This request is not allowed.',
  type: 'invalid_request_error',
  code: 'forbidden',
};

const tooManyRequests: RestError = {
  status: 429,
  message: 'Too many requests. Try again later.',
  type: 'rate_limit_error',
  code: 'rate_limit_exceeded',
  headers: { 'retry-after': '1' },
};

/**
 * The response to INTEGRATION_FAILURE, which covers functions that throw, exit, run out of memory, fail to start,
 * return too much or are throttled by Lambda. API Gateway does not report which. Its default is a 502 without
 * `retry-after`. The access logs in https://github.com/DataBiosphere/azul/issues/8192 show the cases.
 */
const functionFailure: RestError = {
  status: 503,
  message: 'The gateway cannot take the request now. Try again later.',
  type: 'api_error',
  code: 'service_unavailable',
  headers: { 'retry-after': '1' },
};

const errorsByResponseType: Record<string, RestError> = {
  // No method requires a signature, so these errors mean that there is no such method.
  MISSING_AUTHENTICATION_TOKEN: notFound,
  INVALID_SIGNATURE: notFound,
  EXPIRED_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  // Only the mock integrations below check the media type, and requests reach them with an unsupported method.
  UNSUPPORTED_MEDIA_TYPE: methodNotAllowed,
  UNAUTHORIZED: {
    status: 401,
    message: 'The API key is missing or not valid.',
    type: 'authentication_error',
    code: 'invalid_api_key',
    headers: { 'www-authenticate': 'Bearer' },
  },
  ACCESS_DENIED: forbidden,
  WAF_FILTERED: forbidden,
  BAD_REQUEST_BODY: { status: 400, ...invalidRequest },
  BAD_REQUEST_PARAMETERS: { status: 400, ...invalidRequest },
  REQUEST_TOO_LARGE: {
    status: 413,
    message: 'The body of the request is too large.',
    type: 'invalid_request_error',
    code: 'request_too_large',
  },
  THROTTLED: tooManyRequests,
  QUOTA_EXCEEDED: tooManyRequests,
  INTEGRATION_FAILURE: functionFailure,
  INTEGRATION_TIMEOUT: {
    status: 504,
    message: 'The gateway took too long to respond.',
    type: 'api_error',
    code: 'timeout',
  },
  DEFAULT_4XX: invalidRequest,
  DEFAULT_5XX: { type: 'api_error', code: 'internal_error' },
};

/**
 * The headers with which pages of the allowed origins can read an error that API Gateway returns itself. It cannot choose
 * among several origins, so that then all pages can read these errors, which disclose nothing.
 */
export function crossOriginHeaders(allowedOrigins: readonly string[]): Record<string, string> {
  const [first, ...others] = allowedOrigins;
  if (first === undefined) return {};
  return {
    'access-control-allow-origin': others.length === 0 ? first : '*',
    'access-control-expose-headers': exposedHeaders,
  };
}

/** `headers` are those of every error. */
export function addGatewayResponses(api: RestApi, headers: Record<string, string>): void {
  for (const [responseType, error] of Object.entries(errorsByResponseType)) {
    const responseHeaders = { ...error.headers, ...headers };
    api.addGatewayResponse(responseType, {
      type: ResponseType.of(responseType),
      statusCode: error.status?.toString(),
      responseHeaders: Object.keys(responseHeaders).length === 0 ? undefined : quoteValues(responseHeaders),
      templates: { 'application/json': renderBody(error) },
    });
  }
}

/** Returns 405 for all methods of the resource except `allowedMethods`. */
export function rejectOtherMethods(
  resource: IResource,
  allowedMethods: readonly string[],
  headers: Record<string, string> = {},
): void {
  addMock(resource, { ...methodNotAllowed, headers: { Allow: allowedMethods.join(', '), ...headers } });
}

/**
 * Returns 404 for all methods of a resource that is not a route. Without a method, API Gateway would parse the caller's
 * `Authorization` header as an AWS signature and report that it is invalid.
 */
export function rejectAllMethods(resource: IResource): void {
  addMock(resource, notFound);
}

function addMock(resource: IResource, error: RestError & { status: number }): void {
  const statusCode = error.status.toString();
  const headers = Object.entries(quoteValues(error.headers ?? {})).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  const integration = new MockIntegration({
    // Return UNSUPPORTED_MEDIA_TYPE for media types other than JSON: passed through, they would break the mock.
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': JSON.stringify({ statusCode: error.status }) },
    integrationResponses: [
      {
        statusCode,
        responseTemplates: { 'application/json': renderBody(error) },
        responseParameters: Object.fromEntries(headers),
      },
    ],
  });
  resource.addMethod('ANY', integration, {
    methodResponses: [
      { statusCode, responseParameters: Object.fromEntries(headers.map(([name]) => [name, true])) },
    ],
  });
}

/** API Gateway requires single quotes around constant header values. */
function quoteValues(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}

/** `$context.error.messageString` is already a quoted and escaped JSON string. */
function renderBody({ message, type, code }: RestError): string {
  const rendered = message === undefined ? '$context.error.messageString' : JSON.stringify(message);
  return `{"error":{"message":${rendered},"type":"${type}","param":null,"code":"${code}"}}`;
}
