import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { copyBudgetRef, keysOfBudget, removeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { ApiKey, Directory, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { rotateApiKey } from '#lambdas/access/rotate-key.ts';
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

async function createKey({ id: organizationId }: Organization, store = directory) {
  const request = { organizationId, name: 'test', createdAt: now(), createdBy: testCreator, logShards: 1 };
  const { key, apiKey } = issueApiKey(request);
  await store.createApiKey(apiKey, hashApiKey(key), audit);
  return { apiKey, find: () => directory.findApiKeyByHash(hashApiKey(key)) };
}

it("copies the organization's counter to all of its keys and to later ones, until it is removed", async () => {
  const organization = await createOrganization();
  const target = { organizationId: organization.id, keyId: null };
  const [first, second] = [await createKey(organization), await createKey(organization)];
  const other = await createKey(await createOrganization());

  const changes = [await copyBudgetRef(table, target, ref), await copyBudgetRef(table, target, ref)];
  const third = await createKey(organization);

  expect(changes).toEqual([2, 0]);
  for (const { find } of [first, second, third]) expect((await find())?.organization_budget).toEqual(ref);
  expect((await other.find())?.organization_budget).toBeUndefined();

  expect(await removeBudgetRef(table, target)).toBe(3);
  for (const { find } of [first, second, third])
    expect(await find()).not.toHaveProperty('organization_budget');
  expect(await (await createKey(organization)).find()).not.toHaveProperty('organization_budget');
});

it('gives a key the counter that its organization gets while it is being created', async () => {
  const organization = await createOrganization();
  let reads = 0;
  const send = async (command: { constructor: { name: string } }) => {
    const output = await database.documentClient.send(command as never);
    // The key has read that there is no budget.
    if (command.constructor.name === 'GetCommand' && ++reads === 1) {
      await copyBudgetRef(table, { organizationId: organization.id, keyId: null }, ref);
    }
    return output;
  };
  const client = Object.assign(Object.create(database.documentClient), { send });

  const { find } = await createKey(organization, createDirectoryStore({ ...table, client }));

  expect((await find())?.organization_budget).toEqual(ref);
});

it('lets a replacement spend the budgets of the key that it replaces', async () => {
  const organization = await createOrganization();
  const { apiKey: first } = await createKey(organization);
  const target = { organizationId: organization.id, keyId: first.id };
  await copyBudgetRef(table, target, keyRef);
  const rotate = async (old: ApiKey): Promise<ApiKey> => {
    const rotation = await rotateApiKey({ directory }, { organization, old, overlapMs: 60_000, audit });
    const { apiKey } = rotation ?? expect.fail();
    return (await directory.findApiKey(organization.id, apiKey.id)) ?? expect.fail();
  };

  const second = await rotate(first);
  const third = await rotate(second);

  expect([second, third].map(({ budget_key_id, key_budget }) => [budget_key_id, key_budget])).toEqual([
    [first.id, keyRef],
    [first.id, keyRef],
  ]);
  expect((await keysOfBudget(table, target)).sort()).toEqual([first.id, second.id, third.id].sort());
  expect(await removeBudgetRef(table, target)).toBe(3);
});
