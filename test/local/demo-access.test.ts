import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { type DemoAccess, ensureDemoAccess } from '#local/demo-access.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';

let database: EmbeddedDynamoDB;
let tableName: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  tableName = (await createTables(database)).directory;
});
afterAll(() => database.stop());

const start = (known: Partial<DemoAccess>) => ensureDemoAccess({ client: database.client, tableName, known });

it('returns the demo key of an earlier start until it is revoked', async () => {
  const directory = createDirectoryStore({ client: database.documentClient, tableName });
  const first = await start({});
  const again = await start(first);
  const key = await directory.findApiKeyByHash(hashApiKey(first.apiKey));
  await directory.revokeApiKey(first.organizationId, key?.id ?? '', '2026-01-31T09:30:00.000Z');

  const afterRevocation = await start(first);

  expect(again).toEqual(first);
  expect(afterRevocation.organizationId).toBe(first.organizationId);
  expect(afterRevocation.apiKey).not.toBe(first.apiKey);
  expect(await directory.findApiKeyByHash(hashApiKey(afterRevocation.apiKey))).toMatchObject({
    organization_id: first.organizationId,
    revoked_at: null,
  });
});
