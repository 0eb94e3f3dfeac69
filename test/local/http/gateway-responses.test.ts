import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import {
  gatewayResponseTypes,
  readGatewayResponses,
  renderMockResponse,
} from '#local/http/gateway-responses.ts';
import { parseTemplate } from '#local/template/template.ts';

const context = { requestId: 'r-1', httpMethod: 'GET', path: '/x' };

function responses(byType: Record<string, object>) {
  const resources = Object.entries(byType).map(([ResponseType, properties]) => [
    ResponseType,
    { Type: 'AWS::ApiGateway::GatewayResponse', Properties: { ResponseType, ...properties } },
  ]);
  const template = { Resources: Object.fromEntries(resources) };
  return readGatewayResponses(parseTemplate({ stackName: 'S', template }));
}

const json = (text: string) => ({ ResponseTemplates: { 'application/json': text } });

describe('readGatewayResponses', () => {
  it("returns API Gateway's default response when the template has none", () => {
    expect(responses({})('MISSING_AUTHENTICATION_TOKEN', context)).toEqual({
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: '{"message":"Missing Authentication Token"}',
    });
  });

  it.each([
    ['INTEGRATION_FAILURE', 502, 'Internal server error'],
    ['THROTTLED', 429, 'Too Many Requests'],
  ] as const)('returns the default status and message for %s', (type, status, message) => {
    expect(responses({})(type, context)).toMatchObject({ status, body: JSON.stringify({ message }) });
  });

  it('supports only response types of API Gateway', () => {
    const known = Object.values(ResponseType).map(({ responseType }: ResponseType) => responseType);

    expect(gatewayResponseTypes.filter((type) => !known.includes(type))).toEqual([]);
  });

  it('prefers the response of the type over that of its class', () => {
    const respond = responses({
      MISSING_AUTHENTICATION_TOKEN: {
        StatusCode: '404',
        ...json('{"specific":$context.error.messageString}'),
      },
      DEFAULT_4XX: { ...json('{"class":"$context.error.responseType $context.requestId"}') },
      DEFAULT_5XX: {
        ResponseParameters: {
          'gatewayresponse.header.Retry-After': "'1'",
          'gatewayresponse.header.X-Request-Id': 'context.requestId',
        },
      },
    });

    expect(respond('MISSING_AUTHENTICATION_TOKEN', context)).toMatchObject({
      status: 404,
      body: '{"specific":"Missing Authentication Token"}',
    });
    expect(respond('REQUEST_TOO_LARGE', context)).toMatchObject({
      status: 413,
      body: '{"class":"REQUEST_TOO_LARGE r-1"}',
    });
    expect(respond('INTEGRATION_TIMEOUT', context)).toMatchObject({
      status: 504,
      headers: { 'content-type': 'application/json', 'retry-after': '1', 'x-request-id': 'r-1' },
      body: '{"message":"Endpoint request timed out"}',
    });
  });

  it('rejects a template with an unsupported variable', () => {
    expect(() => responses({ DEFAULT_4XX: json('$input.body') })).toThrow(
      'DEFAULT_4XX: the local run does not support $input.body',
    );
  });
});

describe('Headers of a response', () => {
  it.each([
    { 'gatewayresponse.header.Origin': 'method.request.header.Origin' },
    { 'gatewayresponse.header.Stage': 'context.stage' },
    { 'method.response.header.Allow': "'GET'" },
  ])('cannot be mapped from %j', (ResponseParameters) => {
    expect(() => responses({ DEFAULT_4XX: { ResponseParameters } })).toThrow(
      'DEFAULT_4XX: the local run supports only gatewayresponse.header.NAME',
    );
  });
});

describe('renderMockResponse', () => {
  const mock = {
    RequestTemplates: { 'application/json': '{"statusCode":405}' },
    PassthroughBehavior: 'NEVER',
    IntegrationResponses: [
      { StatusCode: '200', SelectionPattern: '2..' },
      {
        StatusCode: '405',
        ResponseParameters: {
          'method.response.header.Allow': "'GET'",
          'method.response.header.X-Request-Id': 'context.requestId',
        },
        ResponseTemplates: { 'application/json': '{"no":true}' },
      },
    ],
  };
  const response405 = {
    status: 405,
    headers: { 'content-type': 'application/json', allow: 'GET', 'x-request-id': 'r-1' },
    body: '{"no":true}',
  };

  it('returns the integration response for the status code of the request template', () => {
    expect(renderMockResponse(mock, 'application/json; charset=utf-8', context)).toEqual(response405);
    expect(renderMockResponse(mock, undefined, context)).toEqual(response405);
    const ok = { ...mock, RequestTemplates: { 'application/json': '{"statusCode":200}' } };
    expect(renderMockResponse(ok, undefined, context)).toMatchObject({ status: 200, body: '' });
  });

  it('returns an error type for a content type without a request template', () => {
    expect(renderMockResponse(mock, 'text/plain', context)).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(renderMockResponse({ ...mock, PassthroughBehavior: 'WHEN_NO_MATCH' }, 'text/plain', context)).toBe(
      'DEFAULT_5XX',
    );
  });
});
