import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, newId } from '#lambdas/access/api-key.ts';
import type { ApiKey, Directory, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { meterReads } from '#test/support/dynamodb/read-meter.ts';
import { createTables } from '#test/support/dynamodb/tables.ts';

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

describe('Log shards', () => {
  it('rejects for an organization that does not exist', async () => {
    await expect(directory.logShardsOf('org_unknown')).rejects.toThrow(
      'There is no organization org_unknown',
    );
  });

  it('reads the number of shards with strong consistency, so that readers see a raise before writers use it', async () => {
    const { id } = organizationOf();
    await directory.createOrganization(organizationOf({ id }));
    const meter = meterReads(database.client);
    await directory.logShardsOf(id);
    await directory.logShardsOf(id);
    await directory.logAccessOf(id);
    expect(meter.take().map(({ input }) => input.ConsistentRead)).toEqual([true, true, true]);
  });

  it('raises the number of shards of the organization before that of its keys', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);
    await directory.createApiKey(apiKeyRecord({ organization_id: organization.id }), 'hash');
    const partitionKeys: unknown[] = [];
    database.documentClient.middlewareStack.add(
      (next) => (args) => {
        partitionKeys.push((args.input as { Key?: { pk: string } }).Key?.pk);
        return next(args);
      },
      { step: 'initialize', name: 'recordKeys', override: true },
    );

    await directory.raiseLogShards(organization.id, 8);
    database.documentClient.middlewareStack.remove('recordKeys');

    expect(partitionKeys).toEqual(['organizations', undefined, 'key#hash']);
    expect(await directory.logShardsOf(organization.id)).toBe(8);
    expect((await directory.findApiKeyByHash('hash'))?.log_shards).toBe(8);
  });

  it('raises the number of shards of keys that an earlier raise has missed', async () => {
    const organization = organizationOf({ log_shards: 8 });
    await directory.createOrganization(organization);
    await directory.createApiKey(apiKeyRecord({ organization_id: organization.id }), 'hash');

    expect(await directory.raiseLogShards(organization.id, 4)).toEqual(organization);
    expect((await directory.findApiKeyByHash('hash'))?.log_shards).toBe(8);
  });

  it('returns null and creates nothing when raising the shards of an unknown organization', async () => {
    expect(await directory.raiseLogShards('org_unknown', 4)).toBeNull();
    expect(await directory.findOrganization('org_unknown')).toBeNull();
  });
});

describe('Cursor keys', () => {
  it('creates a different cursor key for each organization and returns it with the number of shards', async () => {
    const organizations = [organizationOf({ log_shards: 4 }), organizationOf()];
    for (const organization of organizations) await directory.createOrganization(organization);

    const [first, second] = await Promise.all(organizations.map(({ id }) => directory.logAccessOf(id)));

    expect([first?.shards, second?.shards]).toEqual([4, 1]);
    expect(Buffer.from(first?.cursorKey ?? '', 'base64url')).toHaveLength(32);
    expect(second?.cursorKey).not.toBe(first?.cursorKey);
  });

  it('keeps the cursor key when the number of shards is raised', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);
    const { cursorKey } = await directory.logAccessOf(organization.id);

    await directory.raiseLogShards(organization.id, 8);

    expect(await directory.logAccessOf(organization.id)).toEqual({ shards: 8, cursorKey });
  });

  it('does not include the cursor key in organization records', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);

    expect(await directory.findOrganization(organization.id)).toEqual(organization);
    expect(await directory.listOrganizations()).toEqual([organization]);
    expect(await directory.raiseLogShards(organization.id, 2)).toEqual({ ...organization, log_shards: 2 });
  });
});

