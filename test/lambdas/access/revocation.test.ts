/** How soon a revoked key is refused by two functions that are warm, each with what it keeps in memory. */
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { createTables } from '#test/support/tables.ts';

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());

const beginMs = Date.UTC(2026, 0, 2);

async function setUp({ expiresAt }: { expiresAt?: string } = {}) {
  const { directory: tableName } = await createTables(database);
  const directory = createDirectoryStore({ client: database.documentClient, tableName });
  const request = {
    organizationId: 'org_1',
    name: 'test',
    createdAt: new Date(beginMs),
    expiresAt,
    logShards: 1,
  };
  const { key, apiKey } = issueApiKey(request);
  await directory.createApiKey(apiKey, hashApiKey(key));
  const clock = { nowMs: beginMs };
  const startFunction = () => {
    const authenticate = createAuthenticate({ directory, now: () => new Date(clock.nowMs) });
    const handler = createJsonEndpoint(authenticate, async () => ({}));
    const headers = { Authorization: `Bearer ${key}` };
    const event: Partial<APIGatewayProxyEvent> = { httpMethod: 'GET', headers };
    return async (atMs: number) => {
      clock.nowMs = beginMs + atMs;
      const { statusCode } = await handler(event as APIGatewayProxyEvent, {} as Context & never);
      return statusCode;
    };
  };
  return { directory, apiKey, functions: [startFunction(), startFunction()] as const };
}

it('A revoked key is refused by every warm function within 20 seconds, however busy it is', async () => {
  const { directory, apiKey, functions } = await setUp();
  const [one, other] = functions;
  expect([await one(0), await other(10_000)]).toEqual([200, 200]);
  await directory.revokeApiKey('org_1', apiKey.id, new Date(beginMs + 10_000).toISOString());

  // One read the key ten seconds before that, the other in the same moment. Requests in between lengthen nothing.
  for (let atMs = 10_000; atMs < 20_000; atMs += 1000) {
    expect([await one(atMs), await other(atMs)]).toEqual([200, 200]);
  }
  expect(await one(19_999)).toBe(200);
  expect(await one(20_000)).toBe(401);
  expect(await other(29_999)).toBe(200);
  for (const atMs of [30_000, 33_000, 40_000]) {
    expect([await one(atMs), await other(atMs)]).toEqual([401, 401]);
  }
});

it('A key that was given an earlier end is refused by then, by a function that knew it without one too', async () => {
  const { directory, apiKey, functions } = await setUp();
  const [one, other] = functions;
  expect([await one(0), await other(0)]).toEqual([200, 200]);
  await directory.expireApiKey('org_1', apiKey.id, new Date(beginMs + 60_000).toISOString());

  expect([await one(59_999), await other(59_999)]).toEqual([200, 200]);
  expect([await one(60_000), await other(60_000)]).toEqual([401, 401]);
});

it('A key expires at its second in each function, though both have it in memory', async () => {
  const { functions } = await setUp({ expiresAt: new Date(beginMs + 12_000).toISOString() });
  const [one, other] = functions;
  expect([await one(0), await other(11_999)]).toEqual([200, 200]);
  expect([await one(11_999), await other(11_999)]).toEqual([200, 200]);
  expect([await one(12_000), await other(12_000)]).toEqual([401, 401]);
});
