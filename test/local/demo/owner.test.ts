import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { listMembershipsOfOrganization } from '#lambdas/accounts/members/store.ts';
import { type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { readAuditTrail } from '#lambdas/audit/read.ts';
import { ensureDemoAccess } from '#local/demo/access.ts';
import { type DemoTables, makeFirstOwner } from '#local/demo/owner.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

let database: EmbeddedDynamoDB;
let tables: DemoTables & { audit: DemoTables['directoryTable'] };
let audit: AuditTrail;
let organizationId: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const create = async (prefix: string, key: [string, string]) => ({
    client: database.documentClient,
    tableName: (await createTable(database.client, prefix, { key })).name,
  });
  tables = {
    accounts: await create('Accounts', ['pk', 'sk']),
    directoryTable: await create('Directory', ['pk', 'sk']),
    audit: await create('AuditTrail', ['organization_id', 'id']),
  };
  const actor = { type: 'operator', id: 'arn:local', name: null, email: null } as const;
  const now = () => new Date('2026-11-25T10:00:00.000Z');
  audit = createAuditTrail({ ...tables.audit, retentionDays: 400 }, actor, now);
});
afterAll(() => database.stop());
beforeEach(async () => {
  ({ organizationId } = await ensureDemoAccess(tables.directoryTable, audit, {}));
});

const user = (id: string) => ({ id, email: `${id}@example.com`, name: null });
const welcome = (id: string) => makeFirstOwner(tables, audit, { organizationId, user: user(id) });
const members = () => listMembershipsOfOrganization(tables.accounts, organizationId);

it('makes the first user the owner, with an audit record', async () => {
  await welcome('ada');
  await welcome('eve');
  const { records } = await readAuditTrail(tables.audit, { organizationId, limit: 100 });
  const joined = records.filter(({ action }) => action === 'member.joined');

  expect(await members()).toEqual([
    { organizationId, userId: 'ada', role: 'owner', joinedAt: '2026-11-25T10:00:00.000Z' },
  ]);
  expect(joined).toMatchObject([
    {
      actor: { type: 'operator', id: 'arn:local' },
      target: { type: 'member', id: 'ada', name: 'ada@example.com' },
      before: null,
      after: { role: 'owner' },
    },
  ]);
});

it('makes only one of many users the owner who sign up at the same time', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, index) => welcome(`user-${index}`)));

  expect((await members()).map(({ role }) => role)).toEqual(['owner']);
  const { records } = await readAuditTrail(tables.audit, { organizationId, limit: 100 });
  expect(records.filter(({ action }) => action === 'member.joined')).toHaveLength(1);
});

it('changes nothing when the organization is deleted', async () => {
  await createDirectoryStore(tables.directoryTable).deleteOrganization({
    organizationId,
    audit,
    readMemberships: async () => [],
  });
  await welcome('ada');

  expect(await members()).toEqual([]);
});
