import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

interface GatewayResponse {
  ResponseType: string;
  StatusCode?: string;
  ResponseTemplates: Record<string, string>;
  ResponseParameters?: Record<string, string>;
}

const responses = gateway
  .ofType('AWS::ApiGateway::GatewayResponse')
  .map(({ resource }) => resource.Properties as unknown as GatewayResponse);

/** Parses a template after replacing the variable like API Gateway. */
const parseBody = (template: string | undefined) =>
  JSON.parse((template ?? '').replace('$context.error.messageString', '"message of API Gateway"'));

describe('Errors of API Gateway itself', () => {
  it.each([
    ['MISSING_AUTHENTICATION_TOKEN', '404', 'invalid_request_error', 'not_found'],
    ['INVALID_SIGNATURE', '404', 'invalid_request_error', 'not_found'],
    ['EXPIRED_TOKEN', '404', 'invalid_request_error', 'not_found'],
    ['RESOURCE_NOT_FOUND', '404', 'invalid_request_error', 'not_found'],
    ['UNSUPPORTED_MEDIA_TYPE', '405', 'invalid_request_error', 'method_not_allowed'],
    ['UNAUTHORIZED', '401', 'authentication_error', 'invalid_api_key'],
    ['ACCESS_DENIED', '403', 'invalid_request_error', 'forbidden'],
    ['WAF_FILTERED', '403', 'invalid_request_error', 'forbidden'],
    ['BAD_REQUEST_BODY', '400', 'invalid_request_error', 'invalid_request_error'],
    ['BAD_REQUEST_PARAMETERS', '400', 'invalid_request_error', 'invalid_request_error'],
    ['REQUEST_TOO_LARGE', '413', 'invalid_request_error', 'request_too_large'],
    ['THROTTLED', '429', 'rate_limit_error', 'rate_limit_exceeded'],
    ['QUOTA_EXCEEDED', '429', 'rate_limit_error', 'rate_limit_exceeded'],
    ['INTEGRATION_FAILURE', '503', 'api_error', 'service_unavailable'],
    ['INTEGRATION_TIMEOUT', '504', 'api_error', 'timeout'],
    ['DEFAULT_4XX', undefined, 'invalid_request_error', 'invalid_request_error'],
    ['DEFAULT_5XX', undefined, 'api_error', 'internal_error'],
  ])('%s has the format of an OpenAI error', (responseType, status, type, code) => {
    const response = responses.find((candidate) => candidate.ResponseType === responseType);

    expect(response?.StatusCode).toBe(status);
    expect(Object.keys(response?.ResponseTemplates ?? {})).toEqual(['application/json']);
    expect(parseBody(response?.ResponseTemplates['application/json'])).toEqual({
      error: { message: expect.stringMatching(/./), type, param: null, code },
    });
  });

  it('returns www-authenticate and retry-after headers like the functions', () => {
    const withHeaders = responses.filter(({ ResponseParameters }) => ResponseParameters !== undefined);

    expect(
      withHeaders.map(({ ResponseType, ResponseParameters }) => [ResponseType, ResponseParameters]),
    ).toEqual([
      ['UNAUTHORIZED', { 'gatewayresponse.header.www-authenticate': "'Bearer'" }],
      ['THROTTLED', { 'gatewayresponse.header.retry-after': "'1'" }],
      ['QUOTA_EXCEEDED', { 'gatewayresponse.header.retry-after': "'1'" }],
      ['INTEGRATION_FAILURE', { 'gatewayresponse.header.retry-after': "'1'" }],
    ]);
  });

  it('never repeats the signature messages of API Gateway, which contain the Authorization header', () => {
    const repeating = responses
      .filter(({ ResponseTemplates }) => ResponseTemplates['application/json']?.includes('$context'))
      .map(({ ResponseType }) => ResponseType);

    expect(repeating).toEqual(['BAD_REQUEST_BODY', 'BAD_REQUEST_PARAMETERS', 'DEFAULT_4XX', 'DEFAULT_5XX']);
  });
});

describe('Mock integrations', () => {
  const mockAt = (path: string) =>
    gateway.resource(`RestApi/Api/Default${path}/ANY`).Properties as {
      Integration: {
        Type: string;
        PassthroughBehavior: string;
        RequestTemplates: Record<string, string>;
        IntegrationResponses: {
          StatusCode: string;
          ResponseTemplates: Record<string, string>;
          ResponseParameters?: Record<string, string>;
        }[];
      };
      MethodResponses: unknown[];
    };

  it.each([
    ['/ai/chat/completions', 'POST'],
    ['/ai/models', 'GET'],
    ['/ai/models/{id+}', 'GET'],
    ['/api/logs', 'GET'],
    ['/api/logs/{id}', 'GET'],
    ['/api/costs', 'GET'],
  ])('returns 405 for %s with a method other than %s', (path, allowed) => {
    const { Integration, MethodResponses } = mockAt(path);

    expect(Integration).toMatchObject({
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":405}' },
      IntegrationResponses: [
        { StatusCode: '405', ResponseParameters: { 'method.response.header.Allow': `'${allowed}'` } },
      ],
    });
    expect(parseBody(Integration.IntegrationResponses[0]?.ResponseTemplates['application/json'])).toEqual({
      error: {
        message: 'This route does not support the request method.',
        type: 'invalid_request_error',
        param: null,
        code: 'method_not_allowed',
      },
    });
    expect(MethodResponses).toEqual([
      { StatusCode: '405', ResponseParameters: { 'method.response.header.Allow': true } },
    ]);
  });

  it.each(['', '/ai', '/ai/chat', '/api', '/{proxy+}'])('returns 404 at "%s"', (path) => {
    const { Integration } = mockAt(path);

    expect(Integration).toMatchObject({
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":404}' },
      IntegrationResponses: [{ StatusCode: '404' }],
    });
    expect(parseBody(Integration.IntegrationResponses[0]?.ResponseTemplates['application/json'])).toEqual({
      error: {
        message: 'There is no such route.',
        type: 'invalid_request_error',
        param: null,
        code: 'not_found',
      },
    });
  });
});
