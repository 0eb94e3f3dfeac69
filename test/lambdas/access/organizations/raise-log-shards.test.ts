import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

/** As after an interruption. */
async function lowerShards(Key: { pk: string; sk: string }) {
  await database.documentClient.send(
    new UpdateCommand({
      TableName: fixture.tables.directory,
      Key,
      UpdateExpression: 'SET log_shards = :one',
      ExpressionAttributeValues: { ':one': 1 },
    }),
  );
}

async function shardsOf(organizationId: string) {
  const keys = await fixture.directory.listApiKeys(organizationId);
  const organization = await fixture.directory.logShardsOf(organizationId);
  return { organization, keys: [...new Set(keys.map(({ log_shards }) => log_shards))] };
}

async function scalingRecords(organizationId: string) {
  const records = await fixture.audit.records(organizationId);
  return records
    .filter(({ action }) => action === 'organization.scaled')
    .map(({ stage, before, after }) => [stage, before?.log_shards, after?.log_shards]);
}

describe('raiseLogShards', () => {
  it('raises the organization and its keys, keeps the cursor key, and has one record', async () => {
    const { directory, audit } = fixture;
    const organization = await fixture.createOrganization();
    const { cursorKey } = await directory.logAccessOf(organization.id);
    await fixture.createKeys(organization, 3);

    expect(await directory.raiseLogShards(organization.id, 8, audit)).toEqual({
      ...organization,
      log_shards: 8,
    });

    expect(await shardsOf(organization.id)).toEqual({ organization: 8, keys: [8] });
    expect(await directory.logAccessOf(organization.id)).toEqual({ shards: 8, cursorKey });
    expect(await scalingRecords(organization.id)).toEqual([['completed', 1, 8]]);
  });

  it('raises the organization before more than 98 keys, and records begin and end', async () => {
    const { audit, table, clock } = fixture;
    const organization = await fixture.createOrganization();
    await fixture.createKeys(organization, 99);
    const states: unknown[] = [];
    const observed = createDirectoryStore(
      changedAfter(table, { operation: 'UpdateCommand' }, async () => {
        states.push(await shardsOf(organization.id), await scalingRecords(organization.id));
        clock.nowMs++;
      }),
    );

    await observed.raiseLogShards(organization.id, 8, audit);

    expect(states).toEqual([{ organization: 8, keys: [1] }, [['started', 1, 8]]]);
    expect(await shardsOf(organization.id)).toEqual({ organization: 8, keys: [8] });
    expect(await scalingRecords(organization.id)).toEqual([
      ['started', 1, 8],
      ['completed', 1, 8],
    ]);
  });

  it('includes a key that is created at the same time', async () => {
    const { audit, table } = fixture;
    const organization = await fixture.createOrganization();
    const create = () => fixture.createKey(organization);
    const raising = createDirectoryStore(changedAfter(table, { operation: 'QueryCommand' }, create));

    await raising.raiseLogShards(organization.id, 8, audit);
    // Its caller has not read the new number yet.
    await fixture.createKey(organization);

    expect(await shardsOf(organization.id)).toEqual({ organization: 8, keys: [8] });
  });

  it('raises keys that an earlier raise has missed, to the number of the organization', async () => {
    const { directory, audit } = fixture;
    const organization = await fixture.createOrganization({ log_shards: 8 });
    await fixture.createKey(organization, {}, 'hash');
    await lowerShards({ pk: 'key#hash', sk: 'key' });

    expect(await directory.raiseLogShards(organization.id, 4, audit)).toEqual(organization);

    expect(await shardsOf(organization.id)).toEqual({ organization: 8, keys: [8] });
    expect(await scalingRecords(organization.id)).toEqual([['completed', 8, 8]]);
  });

  it('changes nothing and has no record for a number that is not higher', async () => {
    const { directory, audit } = fixture;
    const organization = await fixture.createOrganization({ log_shards: 8 });
    await fixture.createKey(organization);

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