describe('Organizations', () => {
  it('finds an organization by its id', async () => {
    const organization = organizationOf();

    await directory.createOrganization(organization);

    expect(await directory.findOrganization(organization.id)).toEqual(organization);
    expect(await directory.findOrganization('org_unknown')).toBeNull();
  });

  it('rejects the creation of an organization with an existing id', async () => {
    const organization = organizationOf();
    await directory.createOrganization(organization);

    const duplicate = directory.createOrganization({ ...organization, name: 'Other' });

    await expect(duplicate).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
    expect(await directory.findOrganization(organization.id)).toEqual(organization);
  });

  it('lists organizations oldest first, regardless of their ids', async () => {
    const oldest = organizationOf({ id: 'org_z', created_at: '2026-01-01T00:00:00.000Z' });
    const middle = organizationOf({ id: 'org_a', created_at: '2026-01-02T00:00:00.000Z' });
    const newest = organizationOf({ id: 'org_m', created_at: '2026-01-03T00:00:00.000Z' });
    for (const organization of [middle, newest, oldest]) await directory.createOrganization(organization);

    expect(await directory.listOrganizations()).toEqual([oldest, middle, newest]);
  });

  it('lists all organizations when they take more than one page of the table', async () => {
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
  it('finds a key by its hash and returns the record without the hash', async () => {
    const apiKey = apiKeyRecord({ expires_at: '2027-01-01T00:00:00.000Z' });

    await directory.createApiKey(apiKey, hashApiKey('the key'));

    expect(await directory.findApiKeyByHash(hashApiKey('the key'))).toEqual(apiKey);
    expect(await directory.findApiKeyByHash(hashApiKey('another key'))).toBeNull();
  });

  it('stores the record under the hash, without the key itself', async () => {
    const apiKey = apiKeyRecord();

    await directory.createApiKey(apiKey, 'abcdef');

    const Key = { pk: 'key#abcdef', sk: 'key' };
    const { Item } = await database.documentClient.send(new GetCommand({ TableName: tableName, Key }));
    expect(Item).toEqual({ ...Key, ...apiKey });
  });

  it('rejects the creation of a key with an existing hash', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');

    const duplicate = directory.createApiKey(apiKeyRecord({ organization_id: 'org_other' }), 'abcdef');

    await expect(duplicate).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
  });

  it('lists the keys of one organization oldest first, including revoked and expired keys', async () => {
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

  it('lists all keys when they take more than one page of the index', async () => {
    const name = 'n'.repeat(300_000);
    const apiKeys = [1, 2, 3, 4, 5, 6].map((day) =>
      apiKeyRecord({ name, created_at: `2026-01-0${day}T00:00:00.000Z` }),
    );
    for (const apiKey of apiKeys) await directory.createApiKey(apiKey, apiKey.id);

    const listed = await directory.listApiKeys('org_0000000000000001');

    expect(listed.map(({ id }) => id)).toEqual(apiKeys.map(({ id }) => id));
  });
});

describe('revokeApiKey', () => {
  it('sets the revocation time, which the next lookup returns', async () => {
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

  it('keeps the time of the first revocation when a key is revoked again', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');
    await directory.revokeApiKey(apiKey.organization_id, apiKey.id, '2026-02-01T00:00:00.000Z');

    const again = await directory.revokeApiKey(apiKey.organization_id, apiKey.id, '2026-03-01T00:00:00.000Z');

    expect(again).toEqual({ ...apiKey, revoked_at: '2026-02-01T00:00:00.000Z' });
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(again);
  });

  it('returns null for a key of another organization and does not revoke it', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');

    const result = await directory.revokeApiKey('org_other', apiKey.id, '2026-02-01T00:00:00.000Z');

    expect(result).toBeNull();
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
  });

  it('returns null for an unknown key', async () => {
    expect(await directory.revokeApiKey('org_unknown', 'key_unknown', '2026-02-01T00:00:00.000Z')).toBeNull();
  });
});

describe('expireApiKey', () => {
  const expiry = '2026-02-01T00:00:00.000Z';
  const expire = ({ organization_id, id }: Pick<ApiKey, 'organization_id' | 'id'>, at = expiry) =>
    directory.expireApiKey(organization_id, id, at);

  it.each([null, '2026-02-01T00:00:00.001Z'])('replaces the later expiry %s', async (expires_at) => {
    const apiKey = apiKeyRecord({ expires_at });
    await directory.createApiKey(apiKey, 'abcdef');

    expect(await expire(apiKey)).toEqual({ ...apiKey, expires_at: expiry });
    expect(await directory.findApiKeyByHash('abcdef')).toEqual({ ...apiKey, expires_at: expiry });
  });

  it.each([expiry, '2026-01-31T23:59:59.999Z'])(
    'keeps the expiry %s, which is not later',
    async (expires_at) => {
      const apiKey = apiKeyRecord({ expires_at });
      await directory.createApiKey(apiKey, 'abcdef');

      expect(await expire(apiKey)).toEqual(apiKey);
      expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
    },
  );

  it('sets the expiry of a revoked key and keeps it revoked', async () => {
    const apiKey = apiKeyRecord({ revoked_at: '2026-01-05T00:00:00.000Z' });
    await directory.createApiKey(apiKey, 'abcdef');

    expect(await expire(apiKey)).toEqual({ ...apiKey, expires_at: expiry });
  });

  it('returns null for a key of another organization and for an unknown key', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');

    expect(await expire({ ...apiKey, organization_id: 'org_other' })).toBeNull();
    expect(await expire({ ...apiKey, id: 'key_unknown' })).toBeNull();
    expect(await directory.findApiKeyByHash('abcdef')).toEqual(apiKey);
  });
});

describe('findApiKey', () => {
  it('finds a key only by its own id and organization', async () => {
    const apiKey = apiKeyRecord();
    await directory.createApiKey(apiKey, 'abcdef');
    await directory.createApiKey(apiKeyRecord({ organization_id: apiKey.organization_id }), 'fedcba');

    expect(await directory.findApiKey(apiKey.organization_id, apiKey.id)).toEqual(apiKey);
    expect(await directory.findApiKey('org_other', apiKey.id)).toBeNull();
    expect(await directory.findApiKey(apiKey.organization_id, 'key_unknown')).toBeNull();
  });
});
