/**
 * Responses that API Gateway generates itself: gateway responses (errors) and MOCK integrations.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
import { LocalGatewayError } from '../local-gateway-error.ts';
import { resourcesOfType, type Template } from '../template/template.ts';
import { asList, asObject, asString, isObject, type JsonObject, parseJson } from '../untyped-json.ts';

export interface FixedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const defaultResponses = {
  BAD_REQUEST_BODY: { status: 400, message: 'Invalid request body' },
  DEFAULT_5XX: { status: 500, message: 'Internal server error' },
  INTEGRATION_FAILURE: { status: 502, message: 'Internal server error' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  THROTTLED: { status: 429, message: 'Too Many Requests' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported Media Type' },
} as const;

export type GatewayResponseType = keyof typeof defaultResponses;

export const gatewayResponseTypes = Object.keys(defaultResponses);

/** Values of `$context` in a mapping template. */
export interface ResponseContext {
  requestId: string;
  httpMethod: string;
  path: string;
}

type ResponseHeaders = (context: ResponseContext) => Record<string, string>;

interface Customization {
  status: number | undefined;
  headers: ResponseHeaders;
  template: string | undefined;
}

export function readGatewayResponses(
  template: Template,
): (type: GatewayResponseType, context: ResponseContext) => FixedResponse {
  const customizations = new Map<string, Customization>();
  for (const { logicalId, properties } of resourcesOfType(template, 'AWS::ApiGateway::GatewayResponse')) {
    const templates = asObject(properties.ResponseTemplates ?? {}, `${logicalId}.ResponseTemplates`);
    const body = templates['application/json'];
    const customization = {
      status: properties.StatusCode === undefined ? undefined : Number(properties.StatusCode),
      headers: readHeaders(properties.ResponseParameters, 'gatewayresponse.header.', logicalId),
      template:
        body === undefined ? undefined : asString(body, `${logicalId}.ResponseTemplates['application/json']`),
    };
    assertKnownVariables(customization.template ?? '', logicalId);
    customizations.set(asString(properties.ResponseType, `${logicalId}.ResponseType`), customization);
  }
  return (type, context) => {
    const { status, message } = defaultResponses[type];
    const specific = customizations.get(type);
    const fallback = customizations.get(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
    const body = specific?.template ?? fallback?.template ?? '{"message":$context.error.messageString}';
    return {
      status: specific?.status ?? fallback?.status ?? status,
      headers: { 'content-type': 'application/json', ...(specific ?? fallback)?.headers(context) },
      body: render(body, { ...context, message, responseType: type }),
    };
  };
}

/**
 * Selects the request template by the content type of the request. Returns the type of the error response when no
 * template or response matches.
 */
export function renderMockResponse(
  integration: JsonObject,
  contentType: string | undefined,
  context: ResponseContext,
): FixedResponse | GatewayResponseType {
  const requestTemplates = asObject(integration.RequestTemplates ?? {}, 'RequestTemplates');
  const mediaType = (contentType ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  const requestTemplate = requestTemplates[mediaType];
  if (requestTemplate === undefined) {
    // With passthrough, the request body itself is the mock request: without a status code API Gateway returns 500.
    const passesThrough = (integration.PassthroughBehavior ?? 'WHEN_NO_MATCH') === 'WHEN_NO_MATCH';
    return passesThrough ? 'DEFAULT_5XX' : 'UNSUPPORTED_MEDIA_TYPE';
  }
  const mockRequest = parseJson(asString(requestTemplate, 'RequestTemplates'));
  const status = String(isObject(mockRequest) ? mockRequest.statusCode : '');
  const responses = asList(integration.IntegrationResponses).map((value) =>
    asObject(value, 'IntegrationResponses'),
  );
  const selected =
    responses.find(
      ({ SelectionPattern }) => SelectionPattern && new RegExp(`^${SelectionPattern}$`).test(status),
    ) ?? responses.find(({ SelectionPattern }) => !SelectionPattern);
  if (selected === undefined) return 'DEFAULT_5XX';
  const templates = asObject(selected.ResponseTemplates ?? {}, 'ResponseTemplates');
  return {
    status: Number(selected.StatusCode),
    headers: {
      'content-type': 'application/json',
      ...readHeaders(selected.ResponseParameters, 'method.response.header.', 'IntegrationResponses')(context),
    },
    body: asString(templates['application/json'] ?? '', 'ResponseTemplates'),
  };
}

function readHeaders(parameters: unknown, prefix: string, where: string): ResponseHeaders {
  const literals: Record<string, string> = {};
  const requestIds: string[] = [];
  for (const [parameter, value] of Object.entries(asObject(parameters ?? {}, where))) {
    const name = parameter.slice(prefix.length).toLowerCase();
    const literal = asString(value, `${where}: ${parameter}`).match(/^'(.*)'$/)?.[1];
    if (!parameter.startsWith(prefix) || (literal === undefined && value !== 'context.requestId')) {
      throw new LocalGatewayError(
        `${where}: the local run supports only ${prefix}NAME with a 'literal' value or context.requestId, not ${parameter}`,
      );
    }
    if (literal === undefined) requestIds.push(name);
    else literals[name] = literal;
  }
  return ({ requestId }) => ({
    ...literals,
    ...Object.fromEntries(requestIds.map((name) => [name, requestId])),
  });
}

const variables: Record<
  string,
  (values: ResponseContext & { message: string; responseType: string }) => string
> = {
  '$context.error.message': ({ message }) => message,
  '$context.error.messageString': ({ message }) => JSON.stringify(message),
  '$context.error.responseType': ({ responseType }) => responseType,
  '$context.httpMethod': ({ httpMethod }) => httpMethod,
  '$context.path': ({ path }) => path,
  '$context.requestId': ({ requestId }) => requestId,
};

const variablePattern = /\$[A-Za-z][A-Za-z.]*/g;

function render(
  template: string,
  values: ResponseContext & { message: string; responseType: string },
): string {
  return template.replace(variablePattern, (name) => variables[name]?.(values) ?? '');
}

function assertKnownVariables(template: string, where: string): void {
  const unknown = (template.match(variablePattern) ?? []).find((name) => variables[name] === undefined);
  if (unknown !== undefined)
    throw new LocalGatewayError(`${where}: the local run does not support ${unknown}`);
}
