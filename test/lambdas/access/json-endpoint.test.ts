/** The frame of the endpoints that answer in one piece: whom it lets in, and what it says when a table is away. */

import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { generateApiKey, hashApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createJsonEndpoint, type JsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createCostsEndpoint } from '#lambdas/costs/report/endpoint.ts';
import { createCostRollupReader } from '#lambdas/costs/report/rollup-reader.ts';
import { findRollupState } from '#lambdas/costs/rollups/state.ts';
import { createModelsEndpoint } from '#lambdas/inference/models/endpoint.ts';
import { createProviderSecret } from '#lambdas/inference/providers/credential-store.ts';
import { createCredentialSource } from '#lambdas/inference/providers/credentials.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { createLogEndpoint, createLogsEndpoint } from '#lambdas/request-log/report/endpoints.ts';
import { createLogEntryReader } from '#lambdas/request-log/report/read.ts';
import { readLogEntryPages } from '#lambdas/request-log/table/scan.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { unreachableClient } from '#test/support/unreachable-client.ts';

const key = generateApiKey();
const now = () => new Date('2026-01-02T00:00:00.000Z');

/** The endpoint behind a directory with one key, and how often that was asked. */
function setUp(endpoint: JsonEndpoint) {
  const asked: string[] = [];
  const directory = {
    findApiKeyByHash: async (hash: string) => {
      asked.push(hash);
      return hash === hashApiKey(key) ? apiKeyRecord() : null;
    },
  };
  const handler = createJsonEndpoint(createAuthenticate({ directory, now }), endpoint);
  return { asked, call: (event: Partial<APIGatewayProxyEvent>) => call(handler, event) };
}

async function call(handler: ReturnType<typeof createJsonEndpoint>, event: Partial<APIGatewayProxyEvent>) {
  const given = { httpMethod: 'GET', ...event } as APIGatewayProxyEvent;
  const answer = await handler(given, {} as Context & never);
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
}

describe('a key', () => {
  const good = `Bearer ${key}`;

  it.each<[string, Partial<APIGatewayProxyEvent>]>([
    ['in its header', { headers: { Authorization: good } }],
    ['in its header, as API Gateway sends all values', { multiValueHeaders: { authorization: [good] } }],
    [
      'in both forms of the event',
      { headers: { Authorization: good }, multiValueHeaders: { Authorization: [good] } },
    ],
  ])('%s lets the caller in', async (_case, event) => {
    const { call } = setUp(async ({ organizationId }) => ({ organizationId }));
    expect(await call(event)).toMatchObject({
      status: 200,
      body: { organizationId: 'org_0000000000000001' },
    });
  });

  it.each<[string, Partial<APIGatewayProxyEvent>]>([
    ['nowhere', {}],
    ['in x-api-key', { headers: { 'x-api-key': key, 'X-Api-Key': good } }],
    ['in api-key', { headers: { 'api-key': key } }],
    ['in x-goog-api-key', { headers: { 'x-goog-api-key': key } }],
    ['in Proxy-Authorization', { headers: { 'Proxy-Authorization': good } }],
    ['in X-Authorization', { headers: { 'X-Authorization': good } }],
    ['in a cookie', { headers: { Cookie: `authorization=${good}; api_key=${key}` } }],
    [
      'in the query string',
      { queryStringParameters: { api_key: key }, multiValueQueryStringParameters: { authorization: [good] } },
    ],
    ['in the path', { pathParameters: { id: key } }],
    ['in the body', { body: JSON.stringify({ api_key: key }) }],
    ['in the context that an authorizer would make', { requestContext: { authorizer: { key } } as never }],
    ['twice', { multiValueHeaders: { Authorization: [good, good] } }],
    ['with another one', { multiValueHeaders: { Authorization: [`Bearer ${generateApiKey()}`, good] } }],
    ['twice, in two spellings', { multiValueHeaders: { Authorization: [good], authorization: [good] } }],
    ['behind an empty one', { multiValueHeaders: { Authorization: ['', good] } }],
    ['in no value', { multiValueHeaders: { Authorization: [] } }],
  ])('%s does not, and nothing is read', async (_case, event) => {
    const endpoint = vi.fn();
    const { asked, call } = setUp(endpoint);
    expect(await call(event)).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } });
    expect(asked).toEqual([]);
    expect(endpoint).not.toHaveBeenCalled();
  });
});

describe('a table that is away', () => {
  let lines: MockInstance<typeof console.error>;
  beforeEach(() => {
    lines = vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => lines.mockRestore());

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

  it('is a 503 when it is the one of the keys, and nothing else is asked', async () => {
    const client = createDocumentClient(await unreachableClient());
    const directory = createDirectoryStore({ client, tableName: 'Directory' });
    const endpoint = vi.fn();
    const handler = createJsonEndpoint(createAuthenticate({ directory, now }), endpoint);
    expect(await call(handler, event)).toEqual(unavailable);
    expect(endpoint).not.toHaveBeenCalled();
    expect(lines).toHaveBeenCalledTimes(1);
  });

  it.each(['logs', 'log', 'costs', 'models'] as const)('is a 503 of %s too', async (name) => {
    const endpoint = (await endpointsWithoutTables())[name];
    const { call } = setUp(endpoint);
    const id = name === 'models' ? null : event.pathParameters;
    expect(await call({ ...event, pathParameters: id })).toEqual(unavailable);
    expect(lines).toHaveBeenCalledTimes(1);
  });
});

async function endpointsWithoutTables() {
  const dynamodb = await unreachableClient();
  const table = { client: createDocumentClient(dynamodb), tableName: 'Table', now };
  const logEntries = createLogEntryReader(table);
  const directory = createDirectoryStore(table);
  const { endpoint, region, credentials } = dynamodb.config;
  const client = new SecretsManagerClient({ endpoint, region, credentials, maxAttempts: 1 });
  const { read } = createProviderSecret({ client, secretId: 'secret' });
  return {
    logs: createLogsEndpoint({ logEntries, logAccessOf: directory.logAccessOf }),
    log: createLogEndpoint(logEntries),
    costs: createCostsEndpoint({
      logShardsOf: directory.logShardsOf,
      findRollupState: (organizationId) => findRollupState(table, organizationId),
      rollups: createCostRollupReader(table),
      readEntries: (range) => readLogEntryPages(table, range),
      now,
    }),
    models: createModelsEndpoint({
      settings: {},
      credentials: createCredentialSource({ read, now, onFailure: () => {} }),
      region: 'us-east-1',
      now,
    }),
  };
}
