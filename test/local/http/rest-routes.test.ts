import { describe, expect, it } from 'vitest';
import { matchRoute, type RestRoute, readRestRoutes } from '#local/http/rest-routes.ts';
import { parseTemplate } from '#local/template/template.ts';

const mock = { Type: 'MOCK' };

function routesOf(paths: Record<string, Record<string, object>>): RestRoute[] {
  const resources: Record<string, object> = {};
  const idOf = (path: string) => (path === '' ? 'Api/root' : `R${path}`);
  for (const [path, methods] of Object.entries(paths)) {
    const segments = path === '/' ? [] : path.slice(1).split('/');
    for (const index of segments.keys()) {
      const parent = segments
        .slice(0, index)
        .map((part) => `/${part}`)
        .join('');
      resources[idOf(`${parent}/${segments[index]}`)] = {
        Type: 'AWS::ApiGateway::Resource',
        Properties: {
          ParentId: parent === '' ? { 'Fn::GetAtt': ['Api', 'RootResourceId'] } : { Ref: idOf(parent) },
          PathPart: segments[index],
        },
      };
    }
    for (const [method, properties] of Object.entries(methods)) {
      resources[`M${path}${method}`] = {
        Type: 'AWS::ApiGateway::Method',
        Properties: {
          HttpMethod: method,
          AuthorizationType: 'NONE',
          Integration: mock,
          ResourceId: idOf(path === '/' ? '' : path),
          ...properties,
        },
      };
    }
  }
  return readRestRoutes(
    parseTemplate({ stackName: 'S', template: { Resources: resources } }),
    (value) => value,
  );
}

const routes = routesOf({
  '/{proxy+}': { ANY: {} },
  '/': { ANY: {} },
  '/logs/{id}': { GET: {}, ANY: {} },
  '/logs/latest': { GET: {} },
  '/logs': { GET: {} },
});

describe('matchRoute', () => {
  it.each([
    ['GET', '/logs', '/logs', null],
    ['GET', '/logs/latest', '/logs/latest', null],
    ['GET', '/logs/42', '/logs/{id}', { id: '42' }],
    ['GET', '/logs/a%2Fb', '/logs/{id}', { id: 'a/b' }],
    ['GET', '/logs/%zz', '/logs/{id}', { id: '%zz' }],
    ['GET', '/logs/42/more', '/{proxy+}', { proxy: 'logs/42/more' }],
    ['GET', '/logs/', '/logs', null],
    ['GET', '/logs/42/', '/logs/{id}', { id: '42' }],
    ['GET', '/a/b/', '/{proxy+}', { proxy: 'a/b' }],
    ['GET', '/', '/', null],
  ])('matches %s %s to the most specific route', (method, path, resourcePath, pathParameters) => {
    const match = matchRoute(routes, method, path);

    expect(match?.route.resourcePath).toBe(resourcePath);
    expect(match?.pathParameters).toEqual(pathParameters);
  });

  it('returns no integration for a resource with neither the method nor ANY', () => {
    expect(matchRoute(routes, 'POST', '/logs')?.integration).toBeUndefined();
    expect(matchRoute(routes, 'POST', '/logs/42')?.integration).toEqual({ kind: 'mock', properties: mock });
  });

  it('returns undefined for an unknown path', () => {
    expect(matchRoute(routesOf({ '/logs': { GET: {} } }), 'GET', '/costs')).toBeUndefined();
  });
});

describe('Function integrations', () => {
  const proxyTo = (Uri: string, properties: object = {}) =>
    routesOf({
      '/x': { POST: { Integration: { Type: 'AWS_PROXY', Uri, ...properties } } },
    })[0]?.integrations.get('POST');
  const path = 'arn:aws:apigateway:us-east-1:lambda:path';
  const arn = 'arn:aws:lambda:us-east-1:000000000000:function:Chat';

  it('reads the function and the streaming mode from the invocation URI', () => {
    expect(proxyTo(`${path}/2015-03-31/functions/${arn}/invocations`)).toEqual({
      kind: 'function',
      functionArn: arn,
      qualifier: undefined,
      streaming: false,
      timeoutMs: 29_000,
    });
    const streaming = { ResponseTransferMode: 'STREAM', TimeoutInMillis: 900_000 };
    expect(
      proxyTo(`${path}/2021-11-15/functions/${arn}:live/response-streaming-invocations`, streaming),
    ).toEqual({
      kind: 'function',
      functionArn: arn,
      qualifier: 'live',
      streaming: true,
      timeoutMs: 900_000,
    });
  });

  it('rejects a response transfer mode that differs from the invocation URI', () => {
    expect(() =>
      proxyTo(`${path}/2015-03-31/functions/${arn}/invocations`, { ResponseTransferMode: 'STREAM' }),
    ).toThrow('M/xPOST.Integration: ResponseTransferMode does not match the invocation type in Uri');
  });

  it.each([
    [{ AuthorizationType: 'AWS_IAM' }, 'an authorizer, an API key or a request validator'],
    [{ ApiKeyRequired: true }, 'an authorizer, an API key or a request validator'],
    [{ Integration: { Type: 'HTTP_PROXY' } }, 'has the type HTTP_PROXY'],
  ])('rejects a method with %j', (properties, message) => {
    expect(() => routesOf({ '/x': { POST: properties } })).toThrow(message);
  });
});
