import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createJsonEndpoint } from '#lambdas/access/json-endpoint.ts';
import { createCors } from '#lambdas/platform/http/cors.ts';
import { createTestAuditTrail, testCreator } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';
import { proxyEvent } from '#test/support/http/proxy-event.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());

const startMs = Date.UTC(2026, 0, 2);

async function setUp({ expiresAt }: { expiresAt?: string } = {}) {
  recordLogLines();
  const tables = await createTables(database);
  const clock = { nowMs: startMs };
  const audit = createTestAuditTrail(database, tables, () => new Date(clock.nowMs));
  const directory = createDirectoryStore({ client: database.documentClient, tableName: tables.directory });
  const created_at = audit.now().toISOString();
  await directory.createOrganization({ id: 'org_1', name: 'Acme', created_at, log_shards: 1 }, audit);
  const { key, apiKey } = issueApiKey({
    organizationId: 'org_1',
    name: 'test',
    createdAt: audit.now(),
    createdBy: testCreator,
    expiresAt,
  });
  await directory.createApiKey(apiKey, hashApiKey(key), audit);
  const startFunction = () => {
    const now = () => new Date(clock.nowMs);
    const authenticate = createAuthenticate({ apiKeys: directory, now });
    const handler = createJsonEndpoint({ authenticate, cors: createCors([]), now }, async () => ({}));
    const headers = { Authorization: `Bearer ${key}` };
    const event = proxyEvent({ headers });
    return async (atMs: number) => {
      clock.nowMs = startMs + atMs;
      const { statusCode } = await handler(event, {} as Context & never);
      return statusCode;
    };
  };
  return { directory, audit, apiKey, functions: [startFunction(), startFunction()] as const };
}

it('rejects a revoked key within 20 seconds in every warm function, regardless of the load', async () => {
  const { directory, audit, apiKey, functions } = await setUp();
  const [first, second] = functions;
  expect([await first(0), await second(10_000)]).toEqual([200, 200]);
  await directory.revokeApiKey('org_1', apiKey.id, audit);

  // The first function read the key ten seconds before the revocation, the second one at the same time. Later requests
  // do not extend the lifetime in the cache.
  for (let atMs = 10_000; atMs < 20_000; atMs += 1000) {
    expect([await first(atMs), await second(atMs)]).toEqual([200, 200]);
  }
  expect(await first(19_999)).toBe(200);
  expect(await first(20_000)).toBe(401);
  expect(await second(29_999)).toBe(200);
  for (const atMs of [30_000, 33_000, 40_000]) {
    expect([await first(atMs), await second(atMs)]).toEqual([401, 401]);
  }
});

it('rejects a key from its new expiry on, also in a function that cached it without an expiry', async () => {
  const { directory, audit, apiKey, functions } = await setUp();
  const [first, second] = functions;
  expect([await first(0), await second(0)]).toEqual([200, 200]);
  await directory.changeApiKeyExpiry('org_1', apiKey.id, new Date(startMs + 60_000).toISOString(), audit);

  expect([await first(59_999), await second(59_999)]).toEqual([200, 200]);
  expect([await first(60_000), await second(60_000)]).toEqual([401, 401]);
});

it('rejects a key from its expiry on in every function that cached it', async () => {
  const { functions } = await setUp({ expiresAt: new Date(startMs + 12_000).toISOString() });
  const [first, second] = functions;
  expect([await first(0), await second(11_999)]).toEqual([200, 200]);
  expect([await first(11_999), await second(11_999)]).toEqual([200, 200]);
  expect([await first(12_000), await second(12_000)]).toEqual([401, 401]);
});
