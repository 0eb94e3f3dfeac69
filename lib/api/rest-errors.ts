/** The errors that API Gateway responds with itself, in the shape that OpenAI's clients understand. */

import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { ErrorType } from '#lambdas/platform/errors.ts';

interface RestError {
  /** By default the status that API Gateway chose. */
  status?: number;
  /** By default API Gateway's own message. */
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
  message: 'This route does not support the method of the request.',
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
 * INTEGRATION_FAILURE covers a function that throws, exits, runs out of memory, fails to start or returns too much, as
 * well as one that Lambda throttles, and API Gateway does not say which. Its default of 502 carries no `retry-after`.
 * The access logs in https://github.com/DataBiosphere/azul/issues/8192 show the cases.
 */
const functionFailure: RestError = {
  status: 503,
  message: 'The gateway cannot take the request now. Try again later.',
  type: 'api_error',
  code: 'service_unavailable',
  headers: { 'retry-after': '1' },
};

const errorsByResponseType: Record<string, RestError> = {
  // No method requires a signature, so API Gateway reports one only where it found no method.
  MISSING_AUTHENTICATION_TOKEN: notFound,
  INVALID_SIGNATURE: notFound,
  EXPIRED_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  // Only the mocks below check the media type, and only a wrong method of a known route reaches one.
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
    message: 'The gateway took too long to answer the request.',
    type: 'api_error',
    code: 'timeout',
  },
  DEFAULT_4XX: invalidRequest,
  DEFAULT_5XX: { type: 'api_error', code: 'internal_error' },
};

export function addGatewayResponses(api: RestApi): void {
  for (const [responseType, error] of Object.entries(errorsByResponseType)) {
    api.addGatewayResponse(responseType, {
      type: ResponseType.of(responseType),
      statusCode: error.status?.toString(),
      responseHeaders: error.headers && quoteValues(error.headers),
      templates: { 'application/json': renderBody(error) },
    });
  }
}

/** Responds with 405 to every method that the resource does not have itself. */
export function rejectOtherMethods(resource: IResource, allowedMethod: string): void {
  addMock(resource, { ...methodNotAllowed, headers: { Allow: allowedMethod } });
}

/**
 * Responds with 404 to every method of a resource that is no route. Without a method there, API Gateway would take the
 * caller's `Authorization` for an AWS signature and report that it is invalid.
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
    // Media types other than JSON get UNSUPPORTED_MEDIA_TYPE; passed through, they would break the mock.
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

/** API Gateway expects constants in single quotes. */
function quoteValues(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}

/** `$context.error.messageString` is a JSON string: escaped and in quotes. */
function renderBody({ message, type, code }: RestError): string {
  const rendered = message === undefined ? '$context.error.messageString' : JSON.stringify(message);
  return `{"error":{"message":${rendered},"type":"${type}","param":null,"code":"${code}"}}`;
}
