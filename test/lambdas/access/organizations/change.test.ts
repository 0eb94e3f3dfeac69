import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { testActor } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture = await createDirectoryFixture(database);
});

const created_at = '2026-03-01T12:00:00.000Z';
const organization = { id: 'org_1', name: 'Acme', created_at, log_shards: 2 };
const target = { type: 'organization', id: 'org_1', name: 'Acme' };

describe('createOrganization', () => {
  it('creates the organization and further items with one audit record', async () => {
    const { directory, audit, table } = fixture;
    const Item = { pk: 'further', sk: 'item' };

    await directory.createOrganization(organization, audit, [{ Put: { TableName: table.tableName, Item } }]);

    expect(await directory.findOrganization('org_1')).toEqual(organization);
    expect(await audit.records('org_1')).toEqual([
      {
        id: expect.any(String),
        at: created_at,
        actor: testActor,
        action: 'organization.created',
        organizationId: 'org_1',
        target,
        before: null,
        after: { name: 'Acme', log_shards: 2 },
        stage: 'completed',
        operationId: expect.any(String),
      },
    ]);
  });

  it('rejects an existing id, or when the condition of a further item fails, and writes nothing', async () => {
    const { directory, audit, table } = fixture;
    await directory.createOrganization(organization, audit);
    const ConditionExpression = 'attribute_exists(pk)';
    const failing = {
      ConditionCheck: { TableName: table.tableName, Key: { pk: 'no', sk: 'item' }, ConditionExpression },
    };

    await expect(directory.createOrganization({ ...organization, name: 'Other' }, audit)).rejects.toThrow(
      'Organization org_1 exists already',
    );
    await expect(
      directory.createOrganization({ ...organization, id: 'org_2' }, audit, [failing]),
    ).rejects.toThrow('A condition of what is created with organization org_2 failed');

    expect(await directory.listOrganizations()).toEqual([organization]);
    expect([await audit.records('org_1'), await audit.records('org_2')]).toMatchObject([[{ target }], []]);
  });
});

describe('renameOrganization', () => {
  it('records the names before and after, also if another caller renames it at the same time', async () => {
    const { directory, audit, table, clock } = fixture;
    await directory.createOrganization(organization, audit);
    clock.nowMs++;
    const raced = createDirectoryStore(
      changedAfter(table, { operation: 'GetCommand' }, async () => {
        await directory.renameOrganization('org_1', 'Second', audit);
        clock.nowMs++;
      }),
    );

    const renamed = await raced.renameOrganization('org_1', 'Third', audit);

    expect(renamed).toEqual({ ...organization, name: 'Third' });
    const records = await audit.records('org_1');
    expect(records.slice(1).map(({ action, before, after }) => [action, before, after])).toEqual([
      ['organization.renamed', { name: 'Acme' }, { name: 'Second' }],
      ['organization.renamed', { name: 'Second' }, { name: 'Third' }],
    ]);
  });

  it('changes nothing and has no record for the same name', async () => {
    const { directory, audit } = fixture;
    await directory.createOrganization(organization, audit);

    expect(await directory.renameOrganization('org_1', 'Acme', audit)).toEqual(organization);

    expect(await audit.records('org_1')).toHaveLength(1);
  });

  it('returns null for an unknown and for a deleted organization', async () => {
    const { directory, audit } = fixture;
    await directory.createOrganization(organization, audit);
    await directory.deleteOrganization({ organizationId: 'org_1', audit, readMemberships: async () => [] });

    expect(await directory.renameOrganization('org_1', 'Other', audit)).toBeNull();
    expect(await directory.renameOrganization('org_2', 'Other', audit)).toBeNull();

    expect((await directory.findOrganization('org_1'))?.name).toBe('Acme');
    expect(await audit.records('org_2')).toEqual([]);
  });
});
