import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { generateApiKey, hashApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createJsonEndpoint, type JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { createProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import { createCredentialSource } from '#lambdas/inference/providers/credentials.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { withRequestId } from '#lambdas/platform/telemetry/log.ts';
import { createCostsEndpoint } from '#lambdas/reports/costs/report.ts';
import { createLogEntryEndpoint, createLogListEndpoint } from '#lambdas/reports/logs/endpoints.ts';
import { createLogEntryReader } from '#lambdas/reports/logs/read.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { unreachableClient } from '#test/support/dynamodb/unreachable-client.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';
import type { LogLine } from '#test/support/log-lines.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';
import { costDependencies } from '#test/support/reports/cost-dependencies.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';

const key = generateApiKey();
const now = () => new Date('2026-01-02T00:00:00.000Z');

function setUp(endpoint: JsonEndpoint) {
  const lookups: string[] = [];
  const apiKeys = {
    findApiKeyByHash: async (hash: string) => {
      lookups.push(hash);
      return hash === hashApiKey(key) ? requestKey() : null;
    },
  };
  const handler = createJsonEndpoint(
    { authenticate: createAuthenticate({ apiKeys, now }), cors: createCors([]), now },
    endpoint,
  );
  return { lookups, call: (event: Partial<APIGatewayProxyEvent>) => call(handler, event) };
}

async function call(handler: ReturnType<typeof createJsonEndpoint>, event: Partial<APIGatewayProxyEvent>) {
  const response = await handler(proxyEvent(event), {} as Context & never);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) };
}

describe('Authentication', () => {
  const bearer = `Bearer ${key}`;

  it.each<[string, Partial<APIGatewayProxyEvent>]>([
    ['headers', { headers: { Authorization: bearer } }],
    ['multiValueHeaders', { multiValueHeaders: { authorization: [bearer] } }],
    [
      'headers and multiValueHeaders',
      { headers: { Authorization: bearer }, multiValueHeaders: { Authorization: [bearer] } },
    ],
    ['headers, as x-api-key', { headers: { 'X-Api-Key': key } }],
    ['multiValueHeaders, as x-api-key', { multiValueHeaders: { 'x-api-key': [key] } }],
    [
      'multiValueHeaders, as x-api-key beside another scheme',
      { multiValueHeaders: { Authorization: ['Basic YWRhOnNlY3JldA=='], 'X-Api-Key': [key] } },
    ],
  ])('accepts a key from %s of the event', async (_case, event) => {
    const { call } = setUp(async ({ organizationId }) => ({ organizationId }));
    expect(await call(event)).toMatchObject({
      status: 200,
      body: { organizationId: 'org_0000000000000001' },
    });
  });

  it.each<[string, Partial<APIGatewayProxyEvent>]>([
    ['no key', {}],
    ['the bearer token in x-api-key', { headers: { 'x-api-key': bearer } }],
    ['x-api-key twice', { multiValueHeaders: { 'x-api-key': [key, key] } }],
    ['x-api-key twice in different case', { multiValueHeaders: { 'x-api-key': [key], 'X-Api-Key': [key] } }],
    ['the key in api-key', { headers: { 'api-key': key } }],
    ['the key in x-goog-api-key', { headers: { 'x-goog-api-key': key } }],
    ['the key in Proxy-Authorization', { headers: { 'Proxy-Authorization': bearer } }],
    ['the key in X-Authorization', { headers: { 'X-Authorization': bearer } }],
    ['the key in a cookie', { headers: { Cookie: `authorization=${bearer}; api_key=${key}` } }],
    [
      'the key in the query string',
      {
        queryStringParameters: { api_key: key },
        multiValueQueryStringParameters: { authorization: [bearer] },
      },
    ],
    ['the key in the path', { pathParameters: { id: key } }],
    ['the key in the body', { body: JSON.stringify({ api_key: key }) }],
    [
      'the key in the context of an authorizer',
      { requestContext: { ...proxyEvent().requestContext, authorizer: { key } } },
    ],
    ['the header twice', { multiValueHeaders: { Authorization: [bearer, bearer] } }],
    ['two different keys', { multiValueHeaders: { Authorization: [`Bearer ${generateApiKey()}`, bearer] } }],
    [
      'the header twice in different case',
      { multiValueHeaders: { Authorization: [bearer], authorization: [bearer] } },
    ],
    ['an empty header before the key', { multiValueHeaders: { Authorization: ['', bearer] } }],
    ['a header without values', { multiValueHeaders: { Authorization: [] } }],
  ])('returns 401 without a lookup for %s', async (_case, event) => {
    recordLogLines();
    const endpoint = vi.fn();
    const { lookups, call } = setUp(endpoint);
    expect(await call(event)).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } });
    expect(lookups).toEqual([]);
    expect(endpoint).not.toHaveBeenCalled();
  });
});

