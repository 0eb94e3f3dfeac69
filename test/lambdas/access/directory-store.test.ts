import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, newId } from '#lambdas/access/api-key.ts';
import type { ApiKey, Directory, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { meterReads } from '#test/support/read-meter.ts';
import { createTables } from '#test/support/tables.ts';

let database: EmbeddedDynamoDB;
let tableName: string;
let directory: Directory;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});

afterAll(async () => {
  await database?.stop();
});

beforeEach(async () => {
  tableName = (await createTables(database)).directory;
  directory = createDirectoryStore({ client: database.documentClient, tableName });
});

function organizationOf(fields: Partial<Organization> = {}): Organization {
  const created_at = '2026-01-01T00:00:00.000Z';
  return { id: newId('org'), name: 'Acme', created_at, log_shards: 1, ...fields };
}

describe('the number of log shards', () => {
  it('is an error for an organization that does not exist', async () => {
    await expect(directory.logShardsOf('org_unknown')).rejects.toThrow(
      'There is no organization org_unknown',
    );
  });

  it('is read consistently each time, so that who reads knows of a raise before anyone writes by it', async () => {
    const { id } = organizationOf();
    await directory.createOrganization(organizationOf({ id }));
    const meter = meterReads(database.client);
    await directory.logShardsOf(id);
    await directory.logShardsOf(id);
    await directory.logAccessOf(id);
    expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true, true, true]);
  });

  it('is raised for the organization before any of its keys', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);
    await directory.createApiKey(apiKeyRecord({ organization_id: organization.id }), 'hash');
    const raised: unknown[] = [];
    database.documentClient.middlewareStack.add(
      (next) => (args) => {
        raised.push((args.input as { Key?: { pk: string } }).Key?.pk);
        return next(args);
      },
      { step: 'initialize', name: 'watch', override: true },
    );

    await directory.raiseLogShards(organization.id, 8);
    database.documentClient.middlewareStack.remove('watch');

    expect(raised).toEqual(['organizations', undefined, 'key#hash']);
    expect(await directory.logShardsOf(organization.id)).toBe(8);
    expect((await directory.findApiKeyByHash('hash'))?.log_shards).toBe(8);
  });

  it('is raised for keys that were missed before, though the organization has it already', async () => {
    const organization = organizationOf({ log_shards: 8 });
    await directory.createOrganization(organization);
    await directory.createApiKey(apiKeyRecord({ organization_id: organization.id }), 'hash');

    expect(await directory.raiseLogShards(organization.id, 4)).toEqual(organization);
    expect((await directory.findApiKeyByHash('hash'))?.log_shards).toBe(8);
  });

  it('of an organization that there is not is not raised', async () => {
    expect(await directory.raiseLogShards('org_unknown', 4)).toBeNull();
    expect(await directory.findOrganization('org_unknown')).toBeNull();
  });
});

describe('the cursor key', () => {
  it('is made with the organization, another one for each, and read with the number of shards', async () => {
    const organizations = [organizationOf({ log_shards: 4 }), organizationOf()];
    for (const organization of organizations) await directory.createOrganization(organization);

    const [first, second] = await Promise.all(organizations.map(({ id }) => directory.logAccessOf(id)));

    expect([first?.shards, second?.shards]).toEqual([4, 1]);
    expect(Buffer.from(first?.cursorKey ?? '', 'base64url')).toHaveLength(32);
    expect(second?.cursorKey).not.toBe(first?.cursorKey);
  });

  it('stays the same when the organization gets more shards', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);
    const { cursorKey } = await directory.logAccessOf(organization.id);

    await directory.raiseLogShards(organization.id, 8);

    expect(await directory.logAccessOf(organization.id)).toEqual({ shards: 8, cursorKey });
  });

  it('is not among what is shown of an organization', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);

    expect(await directory.findOrganization(organization.id)).toEqual(organization);
    expect(await directory.listOrganizations()).toEqual([organization]);
    expect(await directory.raiseLogShards(organization.id, 2)).toEqual({ ...organization, log_shards: 2 });
  });
});

describe('organizations', () => {
  it('are found by their id', async () => {
    const organization = organizationOf();

    await directory.createOrganization(organization);

    expect(await directory.findOrganization(organization.id)).toEqual(organization);
    expect(await directory.findOrganization('org_unknown')).toBeNull();
  });

  it('are not replaced by one with the same id', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);

    const again = directory.createOrganization({ ...organization, name: 'Other' });

    await expect(again).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await directory.findOrganization(organization.id)).toEqual(organization);
  });

  it('are listed oldest first, whatever their ids', async () => {
    const oldest = organizationOf({ id: 'org_z', created_at: '2026-01-01T00:00:00.000Z' });
    const middle = organizationOf({ id: 'org_a', created_at: '2026-01-02T00:00:00.000Z' });
    const newest = organizationOf({ id: 'org_m', created_at: '2026-01-03T00:00:00.000Z' });
    for (const organization of [middle, newest, oldest]) await directory.createOrganization(organization);

    expect(await directory.listOrganizations()).toEqual([oldest, middle, newest]);
  });

  it('are listed in full when one answer of the table cannot hold them', async () => {
    const name = 'n'.repeat(300_000);
    const organizations = [1, 2, 3, 4, 5, 6].map((day) =>
      organizationOf({ name, created_at: `2026-01-0${day}T00:00:00.000Z` }),
    );
    for (const organization of organizations) await directory.createOrganization(organization);

    const listed = await directory.listOrganizations();

    expect(listed.map(({ id }) => id)).toEqual(organizations.map(({ id }) => id));
  });
});

