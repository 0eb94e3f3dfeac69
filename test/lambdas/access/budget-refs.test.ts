import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { removeBudgetRef, storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { ApiKey, Directory, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { listSharingKeyIds } from '#lambdas/access/keys/replacements.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { createTestAuditTrail, testCreator } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';

const ref = { id: 'counter-1', shards: 1, allows_unpriced: false };
const keyRef = { id: 'counter-2', shards: 1, allows_unpriced: true };
const now = () => new Date('2026-11-23T12:00:00Z');

let database: EmbeddedDynamoDB;
let table: DirectoryTable;
let directory: Directory;
let audit: AuditTrail;
let organizations = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const tables = await createTables(database);
  table = { client: database.documentClient, tableName: tables.directory };
  audit = createTestAuditTrail(database, tables, now);
  directory = createDirectoryStore(table);
});
afterAll(() => database.stop());

async function createOrganization(): Promise<Organization> {
  const id = `org_${++organizations}`;
  const organization = { id, name: 'Acme', created_at: now().toISOString(), log_shards: 1 };
  await directory.createOrganization(organization, audit);
  return organization;
}

async function createKey({ id: organizationId }: Organization) {
  const request = { organizationId, name: 'test', createdAt: now(), createdBy: testCreator };
  const { key, apiKey } = issueApiKey(request);
  await directory.createApiKey(apiKey, hashApiKey(key), audit);
  return { apiKey, find: () => directory.findApiKeyByHash(hashApiKey(key)) };
}

it("stores the organization's counter for all of its keys, until it is removed", async () => {
  const organization = await createOrganization();
  const target = { organizationId: organization.id, keyId: null };
  const first = await createKey(organization);
  const other = await createKey(await createOrganization());

  const changes = [await storeBudgetRef(table, target, ref), await storeBudgetRef(table, target, ref)];
  const second = await createKey(organization);

  expect(changes).toEqual([1, 0]);
  for (const { find } of [first, second]) expect((await find())?.organization_budget).toEqual(ref);
  expect(await other.find()).not.toHaveProperty('organization_budget');

  expect([await removeBudgetRef(table, target), await removeBudgetRef(table, target)]).toEqual([1, 0]);
  for (const { find } of [first, second]) expect(await find()).not.toHaveProperty('organization_budget');
});

it('lets a replacement spend the budgets of the key that it replaces', async () => {
  const organization = await createOrganization();
  const { apiKey: first } = await createKey(organization);
  const target = { organizationId: organization.id, keyId: first.id };
  expect(await storeBudgetRef(table, target, keyRef)).toBe(1);
  const rotate = async (old: ApiKey) => {
    const rotation = await rotateApiKey({ directory }, { organization, old, overlapMs: 60_000, audit });
    const { key, apiKey } = rotation ?? expect.fail();
    return { apiKey, found: await directory.findApiKeyByHash(hashApiKey(key)) };
  };

  const second = await rotate(first);
  const third = await rotate(second.apiKey);

  expect([second, third].map(({ found }) => [found?.budget_key_id, found?.key_budget])).toEqual([
    [first.id, keyRef],
    [first.id, keyRef],
  ]);
  expect((await listSharingKeyIds(table, target)).sort()).toEqual(
    [first, second.apiKey, third.apiKey].map(({ id }) => id).sort(),
  );
  expect(await removeBudgetRef(table, target)).toBe(3);
});
