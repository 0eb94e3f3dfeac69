import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

describe('findApiKeyByHash', () => {
  it('finds what a request needs of a key and its organization by the hash of the key', async () => {
    const { directory } = fixture;
    const organization = await fixture.createOrganization({ log_shards: 4 });
    const expires_at = '2027-01-01T00:00:00.000Z';
    const apiKey = await fixture.createKey(organization, { expires_at }, hashApiKey('the key'));

    const { id, organization_id } = apiKey;
    expect(await directory.findApiKeyByHash(hashApiKey('the key'))).toEqual(
      requestKey({ id, organization_id, expires_at, log_shards: 4 }),
    );
    expect(await directory.findApiKeyByHash(hashApiKey('another key'))).toBeNull();
  });
});

describe('findApiKey', () => {
  it('finds a key only by its own id and organization', async () => {
    const { directory } = fixture;
    const organization = await fixture.createOrganization();
    const apiKey = await fixture.createKey(organization);
    await fixture.createKey(organization);

    expect(await directory.findApiKey(organization.id, apiKey.id)).toEqual(apiKey);
    expect(await directory.findApiKey('org_other', apiKey.id)).toBeNull();
    expect(await directory.findApiKey(organization.id, 'key_unknown')).toBeNull();
  });
});

describe('listCurrentApiKeys', () => {
  it('lists the keys of one organization without revoked ones, the newest first', async () => {
    const { directory, audit, clock } = fixture;
    const organization = await fixture.createOrganization();
    const oldest = await fixture.createKey(organization);
    clock.nowMs += 1000;
    const expired = await fixture.createKey(organization, { expires_at: '2026-01-03T00:00:00.000Z' });
    clock.nowMs += 1000;
    const revoked = await fixture.createKey(organization);
    clock.nowMs += 1000;
    const newest = await fixture.createKey(organization);
    await fixture.createKey(await fixture.createOrganization());
    await directory.revokeApiKey(organization.id, revoked.id, audit);

    expect(await directory.listCurrentApiKeys(organization.id)).toEqual([newest, expired, oldest]);
    expect(await directory.listCurrentApiKeys('org_unknown')).toEqual([]);
  });
});

describe('Lists of keys', () => {
  it('have all keys when they take more than one page of the table, with strong consistency', async () => {
    const { directory } = fixture;
    const organization = await fixture.createOrganization();
    await fixture.createKeys(organization, 26, { name: 'n'.repeat(99_000) });
    const meter = meterReads(database.client);

    const listed = await directory.listCurrentApiKeys(organization.id);

    expect(new Set(listed.map(({ id }) => id)).size).toBe(26);
    expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true, true, true]);
    const query = { organizationId: organization.id, archived: false, before: null };
    expect(await directory.queryApiKeys({ ...query, limit: 25 })).toEqual({
      apiKeys: listed.slice(0, 25),
      more: true,
    });
    expect(await directory.queryApiKeys({ ...query, limit: 26 })).toEqual({ apiKeys: listed, more: false });
  });
});

describe('listReplacements', () => {
  it('has all keys that have replaced a key, also those that were revoked, the oldest first', async () => {
    const { directory, audit, clock } = fixture;
    const organization = await fixture.createOrganization();
    const first = await fixture.createKey(organization);
    const rotate = async (old: ApiKey) => {
      clock.nowMs += 1000;
      const rotation = await rotateApiKey(fixture, { organization, old, overlapMs: 60_000, audit });
      return rotation?.apiKey ?? expect.fail();
    };
    const second = await rotate(first);
    const revoked = await directory.revokeApiKey(organization.id, second.id, audit);
    const third = await rotate((await directory.findApiKey(organization.id, first.id)) ?? expect.fail());
    const fourth = await rotate(third);
    const other = await rotate(await fixture.createKey(organization));

    const replaced = (await directory.findApiKey(organization.id, third.id)) ?? expect.fail();
    expect(await directory.listReplacements(organization.id, first.id)).toEqual([revoked, replaced, fourth]);
    expect(await directory.listReplacements(organization.id, third.id)).toEqual([]);
    expect(other.budget_key_id).not.toBe(first.id);
  });
});
