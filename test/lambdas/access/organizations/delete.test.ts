import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { queryPartition } from '#lambdas/access/directory-table.ts';
import type { Actor } from '#lambdas/audit/record.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

const owner: Actor = { type: 'user', id: 'user-2', name: null, email: 'owner@example.com' };

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  organization = await fixture.createOrganization();
  fixture.clock.nowMs += 60_000;
});

const membershipKey = (member: number) => ({ pk: `members#${organization.id}`, sk: `member-${member}` });

/** Adds members, which are items of the same table here. Returns the items that remove them. */
async function addMembers(count: number) {
  const { audit, table } = fixture;
  const keys = Array.from({ length: count }, (_, member) => membershipKey(member));
  const TableName = table.tableName;
  for (let first = 0; first < count; first += 99) {
    const items = keys.slice(first, first + 99).map((Item) => ({ Put: { TableName, Item } }));
    const target = { type: 'organization', id: 'other', name: null } as const;
    const event = {
      action: 'member.joined',
      organizationId: 'other',
      target,
      before: null,
      after: null,
    } as const;
    await audit.transact({ event, items });
  }
  const ConditionExpression = 'attribute_exists(pk)';
  return keys.map((Key) => ({ Delete: { TableName, Key, ConditionExpression } }));
}

async function countMembers(): Promise<number> {
  return (await queryPartition(fixture.table, `members#${organization.id}`)).length;
}

async function deletionRecords() {
  const records = await fixture.audit.records(organization.id);
  return records
    .filter(({ action }) => action === 'organization.deleted')
    .map(({ actor, stage, before, after }) => ({ actor: actor.id, stage, before, after }));
}

const before = { name: 'Acme' };

describe('deleteOrganization', () => {
  it('refuses the keys and removes the members in one transaction, and changes no key', async () => {
    const { directory, audit, clock } = fixture;
    const apiKey = await fixture.createKey(organization, {}, 'hash');
    const other = await fixture.createKey(await fixture.createOrganization(), {}, 'other-hash');
    const members = await addMembers(2);
    clock.nowMs += 60_000;
    const deletedAt = fixture.time();

    const deleted = await directory.deleteOrganization({
      organizationId: organization.id,
      audit: audit.as(owner),
      readMemberships: async () => members,
    });

    expect(deleted).toEqual({ ...organization, key_shown: true, deleted_at: deletedAt });
    expect(await directory.findOrganization(organization.id)).toEqual(deleted);
    expect((await directory.findApiKeyByHash('hash'))?.revoked_at).toBe(deletedAt);
    expect((await directory.findApiKeyByHash('other-hash'))?.revoked_at).toBeNull();
    expect(await directory.listCurrentApiKeys(organization.id)).toEqual([apiKey]);
    expect(await directory.findApiKey(other.organization_id, other.id)).toEqual(other);
    expect(await countMembers()).toBe(0);
    expect(await deletionRecords()).toEqual([
      { actor: 'user-2', stage: 'completed', before, after: { deleted_at: deletedAt } },
    ]);
  });

  it.each([
    [98, ['completed']],
    [99, ['completed', 'started']],
  ])('with %i memberships, has the stages %j', async (memberCount, stages) => {
    const { directory, audit } = fixture;
    const members = await addMembers(memberCount);
    const deletedAt = fixture.time();

    await directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => members,
    });

    const records = await deletionRecords();
    expect(records.map(({ stage }) => stage).sort()).toEqual(stages);
    expect(records.find(({ stage }) => stage === 'completed')).toMatchObject({
      before,
      after: { deleted_at: deletedAt },
    });
    expect(records.find(({ stage }) => stage === 'started')?.after ?? null).toBeNull();
    expect((await directory.findOrganization(organization.id))?.deleted_at).toBe(deletedAt);
    expect(await countMembers()).toBe(0);
  });

  it('removes more than 100 memberships, the last ones with the organization', async () => {
    const { directory, audit } = fixture;
    const members = await addMembers(230);

    await directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => members,
    });

    expect(await countMembers()).toBe(0);
    expect((await directory.findOrganization(organization.id))?.deleted_at).toBeDefined();
  });

  it.each([
    ['in one transaction', 0],
    ['in several steps', 100],
  ])('refuses a key that is created at the same time: %s', async (_case, memberCount) => {
    const { directory, audit, table } = fixture;
    const members = await addMembers(memberCount);
    const create = () => fixture.createKey(organization, {}, `late-${memberCount}`);
    const deleting = createDirectoryStore(changedAfter(table, { operation: 'GetCommand' }, create));

    await deleting.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => members,
    });

    expect((await directory.findApiKeyByHash(`late-${memberCount}`))?.revoked_at).toBe(fixture.time());
  });

  it('creates no key in a deleted organization', async () => {
    const { directory, audit } = fixture;
    const apiKey = apiKeyRecord({ organization_id: organization.id });
    await directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => [],
    });

    expect(await directory.createApiKey(apiKey, 'unused-hash', audit)).toBe(false);

    expect(await directory.listCurrentApiKeys(organization.id)).toEqual([]);
    expect(await directory.findApiKeyByHash('unused-hash')).toBeNull();
  });

  it('rejects when a membership has changed, and writes nothing', async () => {
    const { directory, audit } = fixture;
    const apiKey = await fixture.createKey(organization);
    const [membership] = await addMembers(1);
    const Key = membershipKey(1);
    const gone = { Delete: { ...(membership ?? expect.fail()).Delete, Key } };

    const deleting = directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => [gone],
    });

    await expect(deleting).rejects.toThrow(
      `Members of organization ${organization.id} have changed: delete it again`,
    );
    expect(await directory.findOrganization(organization.id)).toEqual({ ...organization, key_shown: true });
    expect(await directory.findApiKey(organization.id, apiKey.id)).toEqual(apiKey);
    expect(await deletionRecords()).toEqual([]);
  });

  it('can be repeated after it has failed halfway, which is recorded', async () => {
    const { directory, audit, table } = fixture;
    const members = await addMembers(230);
    const readMemberships = async () => members.slice(-(await countMembers()));
    const failing = createDirectoryStore(
      changedAfter(table, { operation: 'TransactWriteCommand' }, () =>
        Promise.reject(new Error('The table is unavailable')),
      ),
    );
    const request = { organizationId: organization.id, audit, readMemberships };

    await expect(failing.deleteOrganization(request)).rejects.toThrow('The table is unavailable');
    expect(await directory.findOrganization(organization.id)).toEqual(organization);
    expect(await countMembers()).toBe(130);
    expect(new Set((await deletionRecords()).map(({ stage }) => stage))).toEqual(
      new Set(['started', 'failed']),
    );

    await directory.deleteOrganization(request);

    expect(await countMembers()).toBe(0);
    expect((await directory.findOrganization(organization.id))?.deleted_at).toBe(fixture.time());
  });

  it('does not change a deleted organization, and returns null for an unknown one', async () => {
    const { directory, audit, clock } = fixture;
    const deleted = await directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => [],
    });
    clock.nowMs += 60_000;

    expect(
      await directory.deleteOrganization({
        organizationId: organization.id,
        audit,
        readMemberships: async () => [],
      }),
    ).toEqual(deleted);
    expect(
      await directory.deleteOrganization({
        organizationId: 'org_unknown',
        audit,
        readMemberships: async () => [],
      }),
    ).toBeNull();

    expect(await deletionRecords()).toHaveLength(1);
    expect(await audit.records('org_unknown')).toEqual([]);
  });
});
