import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { readAuditTrail } from '#lambdas/audit/read.ts';
import { type DemoAccess, ensureDemoAccess } from '#local/demo/access.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

let database: EmbeddedDynamoDB;
let table: DirectoryTable;
let auditTable: DirectoryTable;
let directory: Directory;
let audit: AuditTrail;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const create = async (
    ...options: Parameters<typeof createTable> extends [unknown, ...infer Rest] ? Rest : never
  ) => ({
    client: database.documentClient,
    tableName: (await createTable(database.client, ...options)).name,
  });
  table = await create('Directory', { key: ['pk', 'sk'] });
  auditTable = await create('AuditTrail', { key: ['organization_id', 'id'] });
  directory = createDirectoryStore(table);
  const actor = { type: 'operator', id: 'arn:local', name: null, email: null } as const;
  audit = createAuditTrail({ ...auditTable, retentionDays: 400 }, actor, () => new Date());
});
afterAll(() => database.stop());

const start = (known: Partial<DemoAccess>) => ensureDemoAccess(table, audit, known);

it('returns the demo key of an earlier start until it is revoked', async () => {
  const first = await start({});
  const again = await start(first);
  const key = await directory.findApiKeyByHash(hashApiKey(first.apiKey));
  await directory.revokeApiKey(first.organizationId, key?.id ?? '', audit);

  const afterRevocation = await start(first);

  expect(again).toEqual(first);
  expect(afterRevocation.organizationId).toBe(first.organizationId);
  expect(afterRevocation.apiKey).not.toBe(first.apiKey);
  const later = await directory.findApiKeyByHash(hashApiKey(afterRevocation.apiKey));
  expect(await directory.findApiKey(first.organizationId, later?.id ?? '')).toMatchObject({
    organization_id: first.organizationId,
    created_by: { type: 'operator', id: 'arn:local', name: 'arn:local' },
    revoked_at: null,
  });
});

it('records what it creates', async () => {
  const { organizationId } = await start({});
  const { records } = await readAuditTrail(auditTable, { organizationId, limit: 10 });

  expect(records.map(({ action, actor, target }) => [action, actor.id, target.name])).toEqual([
    ['api_key.created', 'arn:local', 'Demo'],
    ['organization.created', 'arn:local', 'Demo'],
  ]);
});

it('creates another organization when the earlier one has been deleted', async () => {
  const deleted = await start({});
  await directory.deleteOrganization({
    organizationId: deleted.organizationId,
    audit,
    readMemberships: async () => [],
  });

  const access = await start(deleted);

  expect(access.organizationId).not.toBe(deleted.organizationId);
  expect(await directory.findOrganization(access.organizationId)).toMatchObject({ name: 'Demo' });
});
