import { describe, expect, it } from 'vitest';
import { exposedHeaders } from '#lambdas/platform/http/cors.ts';
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
    ['UNSUPPORTED_MEDIA_TYPE', '404', 'invalid_request_error', 'not_found'],
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

  it('returns the id of the request, www-authenticate and retry-after like the functions', () => {
    const headers = responses.map(({ ResponseType, ResponseParameters }) => {
      const { 'gatewayresponse.header.x-request-id': id, ...others } = ResponseParameters ?? {};
      expect(id).toBe('context.requestId');
      return [ResponseType, others] as const;
    });

    expect(headers.filter(([, others]) => Object.keys(others).length > 0)).toEqual([
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

describe('Errors of API Gateway itself, with allowed origins', () => {
  const allowing = synthesizeGateway({ allowedOrigins: ['https://app.example.com'] });

  it('can be read by pages of these origins', () => {
    const crossOrigin = {
      'access-control-allow-origin': "'https://app.example.com'",
      'access-control-expose-headers': `'${exposedHeaders}'`,
    };
    const headersOf = (parameters: Record<string, string> | undefined) =>
      Object.fromEntries(
        Object.entries(parameters ?? {}).map(([name, value]) => [name.split('.').at(-1), value]),
      );
    const gatewayResponses = allowing
      .ofType('AWS::ApiGateway::GatewayResponse')
      .map(({ resource }) => resource.Properties.ResponseParameters as Record<string, string>);
    const publicMocks = allowing
      .ofType('AWS::ApiGateway::Method')
      .filter(({ path }) => !path.includes('/dashboard'))
      .map(({ resource }) => (resource.Properties as unknown as Mock).Integration)
      .filter(({ Type }) => Type === 'MOCK')
      .map(({ IntegrationResponses }) => IntegrationResponses[0]);

    const headers = [...gatewayResponses, ...publicMocks.map((mock) => mock?.ResponseParameters)].map(
      headersOf,
    );

    expect(headers).toHaveLength(responses.length + 36);
    expect(headers).toEqual(headers.map(() => expect.objectContaining(crossOrigin)));
  });

  it('have no such header without allowed origins', () => {
    expect(JSON.stringify(gateway.ofType('AWS::ApiGateway::GatewayResponse'))).not.toContain(
      'access-control',
    );
    expect(JSON.stringify(gateway.ofType('AWS::ApiGateway::Method'))).not.toContain('access-control');
  });
});

interface Mock {
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
}

describe('Mock integrations', () => {
  const mockAt = (path: string, method = 'ANY') =>
    gateway.resource(`RestApi/Api/Default${path}/${method}`).Properties as unknown as Mock;

  it.each([
    ['/ai/chat/completions', 'POST'],
    ['/ai/responses', 'POST'],
    ['/ai/stream-test', 'GET'],
    ['/ai/models', 'GET'],
    ['/ai/models/{id+}', 'GET'],
    ['/ai/v1/chat/completions', 'POST'],
    ['/ai/v1/responses', 'POST'],
    ['/ai/v1/models', 'GET'],
    ['/ai/v1/models/{id+}', 'GET'],
    ['/api/logs', 'GET'],
    ['/api/logs/{id}', 'GET'],
    ['/api/costs', 'GET'],
  ])('returns 405 for %s with a method other than %s', (path, allowed) => {
    const { Integration, MethodResponses } = mockAt(path);

    expect(Integration).toMatchObject({
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: Object.fromEntries(
        [
          'application/json',
          'application/octet-stream',
          'application/x-ndjson',
          'application/x-www-form-urlencoded',
          'application/xml',
          'multipart/form-data',
          'text/html',
          'text/plain',
          'text/xml',
        ].map((mediaType) => [mediaType, '{"statusCode":405}']),
      ),
      IntegrationResponses: [
        {
          StatusCode: '405',
          ResponseParameters: {
            'method.response.header.Allow': `'${allowed}'`,
            'method.response.header.x-request-id': 'context.requestId',
          },
        },
      ],
    });
    expect(parseBody(Integration.IntegrationResponses[0]?.ResponseTemplates['application/json'])).toEqual({
      error: {
        message: 'This path does not support the request method: use one that the Allow header lists',
        type: 'invalid_request_error',
        param: null,
        code: 'method_not_allowed',
      },
    });
    expect(MethodResponses).toEqual([
      {
        StatusCode: '405',
        ResponseParameters: {
          'method.response.header.Allow': true,
          'method.response.header.x-request-id': true,
        },
      },
    ]);
  });

  const prefixes = ['/ai', '/ai/v1'];

  it.each(prefixes)('returns 426 for GET of %s/responses, as for the handshake of a WebSocket', (prefix) => {
    const { Integration, MethodResponses } = mockAt(`${prefix}/responses`, 'GET');

    expect(Integration).toMatchObject({
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":426}', 'text/plain': '{"statusCode":426}' },
      IntegrationResponses: [
        {
          StatusCode: '426',
          ResponseParameters: {
            'method.response.header.allow': "'POST'",
            'method.response.header.x-request-id': 'context.requestId',
          },
        },
      ],
    });
    expect(parseBody(Integration.IntegrationResponses[0]?.ResponseTemplates['application/json'])).toEqual({
      error: {
        message: 'The gateway has no WebSockets: send POST, with stream: true to receive events',
        type: 'invalid_request_error',
        param: null,
        code: 'websocket_not_supported',
      },
    });
    expect(MethodResponses).toEqual([
      {
        StatusCode: '426',
        ResponseParameters: {
          'method.response.header.allow': true,
          'method.response.header.x-request-id': true,
        },
      },
    ]);
  });

  it.each(
    prefixes.flatMap(
      (prefix) =>
        [
          [
            `${prefix}/responses/{id+}`,
            /^The gateway does not serve stored responses: POST \/ai\/responses /,
          ],
          [`${prefix}/responses/compact`, /: set context_management in POST \/ai\/responses, /],
          [`${prefix}/responses/input_tokens`, /: read usage\.input_tokens of a response, /],
        ] as const,
    ),
  )('returns 404 for %s and says what to do instead', (path, message) => {
    const { Integration } = mockAt(path);

    expect(Integration).toMatchObject({
      Type: 'MOCK',
      RequestTemplates: { 'application/json': '{"statusCode":404}', 'text/plain': '{"statusCode":404}' },
      IntegrationResponses: [{ StatusCode: '404' }],
    });
    expect(parseBody(Integration.IntegrationResponses[0]?.ResponseTemplates['application/json'])).toEqual({
      error: {
        message: expect.stringMatching(message),
        type: 'invalid_request_error',
        param: null,
        code: 'not_found',
      },
    });
  });

  const otherPaths = ['', '/ai', '/ai/chat', '/ai/v1', '/ai/v1/chat', '/api', '/{proxy+}'];

  it.each(otherPaths)('returns 404 at "%s"', (path) => {
    const { Integration } = mockAt(path);

    expect(Integration).toMatchObject({
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      // Other media types are rejected, with the same response.
      RequestTemplates: { 'application/json': '{"statusCode":404}' },
      IntegrationResponses: [{ StatusCode: '404' }],
    });
    expect(parseBody(Integration.IntegrationResponses[0]?.ResponseTemplates['application/json'])).toEqual({
      error: {
        message: 'There is no such path: check the base URL and the path',
        type: 'invalid_request_error',
        param: null,
        code: 'not_found',
      },
    });
  });
});
