import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { answerMock, gatewayResponseTypes, readGatewayResponses } from '#local/http/gateway-responses.ts';
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

describe('a gateway response', () => {
  it("is API Gateway's own when the template has none", () => {
    expect(responses({})('MISSING_AUTHENTICATION_TOKEN', context)).toEqual({
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: '{"message":"Missing Authentication Token"}',
    });
  });

  it.each([
    ['INTEGRATION_FAILURE', 502, 'Internal server error'],
    ['THROTTLED', 429, 'Too Many Requests'],
  ] as const)('is for %s, when the template has none, a %i', (type, status, message) => {
    expect(responses({})(type, context)).toMatchObject({ status, body: JSON.stringify({ message }) });
  });

  it('exists in API Gateway', () => {
    const known = Object.values(ResponseType).map(({ responseType }: ResponseType) => responseType);

    expect(gatewayResponseTypes.filter((type) => !known.includes(type))).toEqual([]);
  });

  it('is that of its type, before that of its class', () => {
    const respond = responses({
      MISSING_AUTHENTICATION_TOKEN: { StatusCode: '404', ...json('{"own":$context.error.messageString}') },
      DEFAULT_4XX: { ...json('{"class":"$context.error.responseType $context.requestId"}') },
      DEFAULT_5XX: { ResponseParameters: { 'gatewayresponse.header.Retry-After': "'1'" } },
    });

    expect(respond('MISSING_AUTHENTICATION_TOKEN', context)).toMatchObject({
      status: 404,
      body: '{"own":"Missing Authentication Token"}',
    });
    expect(respond('REQUEST_TOO_LARGE', context)).toMatchObject({
      status: 413,
      body: '{"class":"REQUEST_TOO_LARGE r-1"}',
    });
    expect(respond('INTEGRATION_TIMEOUT', context)).toMatchObject({
      status: 504,
      headers: { 'content-type': 'application/json', 'retry-after': '1' },
      body: '{"message":"Endpoint request timed out"}',
    });
  });

  it('is refused when its template has a variable that is not known', () => {
    expect(() => responses({ DEFAULT_4XX: json('$input.body') })).toThrow(
      'DEFAULT_4XX: the local run does not know $input.body',
    );
  });
});

describe('a mock integration', () => {
  const mock = {
    RequestTemplates: { 'application/json': '{"statusCode":405}' },
    PassthroughBehavior: 'NEVER',
    IntegrationResponses: [
      { StatusCode: '200', SelectionPattern: '2..' },
      {
        StatusCode: '405',
        ResponseParameters: { 'method.response.header.Allow': "'GET'" },
        ResponseTemplates: { 'application/json': '{"no":true}' },
      },
    ],
  };
  const answer405 = {
    status: 405,
    headers: { 'content-type': 'application/json', allow: 'GET' },
    body: '{"no":true}',
  };

  it('answers with the response for the status code of its template', () => {
    expect(answerMock(mock, 'application/json; charset=utf-8')).toEqual(answer405);
    expect(answerMock(mock, undefined)).toEqual(answer405);
    const ok = { ...mock, RequestTemplates: { 'application/json': '{"statusCode":200}' } };
    expect(answerMock(ok, undefined)).toMatchObject({ status: 200, body: '' });
  });

  it('fails as in AWS on a content type that it has no template for', () => {
    expect(answerMock(mock, 'text/plain')).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(answerMock({ ...mock, PassthroughBehavior: 'WHEN_NO_MATCH' }, 'text/plain')).toBe('DEFAULT_5XX');
  });
});
