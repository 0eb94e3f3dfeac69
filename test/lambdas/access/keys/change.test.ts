import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKey, Directory, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { type Actor, creatorOf } from '#lambdas/audit/record.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

const operator: Actor = {
  type: 'operator',
  id: 'arn:aws:sts::123456789012:assumed-role/Admin/ada',
  name: null,
  email: null,
};

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
let apiKey: ApiKey;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  organization = await fixture.createOrganization();
  apiKey = await fixture.createKey(organization);
  fixture.clock.nowMs += 1000;
});

const expiry = '2026-06-01T00:00:00.000Z';
type Change = (directory: Directory, keyId?: string, organizationId?: string) => Promise<ApiKey | null>;
const rename =
  (name: string): Change =>
  (directory, keyId = apiKey.id, organizationId = organization.id) =>
    directory.renameApiKey(organizationId, keyId, name, fixture.audit);
const changeExpiry =
  (expiresAt: string | null): Change =>
  (directory, keyId = apiKey.id, organizationId = organization.id) =>
    directory.changeApiKeyExpiry(organizationId, keyId, expiresAt, fixture.audit);
const revoke: Change = (directory, keyId = apiKey.id, organizationId = organization.id) =>
  directory.revokeApiKey(organizationId, keyId, fixture.audit);

/** The changes of keys, without their creation. */
async function changes() {
  const records = await fixture.audit.records(organization.id);
  return records.slice(2).map(({ action, before, after }) => [action, before, after]);
}

describe('Changes of a key', () => {
  it.each<[string, Change, Partial<ApiKey>, unknown[]]>([
    [
      'its name',
      rename('staging'),
      { name: 'staging' },
      ['api_key.renamed', { name: 'production' }, { name: 'staging' }],
    ],
    [
      'its expiry',
      changeExpiry(expiry),
      { expires_at: expiry },
      ['api_key.expiry_changed', { expires_at: null }, { expires_at: expiry }],
    ],
  ])('set and record %s', async (_case, change, fields, record) => {
    expect(await change(fixture.directory)).toEqual({ ...apiKey, ...fields });

    expect(await fixture.directory.findApiKey(organization.id, apiKey.id)).toEqual({ ...apiKey, ...fields });
    expect(await changes()).toEqual([record]);
    expect((await fixture.audit.records(organization.id)).at(-1)?.target).toEqual({
      type: 'api_key',
      id: apiKey.id,
      name: 'production',
    });
  });

  it.each<[string, Change]>([
    ['the same name', rename('production')],
    ['the same expiry', changeExpiry(null)],
  ])('to %s change nothing and have no record', async (_case, change) => {
    expect(await change(fixture.directory)).toEqual(apiKey);

    expect(await changes()).toEqual([]);
  });

  it('let an expired key work again', async () => {
    await changeExpiry('2026-01-01T00:00:00.000Z')(fixture.directory);

    expect(await changeExpiry(null)(fixture.directory)).toEqual(apiKey);
  });

  it.each<[string, Change]>([
    ['name', rename('staging')],
    ['expiry', changeExpiry(expiry)],
    ['revocation', revoke],
  ])('leave the %s of a revoked key as it is', async (_case, change) => {
    const revoked = await revoke(fixture.directory);
    fixture.clock.nowMs += 60_000;

    expect(await change(fixture.directory)).toEqual(revoked);
    expect(await fixture.directory.findApiKey(organization.id, apiKey.id)).toEqual(revoked);
    expect(await changes()).toHaveLength(1);
  });

  it.each<[string, Change]>([
    ['renaming', rename('staging')],
    ['expiring', changeExpiry(expiry)],
    ['revoking', revoke],
  ])('do not exist for an unknown key, or one of another organization, when %s it', async (_case, change) => {
    const { directory } = fixture;
    const other = await fixture.createOrganization();

    expect(await change(directory, 'key_unknown')).toBeNull();
    expect(await change(directory, apiKey.id, other.id)).toBeNull();

    expect(await directory.findApiKey(organization.id, apiKey.id)).toEqual(apiKey);
    expect([await changes(), await fixture.audit.records(other.id)]).toMatchObject([[], [{}]]);
  });

  it.each<[string, Change, Change, unknown[]]>([
    [
      'the value in between',
      rename('second'),
      rename('third'),
      [
        ['api_key.renamed', { name: 'production' }, { name: 'second' }],
        ['api_key.renamed', { name: 'second' }, { name: 'third' }],
      ],
    ],
    [
      'nothing that another caller has already changed',
      rename('second'),
      rename('second'),
      [['api_key.renamed', { name: 'production' }, { name: 'second' }]],
    ],
    [
      'a revocation of the renamed key',
      rename('second'),
      revoke,
      [
        ['api_key.renamed', { name: 'production' }, { name: 'second' }],
        ['api_key.revoked', { revoked_at: null }, { revoked_at: expect.any(String) }],
      ],
    ],
    [
      'nothing after a revocation',
      revoke,
      rename('second'),
      [['api_key.revoked', { revoked_at: null }, { revoked_at: expect.any(String) }]],
    ],
  ])('at the same time record %s', async (_case, first, second, expected) => {
    const { directory, table, clock } = fixture;
    const racing = changedAfter(table, { operation: 'BatchGetCommand' }, async () => {
      await first(directory);
      clock.nowMs++;
    });

    await second(createDirectoryStore(racing));

    expect(await changes()).toEqual(expected);
  });
});

describe('revokeApiKey', () => {
  it('sets the time and the actor, which the next lookup returns', async () => {
    const { directory, audit } = fixture;

    const revoked = await directory.revokeApiKey(organization.id, apiKey.id, audit.as(operator));

    expect(revoked).toEqual({
      ...apiKey,
      revoked_at: fixture.time(),
      revoked_by: { type: 'operator', id: operator.id, name: operator.id },
    });
    expect((await directory.findApiKeyByHash(apiKey.id))?.revoked_at).toBe(fixture.time());
    expect(await directory.findApiKey(organization.id, apiKey.id)).toEqual(revoked);
    const [record] = (await audit.records(organization.id)).slice(2);
    expect(record).toMatchObject({ action: 'api_key.revoked', actor: operator, at: fixture.time() });
    expect(record).toMatchObject({ before: { revoked_at: null }, after: { revoked_at: fixture.time() } });
  });

  it('keeps the time and the actor of the first of two revocations at the same time', async () => {
    const { directory, audit } = fixture;

    const [first, second] = await Promise.all([
      directory.revokeApiKey(organization.id, apiKey.id, audit),
      directory.revokeApiKey(organization.id, apiKey.id, audit.as(operator)),
    ]);

    expect(second).toEqual(first);
    const records = (await audit.records(organization.id)).slice(2);
    expect(records.map(({ actor }) => creatorOf(actor))).toEqual([first?.revoked_by]);
  });
});
