/** Errors that API Gateway returns itself, in the format of OpenAI's API. */

import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { ErrorType } from '#lambdas/platform/errors.ts';

type Headers = Record<string, string>;

/** The media type of all responses, and the default for requests. */
const json = 'application/json';

/** Status and message default to those of API Gateway. */
interface RestError {
  status?: number;
  message?: string;
  type: ErrorType;
  code: string;
  headers?: Headers;
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
 * return too much or are throttled by Lambda. The response cannot tell which, only the access log, by `lambdaStatus`. API
 * Gateway's default is a 502 without `retry-after`. The access logs in
 * https://github.com/DataBiosphere/azul/issues/8192 show the cases.
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
  // Only the mock integrations below check the media type, and those of unknown paths accept only the default.
  UNSUPPORTED_MEDIA_TYPE: notFound,
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
 * The id of the request in the access log, for OpenAI's SDKs. Both gateway responses and mock integrations map it:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/rest-api-parameter-mapping-sources.html
 */
const requestIdHeader = { 'x-request-id': 'context.requestId' };

/** All errors have `headers` in addition to their own. */
export function addGatewayResponses(api: RestApi, headers: Headers): void {
  for (const [responseType, error] of Object.entries(errorsByResponseType)) {
    api.addGatewayResponse(responseType, {
      type: ResponseType.of(responseType),
      statusCode: error.status?.toString(),
      responseHeaders: mappedHeaders({ ...headers, ...error.headers }),
      templates: { [json]: renderBody(error) },
    });
  }
}

/** Clients send these. With any other, an unsupported method of a known path gets 404 instead of 405. */
const commonMediaTypes = [
  json,
  'application/octet-stream',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
];

/** Returns 405 for all methods of the resource except `allowedMethods`, with `headers` in addition to `Allow`. */
export function rejectOtherMethods(
  resource: IResource,
  allowedMethods: readonly string[],
  headers: Headers = {},
): void {
  const allow = { Allow: allowedMethods.join(', ') };
  addMock(resource, commonMediaTypes, { ...methodNotAllowed, headers: { ...headers, ...allow } });
}

/**
 * Returns 404 for all methods of a resource that is not a route. Without a method, API Gateway would parse the caller's
 * `Authorization` header as an AWS signature and report that it is invalid.
 */
export function rejectAllMethods(resource: IResource, headers: Headers = {}): void {
  addMock(resource, [json], { ...notFound, headers });
}

/**
 * Returns UNSUPPORTED_MEDIA_TYPE for media types other than `mediaTypes`, whose parameters, such as a charset or boundary,
 * do not matter: https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
 */
function addMock(
  resource: IResource,
  mediaTypes: readonly string[],
  error: RestError & { status: number },
): void {
  const statusCode = error.status.toString();
  const headers = Object.entries(mappedHeaders(error.headers)).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  const integration = new MockIntegration({
    // A body that is passed through would break the mock.
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(
      mediaTypes.map((mediaType) => [mediaType, JSON.stringify({ statusCode: error.status })]),
    ),
    integrationResponses: [
      {
        statusCode,
        responseTemplates: { [json]: renderBody(error) },
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
function mappedHeaders(headers: Headers = {}): Headers {
  const constants = Object.entries(headers).map(([name, value]) => [name, `'${value}'`]);
  return { ...requestIdHeader, ...Object.fromEntries(constants) };
}

/** `$context.error.messageString` is already a quoted and escaped JSON string. */
function renderBody({ message, type, code }: RestError): string {
  const rendered = message === undefined ? '$context.error.messageString' : JSON.stringify(message);
  return `{"error":{"message":${rendered},"type":"${type}","param":null,"code":"${code}"}}`;
}
