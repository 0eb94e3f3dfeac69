import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

async function scalingRecords(organizationId: string) {
  const records = await fixture.audit.records(organizationId);
  return records
    .filter(({ action }) => action === 'organization.scaled')
    .map(({ stage, before, after }) => [stage, before?.log_shards, after?.log_shards]);
}

describe('raiseLogShards', () => {
  it('raises the organization for its keys too, keeps the cursor key, and has one record', async () => {
    const { directory, audit } = fixture;
    const organization = await fixture.createOrganization();
    const { cursorKey } = await directory.logAccessOf(organization.id);
    await fixture.createKey(organization, {}, 'hash');

    expect(await directory.raiseLogShards(organization.id, 8, audit)).toEqual({
      ...organization,
      log_shards: 8,
      key_shown: true,
    });

    expect((await directory.findApiKeyByHash('hash'))?.log_shards).toBe(8);
    expect(await directory.logAccessOf(organization.id)).toEqual({ shards: 8, cursorKey });
    expect(await scalingRecords(organization.id)).toEqual([['completed', 1, 8]]);
  });

  it('changes nothing and has no record for a number that is not higher', async () => {
    const { directory, audit } = fixture;
    const organization = await fixture.createOrganization({ log_shards: 8 });

    expect(await directory.raiseLogShards(organization.id, 4, audit)).toEqual(organization);
    expect(await directory.raiseLogShards(organization.id, 8, audit)).toEqual(organization);

    expect(await scalingRecords(organization.id)).toEqual([]);
  });

  it('returns null and creates nothing for an unknown or deleted organization', async () => {
    const { directory, audit } = fixture;
    const { id } = await fixture.createOrganization();
    await directory.deleteOrganization({ organizationId: id, audit, readMemberships: async () => [] });

    expect(await directory.raiseLogShards(id, 4, audit)).toBeNull();
    expect(await directory.raiseLogShards('org_unknown', 4, audit)).toBeNull();

    expect(await directory.findOrganization('org_unknown')).toBeNull();
    expect(await scalingRecords(id)).toEqual([]);
  });
});
