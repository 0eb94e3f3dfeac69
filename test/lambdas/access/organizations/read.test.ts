import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture = await createDirectoryFixture(database);
});

describe('Log access', () => {
  it('rejects for an organization that does not exist', async () => {
    await expect(fixture.directory.logShardsOf('org_unknown')).rejects.toThrow(
      'There is no organization org_unknown',
    );
  });

  it('reads the number of shards with strong consistency, so that readers see a raise before writers use it', async () => {
    const { directory } = fixture;
    const { id } = await fixture.createOrganization();
    const meter = meterReads(database.client);
    await directory.logShardsOf(id);
    await directory.logShardsOf(id);
    await directory.logAccessOf(id);
    expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true, true, true]);
  });

  it('has a different cursor key for each organization', async () => {
    const organizations = [
      await fixture.createOrganization({ log_shards: 4 }),
      await fixture.createOrganization(),
    ];

    const [first, second] = await Promise.all(
      organizations.map(({ id }) => fixture.directory.logAccessOf(id)),
    );

    expect([first?.shards, second?.shards]).toEqual([4, 1]);
    expect(Buffer.from(first?.cursorKey ?? '', 'base64url')).toHaveLength(32);
    expect(second?.cursorKey).not.toBe(first?.cursorKey);
  });
});

describe('Organizations', () => {
  it('are found by their id, without their cursor key', async () => {
    const organization = await fixture.createOrganization();
    await fixture.createKey(organization);
    const stored = { ...organization, key_shown: true };

    expect(await fixture.directory.findOrganization(organization.id)).toEqual(stored);
    expect(await fixture.directory.listOrganizations()).toEqual([stored]);
    expect(await fixture.directory.findOrganization('org_unknown')).toBeNull();
  });

  it('are listed oldest first, regardless of their ids, including deleted ones', async () => {
    const { directory, audit } = fixture;
    const [middle, newest, oldest] = [
      await fixture.createOrganization({ id: 'org_a', created_at: '2026-01-02T00:00:00.000Z' }),
      await fixture.createOrganization({ id: 'org_m', created_at: '2026-01-03T00:00:00.000Z' }),
      await fixture.createOrganization({ id: 'org_z', created_at: '2026-01-01T00:00:00.000Z' }),
    ];
    await directory.deleteOrganization({ organizationId: middle.id, audit, readMemberships: async () => [] });

    expect(await directory.listOrganizations()).toEqual([
      oldest,
      { ...middle, deleted_at: fixture.time() },
      newest,
    ]);
  });

  it('are all listed when they take more than one page of the table', async () => {
    const name = 'n'.repeat(199_000);
    const ids = ['org_1', 'org_2', 'org_3', 'org_4', 'org_5', 'org_6'];
    for (const id of ids) await fixture.createOrganization({ id, name });

    const listed = await fixture.directory.listOrganizations();

    expect(listed.map(({ id }) => id)).toEqual(ids);
  });
});
