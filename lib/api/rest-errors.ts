/** Errors that API Gateway returns itself, in the format of OpenAI's API. */

import {
  type IResource,
  MockIntegration,
  PassthroughBehavior,
  ResponseType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { type ErrorCode, errorDefinitions } from '#lambdas/platform/errors.ts';

export type Headers = Record<string, string>;

/** The media type of all responses, and the default for requests. */
const json = 'application/json';

interface RestError {
  code: ErrorCode;
  /** Default: that of API Gateway. */
  message?: string;
  headers?: Headers;
}

const notFound: RestError = {
  code: 'not_found',
  message: 'There is no such path: check the base URL and the path',
};

const methodNotAllowed: RestError = {
  code: 'method_not_allowed',
  message: 'This path does not support the request method: use one that the Allow header lists',
};

const forbidden: RestError = {
  code: 'forbidden',
  message: "The request is not allowed: ask the gateway's operator, whose firewall may have rejected it",
};

const tooManyRequests: RestError = {
  code: 'rate_limit_exceeded',
  message: 'Too many requests: send the request again later',
  headers: { 'retry-after': '1' },
};

/**
 * The response to INTEGRATION_FAILURE, which covers functions that throw, exit, run out of memory, fail to start,
 * return too much or are throttled by Lambda. The response cannot tell which; the access log can, through `lambdaStatus`. API
 * Gateway's default is a 502 without `retry-after`. The access logs in
 * https://github.com/DataBiosphere/azul/issues/8192 show the cases.
 */
const functionFailure: RestError = {
  code: 'service_unavailable',
  message: 'The gateway cannot take the request now: send it again later',
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
    code: 'invalid_api_key',
    message:
      'The API key is missing or not valid: send an active key in the header Authorization or x-api-key',
    headers: { 'www-authenticate': 'Bearer' },
  },
  ACCESS_DENIED: forbidden,
  WAF_FILTERED: forbidden,
  BAD_REQUEST_BODY: { code: 'invalid_request_error' },
  BAD_REQUEST_PARAMETERS: { code: 'invalid_request_error' },
  REQUEST_TOO_LARGE: {
    code: 'request_too_large',
    message: 'The request body is too large: send at most 6 MB',
  },
  THROTTLED: tooManyRequests,
  QUOTA_EXCEEDED: tooManyRequests,
  INTEGRATION_FAILURE: functionFailure,
  INTEGRATION_TIMEOUT: {
    code: 'timeout',
    message: 'The gateway took too long to respond: send the request again',
  },
};

/** For the response types without an own error, which keep the statuses of API Gateway. */
const defaultErrors: Record<string, RestError> = {
  DEFAULT_4XX: { code: 'invalid_request_error' },
  DEFAULT_5XX: { code: 'internal_error' },
};

/**
 * The id of the request in the access log, for OpenAI's SDKs. Both gateway responses and mock integrations map it:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/rest-api-parameter-mapping-sources.html
 */
const requestIdHeader = { 'x-request-id': 'context.requestId' };

/** All errors have `headers` in addition to their own. */
export function addGatewayResponses(api: RestApi, headers: Headers): void {
  const addResponse = (responseType: string, error: RestError, status?: number) =>
    api.addGatewayResponse(responseType, {
      type: ResponseType.of(responseType),
      statusCode: status?.toString(),
      responseHeaders: responseHeaders({ ...headers, ...error.headers }),
      templates: { [json]: renderBody(error) },
    });
  for (const [responseType, error] of Object.entries(errorsByResponseType)) {
    addResponse(responseType, error, errorDefinitions[error.code].status);
  }
  for (const [responseType, error] of Object.entries(defaultErrors)) addResponse(responseType, error);
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
  rejectMethod(resource, 'ANY', { ...methodNotAllowed, headers: { ...headers, ...allow } });
}

/**
 * Returns 404 for all methods of a resource that is not a route. Without a method, API Gateway would parse the caller's
 * `Authorization` header as an AWS signature and report that it is invalid.
 */
export function rejectAllMethods(resource: IResource, headers: Headers = {}): void {
  addMockMethod(resource, 'ANY', { mediaTypes: [json], error: { ...notFound, headers } });
}

/** Returns the error for a method of the resource or, with `ANY`, for all without an integration of their own. */
export function rejectMethod(resource: IResource, method: string, error: RestError): void {
  addMockMethod(resource, method, { mediaTypes: commonMediaTypes, error });
}

/**
 * Returns UNSUPPORTED_MEDIA_TYPE, which becomes 404, for media types other than `mediaTypes`, whose parameters, such as a
 * charset or boundary, do not matter: https://docs.aws.amazon.com/apigateway/latest/developerguide/integration-passthrough-behaviors.html
 */
function addMockMethod(
  resource: IResource,
  method: string,
  { mediaTypes, error }: { mediaTypes: readonly string[]; error: RestError },
): void {
  const { status } = errorDefinitions[error.code];
  const statusCode = status.toString();
  const headers = Object.entries(responseHeaders(error.headers)).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  const integration = new MockIntegration({
    // A body that is passed through would break the mock.
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(
      mediaTypes.map((mediaType) => [mediaType, JSON.stringify({ statusCode: status })]),
    ),
    integrationResponses: [
      {
        statusCode,
        responseTemplates: { [json]: renderBody(error) },
        responseParameters: Object.fromEntries(headers),
      },
    ],
  });
  resource.addMethod(method, integration, {
    methodResponses: [
      { statusCode, responseParameters: Object.fromEntries(headers.map(([name]) => [name, true])) },
    ],
  });
}

/** Includes the id of the request. API Gateway requires single quotes around constant header values. */
export function responseHeaders(headers: Headers = {}): Headers {
  const constants = Object.entries(headers).map(([name, value]) => [name, `'${value}'`]);
  return { ...requestIdHeader, ...Object.fromEntries(constants) };
}

/** `$context.error.messageString` is already a quoted and escaped JSON string. */
function renderBody({ message, code }: RestError): string {
  const { type } = errorDefinitions[code];
  const rendered = message === undefined ? '$context.error.messageString' : JSON.stringify(message);
  return `{"error":{"message":${rendered},"type":"${type}","param":null,"code":"${code}"}}`;
}