describe('The id of the invocation', () => {
  const requestId = '8f5f2a6e-0c0d-4f59-a1f1-2f6b1f1c9d3e';
  const contentType = { 'content-type': 'application/json' };

  it.each([
    [200, { authorization: `Bearer ${key}` }, {}],
    [401, {}, { 'www-authenticate': 'Bearer' }],
  ])(
    'is in the headers x-gateway-request-id and x-request-id of a response with %i',
    async (status, headers, more) => {
      recordLogLines();
      const { call } = setUp(async () => ({}));

      const response = await withRequestId(requestId, () => call({ headers }));

      expect([response.status, response.headers]).toEqual([
        status,
        { ...contentType, ...more, 'x-gateway-request-id': requestId, 'x-request-id': requestId },
      ]);
    },
  );
});

describe('The format of a client', () => {
  const requestId = '8f5f2a6e-0c0d-4f59-a1f1-2f6b1f1c9d3e';
  const handler = createJsonEndpoint(
    {
      authenticate: createAuthenticate({ apiKeys: { findApiKeyByHash: async () => requestKey() }, now }),
      cors: createCors([]),
      now,
    },
    async ({ headers }) => ({ client: headers['x-client'] }),
    ({ headers }) => ({
      requestIdHeader: headers['x-client'] === 'ours' ? 'request-id' : 'x-request-id',
      renderError: ({ status }) => ({
        statusCode: status,
        headers: {},
        body: JSON.stringify(headers['x-client']),
      }),
    }),
  );
  const send = (headers: Record<string, string>) =>
    withRequestId(requestId, () => call(handler, { headers: { 'X-Client': 'ours', ...headers } }));

  it('decides about the header with the id of the request, and is known to the endpoint', async () => {
    const { headers, body } = await send({ authorization: `Bearer ${key}` });
    expect([body, headers]).toEqual([
      { client: 'ours' },
      {
        'content-type': 'application/json',
        'x-gateway-request-id': requestId,
        'request-id': requestId,
      },
    ]);
  });

  it('decides about the body of errors', async () => {
    recordLogLines();
    expect(await send({})).toMatchObject({ status: 401, headers: { 'request-id': requestId }, body: 'ours' });
  });
});

describe('The log line of a refused request', () => {
  const event = {
    resource: '/api/logs/{id}',
    path: '/api/logs/secret',
    requestContext: { identity: { sourceIp: '203.0.113.77' } } as APIGatewayProxyEvent['requestContext'],
  };

  it('has the reason and the truncated address if the key is rejected', async () => {
    const lines = recordLogLines();
    const { call } = setUp(async () => ({}));

    await call(event);
    await call({ ...event, headers: { authorization: `Bearer ${generateApiKey()}` } });

    const rejected = {
      level: 'INFO',
      event: 'key_rejected',
      source_ip: '203.0.113.0/24',
      endpoint: '/api/logs/{id}',
      suppressed: 0,
    };
    expect(lines).toEqual([
      { ...rejected, reason: 'missing' },
      { ...rejected, reason: 'unknown' },
    ]);
  });

  it('has status, code and organization if the key is accepted', async () => {
    const lines = recordLogLines();
    const { call } = setUp(async () => {
      throw new GatewayError('not_found', { message: 'There is no entry secret' });
    });

    expect(await call({ ...event, headers: { authorization: `Bearer ${key}` } })).toMatchObject({
      status: 404,
    });

    expect(lines).toEqual([
      {
        level: 'INFO',
        event: 'request_rejected',
        endpoint: '/api/logs/{id}',
        status: 404,
        error_code: 'not_found',
        organization_id: 'org_0000000000000001',
        suppressed: 0,
      },
    ]);
  });
});