describe('API keys', () => {
  it('are found by the hash of the key, without the hash in the answer', async () => {
    const apiKey = apiKeyRecord({ expires_at: '2027-01-01T00:00:00.000Z' });

    await directory.createApiKey(apiKey, hashApiKey('the key'));

    expect(await directory.findApiKeyByHash(hashApiKey('the key'))).toEqual(apiKey);
    expect(await directory.findApiKeyByHash(hashApiKey('another key'))).toBeNull();
  });

  it('are stored under their hash and nothing that shows the key', async () => {
    const apiKey = apiKeyRecord();

    await directory.createApiKey(apiKey, 'abcdef');

    const Key = { pk: 'key#abcdef', sk: 'key' };
    const { Item } = await database.documentClient.send(new GetCommand({ TableName: tableName, Key }));
    expect(Item).toEqual({ ...Key, ...apiKey });
  });

  it('are not replaced by one with the same hash', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');

    const again = directory.createApiKey(apiKeyRecord({ organization_id: 'org_other' }), 'abcdef');

    await expect(again).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
  });

  it("are listed oldest first, an organization's own only, revoked and expired ones too", async () => {
    const revoked = apiKeyRecord({ id: 'key_z', revoked_at: '2026-02-01T00:00:00.000Z' });
    const expired = apiKeyRecord({
      id: 'key_a',
      created_at: '2026-01-02T00:00:00.000Z',
      expires_at: '2026-01-03T00:00:00.000Z',
    });
    await directory.createApiKey(expired, 'hash-1');
    await directory.createApiKey(revoked, 'hash-2');
    await directory.createApiKey(apiKeyRecord({ organization_id: 'org_other' }), 'hash-3');

    expect(await directory.listApiKeys(revoked.organization_id)).toEqual([revoked, expired]);
    expect(await directory.listApiKeys('org_unknown')).toEqual([]);
  });

  it('are listed in full when one answer of the index cannot hold them', async () => {
    const name = 'n'.repeat(300_000);
    const apiKeys = [1, 2, 3, 4, 5, 6].map((day) =>
      apiKeyRecord({ name, created_at: `2026-01-0${day}T00:00:00.000Z` }),
    );
    for (const apiKey of apiKeys) await directory.createApiKey(apiKey, apiKey.id);

    const listed = await directory.listApiKeys('org_0000000000000001');

    expect(listed.map(({ id }) => id)).toEqual(apiKeys.map(({ id }) => id));
  });
});

describe('revoking a key', () => {
  it('marks it, and the next look-up says so', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');

    const revoked = await directory.revokeApiKey(
      apiKey.organization_id,
      apiKey.id,
      '2026-02-01T00:00:00.000Z',
    );

    expect(revoked).toEqual({ ...apiKey, revoked_at: '2026-02-01T00:00:00.000Z' });
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(revoked);
  });

  it('a second time keeps the first time', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');
    await directory.revokeApiKey(apiKey.organization_id, apiKey.id, '2026-02-01T00:00:00.000Z');

    const again = await directory.revokeApiKey(apiKey.organization_id, apiKey.id, '2026-03-01T00:00:00.000Z');

    expect(again).toEqual({ ...apiKey, revoked_at: '2026-02-01T00:00:00.000Z' });
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(again);
  });

  it("does not reach another organization's key", async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');

    const answer = await directory.revokeApiKey('org_other', apiKey.id, '2026-02-01T00:00:00.000Z');

    expect(answer).toBeNull();
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
  });

  it('answers null for a key that is not there', async () => {
    expect(await directory.revokeApiKey('org_unknown', 'key_unknown', '2026-02-01T00:00:00.000Z')).toBeNull();
  });
});

describe('ending a key at a time', () => {
  const end = '2026-02-01T00:00:00.000Z';
  const expire = ({ organization_id, id }: Pick<ApiKey, 'organization_id' | 'id'>, at = end) =>
    directory.expireApiKey(organization_id, id, at);

  it.each([null, '2026-02-01T00:00:00.001Z'])('sets it where the key ends later: %s', async (expires_at) => {
    const apiKey = apiKeyRecord({ expires_at });
    await directory.createApiKey(apiKey, 'abcdef');

    expect(await expire(apiKey)).toEqual({ ...apiKey, expires_at: end });
    expect(await directory.findApiKeyByHash('abcdef')).toEqual({ ...apiKey, expires_at: end });
  });

  it.each([end, '2026-01-31T23:59:59.999Z'])(
    'keeps it where the key ends by then: %s',
    async (expires_at) => {
      const apiKey = apiKeyRecord({ expires_at });
      await directory.createApiKey(apiKey, 'abcdef');

      expect(await expire(apiKey)).toEqual(apiKey);
      expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
    },
  );

  it('leaves a revoked key revoked', async () => {
    const apiKey = apiKeyRecord({ revoked_at: '2026-01-05T00:00:00.000Z' });
    await directory.createApiKey(apiKey, 'abcdef');

    expect(await expire(apiKey)).toEqual({ ...apiKey, expires_at: end });
  });

  it("does not reach another organization's key, nor one that is not there", async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');

    expect(await expire({ ...apiKey, organization_id: 'org_other' })).toBeNull();
    expect(await expire({ ...apiKey, id: 'key_unknown' })).toBeNull();
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
  });
});

describe('one key', () => {
  it('is found by its id and its organization, and by no other', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');
    await directory.createApiKey(apiKeyRecord({ organization_id: apiKey.organization_id }), 'fedcba');

    expect(await directory.findApiKey(apiKey.organization_id, apiKey.id)).toEqual(apiKey);
    expect(await directory.findApiKey('org_other', apiKey.id)).toBeNull();
    expect(await directory.findApiKey(apiKey.organization_id, 'key_unknown')).toBeNull();
  });
});