describe('Unavailable tables', () => {
  let lines: LogLine[];
  beforeEach(() => {
    lines = recordLogLines();
  });

  const unavailable = {
    status: 503,
    headers: { 'content-type': 'application/json', 'retry-after': '1' },
    body: {
      error: {
        message: 'The gateway cannot reach its own data at the moment: send the request again',
        type: 'api_error',
        param: null,
        code: 'service_unavailable',
      },
    },
  };
  const event = {
    headers: { authorization: `Bearer ${key}` },
    pathParameters: { id: createLogId(now().getTime()) },
  };

  it('returns 503 without calling the endpoint when the Directory table is unavailable', async () => {
    const client = createDocumentClient(await unreachableClient());
    const directory = createDirectoryStore({ client, tableName: 'Directory' });
    const endpoint = vi.fn();
    const handler = createJsonEndpoint(
      { authenticate: createAuthenticate({ apiKeys: directory, now }), cors: createCors([]), now },
      endpoint,
    );
    expect(await call(handler, event)).toEqual(unavailable);
    expect(endpoint).not.toHaveBeenCalled();
    expect(lines).toMatchObject([{ event: 'service_unavailable' }]);
  });

  it.each(['logs', 'log', 'costs', 'models'] as const)(
    'returns 503 from the %s endpoint when its table or secret is unavailable',
    async (name) => {
      const endpoint = (await unavailableEndpoints())[name];
      const { call } = setUp(endpoint);
      const id = name === 'models' ? null : event.pathParameters;
      expect(await call({ ...event, pathParameters: id })).toEqual(unavailable);
      expect(lines).toMatchObject([{ event: 'service_unavailable' }]);
    },
  );
});

async function unavailableEndpoints() {
  const dynamodb = await unreachableClient();
  const table = { client: createDocumentClient(dynamodb), tableName: 'Table', now };
  const tables = { client: table.client, logEntries: 'Table', costRollups: 'Table' };
  const logEntries = createLogEntryReader(table);
  const directory = createDirectoryStore(table);
  const { endpoint, region, credentials } = dynamodb.config;
  const client = new SecretsManagerClient({ endpoint, region, credentials, maxAttempts: 1 });
  const { read } = createProviderSecret({ client, secretId: 'secret' });
  return {
    logs: createLogListEndpoint({
      logEntries,
      logAccessOf: directory.logAccessOf,
      ...memoryRollups({ nowMs: now().getTime() }).dependencies,
    }),
    log: createLogEntryEndpoint({ logEntries, loadCostExplainer: async () => async () => null }),
    costs: createCostsEndpoint(costDependencies(tables, { logShardsOf: directory.logShardsOf, now })),
    models: createModelsEndpoint({
      settings: {},
      credentials: createCredentialSource({ read, now, onFailure: () => {} }),
      region: 'us-east-1',
      routes: { list: async () => [] },
      now,
    }),
  };
}

describe('Requests of browsers', () => {
  const app = 'https://app.example.com';
  const handler = createJsonEndpoint(
    {
      authenticate: createAuthenticate({ apiKeys: { findApiKeyByHash: async () => null }, now }),
      cors: createCors([app]),
      now,
    },
    async () => ({}),
  );
  const send = (httpMethod: string, headers: Record<string, string>) =>
    handler(proxyEvent({ httpMethod, headers }), {} as Context & never);

  it('answers a preflight request without a key', async () => {
    const response = await send('OPTIONS', { Origin: app, 'Access-Control-Request-Method': 'GET' });
    expect([response.statusCode, response.body, response.headers?.['access-control-allow-origin']]).toEqual([
      204,
      '',
      app,
    ]);
  });

  it('lets pages of an allowed origin read an error', async () => {
    const response = await send('GET', { Origin: app });
    expect([response.statusCode, response.headers?.['access-control-allow-origin']]).toEqual([401, app]);
    const other = await send('GET', { Origin: 'https://other.example.com' });
    expect([other.statusCode, other.headers]).toEqual([
      401,
      expect.not.objectContaining({ 'access-control-allow-origin': expect.anything() }),
    ]);
  });
});
