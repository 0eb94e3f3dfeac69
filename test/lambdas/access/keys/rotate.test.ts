import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endOf, hashApiKey, holdersOf } from '#lambdas/access/api-key.ts';
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import { type ApiKey, maxCurrentKeys, type Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { type Rotation, rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import type { Actor } from '#lambdas/audit/record.ts';
import { listAllApiKeys, requestKey } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';
import { readStoredKeys } from '../stored-keys.ts';

const admin: Actor = { type: 'user', id: 'user-2', name: 'Grace', email: 'grace@example.com' };
const hourMs = 3_600_000;

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
let old: ApiKey;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  organization = await fixture.createOrganization();
  old = await fixture.createKey(organization);
  fixture.clock.nowMs += 1000;
});

const inAnHour = () => new Date(fixture.clock.nowMs + hourMs).toISOString();
const rotate = (
  replaced = old,
  directory = fixture.directory,
  overlapMs = hourMs,
): Promise<Rotation | null> =>
  rotateApiKey({ directory }, { organization, old: replaced, overlapMs, audit: fixture.audit.as(admin) });

async function keys() {
  return new Map((await listAllApiKeys(fixture.directory, organization.id)).map((each) => [each.id, each]));
}

async function rotationRecords() {
  const records = await fixture.audit.records(organization.id);
  return records.slice(2).map(({ action, actor, target, before, after }) => ({
    action,
    actor: actor.id,
    target: target.id,
    before,
    after,
  }));
}

describe('rotateApiKey', () => {
  it('creates the replacement and sets the end of the old key, with one record', async () => {
    const { key, apiKey, replaced } = (await rotate()) ?? expect.fail();

    expect(apiKey).toMatchObject({
      name: old.name,
      expires_at: null,
      created_at: fixture.time(),
      created_by: old.created_by,
      budget_key_id: old.id,
      last_four: key.slice(-4),
      rotated_by: { type: 'user', id: 'user-2', name: 'Grace' },
    });
    const [creatorId, rotatorId] = [old.created_by.id, 'user-2'];
    expect(holdersOf(apiKey)).toEqual(new Set([creatorId, rotatorId]));
    expect(holdersOf(old)).toEqual(new Set([creatorId]));
    const rotation = { replacement_id: apiKey.id, ends_at: inAnHour() };
    expect(replaced).toEqual({ ...old, rotation });
    expect(await keys()).toEqual(
      new Map([
        [old.id, replaced],
        [apiKey.id, apiKey],
      ]),
    );
    const { id, organization_id } = apiKey;
    expect(await fixture.directory.findApiKeyByHash(hashApiKey(key))).toEqual(
      requestKey({ id, organization_id, budget_key_id: old.id }),
    );
    expect(await fixture.directory.findApiKeyByHash(old.id)).toEqual(
      requestKey({ id: old.id, organization_id, rotation }),
    );
    expect(await rotationRecords()).toEqual([
      {
        action: 'api_key.rotated',
        actor: 'user-2',
        target: old.id,
        before: { replacement_id: null },
        after: { replacement_id: apiKey.id, ends_at: inAnHour() },
      },
    ]);
  });

  it('keeps the expiry that the owner has set, which the replacement inherits', async () => {
    const expires_at = new Date(fixture.clock.nowMs + 60_000).toISOString();
    const expiring = await fixture.createKey(organization, { expires_at });

    const { apiKey, replaced } = (await rotate(expiring)) ?? expect.fail();

    const rotation = { replacement_id: apiKey.id, ends_at: inAnHour() };
    expect([apiKey.expires_at, replaced]).toEqual([expires_at, { ...expiring, rotation }]);
    expect([endOf(apiKey), endOf(replaced)]).toEqual([expires_at, expires_at]);
  });

  it('returns null for a revoked or expired key, and writes nothing', async () => {
    const { directory, audit } = fixture;
    const expires_at = '2026-01-01T00:00:00.000Z';
    const expired = await directory.changeApiKeyExpiry(organization.id, old.id, expires_at, audit);
    // The second caller knows the key as it was.
    expect([await rotate(expired ?? expect.fail()), await rotate(old)]).toEqual([null, null]);
    const revoked = await directory.revokeApiKey(organization.id, old.id, audit);
    expect([await rotate(revoked ?? expect.fail()), await rotate(old)]).toEqual([null, null]);

    expect((await keys()).size).toBe(1);
    expect((await rotationRecords()).map(({ action }) => action).sort()).toEqual([
      'api_key.expiry_changed',
      'api_key.revoked',
    ]);
  });

  it('returns null in a deleted organization, and for a key that does not exist', async () => {
    await fixture.directory.deleteOrganization({
      organizationId: organization.id,
      audit: fixture.audit,
      readMemberships: async () => [],
    });

    expect(await rotate()).toBeNull();
    expect(await rotate({ ...old, id: 'key_unknown' })).toBeNull();
    expect((await keys()).size).toBe(1);
  });

  it('includes what another caller changes at the same time', async () => {
    const { directory, audit, table } = fixture;
    const racing = changedAfter(table, { operation: 'BatchGetCommand' }, () =>
      directory.renameApiKey(organization.id, old.id, 'staging', audit),
    );

    const { apiKey, replaced } = (await rotate(old, createDirectoryStore(racing))) ?? expect.fail();

    expect([apiKey.name, replaced.name]).toEqual(['staging', 'staging']);
    expect((await keys()).get(old.id)).toEqual(replaced);
  });

  it('gives the replacement a hard budget of the key that comes into effect at the same time', async () => {
    const ref = { id: 'counter-1', shards: 1, allows_unpriced: false };
    const target = { organizationId: organization.id, keyId: old.id };
    const store = () => storeBudgetRef(fixture.table, target, ref);
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, store);

    const { key } = (await rotate(old, createDirectoryStore(racing))) ?? expect.fail();

    for (const hash of [old.id, hashApiKey(key)]) {
      expect((await fixture.directory.findApiKeyByHash(hash))?.key_budget).toEqual(ref);
    }
  });
});

describe('A rotation without overlap', () => {
  const rotateNow = (replaced = old, directory = fixture.directory) => rotate(replaced, directory, 0);
  const record = (action: string, before: object, after: object) => ({
    ...{ action, before, after },
    actor: 'user-2',
    target: old.id,
  });

  it('revokes the old key in the same transaction, with a record of each change', async () => {
    const { key, apiKey, replaced } = (await rotateNow()) ?? expect.fail();

    const time = fixture.time();
    const rotation = { replacement_id: apiKey.id, ends_at: time };
    const revoked_by = { type: 'user', id: 'user-2', name: 'Grace' };
    expect(replaced).toEqual({ ...old, rotation, revoked_at: time, revoked_by });
    expect(await readStoredKeys(fixture.table, organization.id)).toEqual({
      current: [apiKey],
      archived: [replaced],
    });
    expect(await fixture.directory.findApiKeyByHash(old.id)).toMatchObject({ rotation, revoked_at: time });
    expect(await fixture.directory.findApiKeyByHash(hashApiKey(key))).toMatchObject({ id: apiKey.id });
    const records = await rotationRecords();
    expect(records).toHaveLength(2);
    expect(records).toEqual(
      expect.arrayContaining([
        record('api_key.rotated', { replacement_id: null }, rotation),
        record('api_key.revoked', { revoked_at: null }, { revoked_at: time }),
      ]),
    );
  });

  it('needs no room for another key', async () => {
    const furtherKeys = maxCurrentKeys - 1;
    await fixture.countFurtherKeys(organization, furtherKeys);

    const { apiKey } = (await rotateNow()) ?? expect.fail();

    const { current } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
    expect(current).toEqual([apiKey]);
  });

  it('can be repeated with the new key, whose budget stays that of the first one', async () => {
    const ref = { id: 'counter-1', shards: 1, allows_unpriced: false };
    const target = { organizationId: organization.id, keyId: old.id };
    const store = () => storeBudgetRef(fixture.table, target, ref);
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, store);

    const second = (await rotateNow(old, createDirectoryStore(racing))) ?? expect.fail();
    const third = (await rotateNow(second.apiKey)) ?? expect.fail();

    for (const { key } of [second, third])
      expect((await fixture.directory.findApiKeyByHash(hashApiKey(key)))?.key_budget).toEqual(ref);
    expect((await readStoredKeys(fixture.table, organization.id)).archived).toHaveLength(2);
  });

  it('includes what another caller changes at the same time, and is refused once the key is revoked', async () => {
    const { directory, audit, table } = fixture;
    const racing = (change: () => Promise<unknown>) =>
      createDirectoryStore(changedAfter(table, { operation: 'BatchGetCommand' }, change));
    const rename = () => directory.renameApiKey(organization.id, old.id, 'staging', audit);
    const { apiKey, replaced } = (await rotateNow(old, racing(rename))) ?? expect.fail();
    const revoke = () => directory.revokeApiKey(organization.id, apiKey.id, audit);

    expect([apiKey.name, replaced.name]).toEqual(['staging', 'staging']);
    expect(await rotateNow(apiKey, racing(revoke))).toBeNull();
    expect((await readStoredKeys(table, organization.id)).current).toEqual([]);
  });

  it('returns null in a deleted organization', async () => {
    const { directory, audit } = fixture;
    await directory.deleteOrganization({
      organizationId: organization.id,
      audit,
      readMemberships: async () => [],
    });

    expect(await rotateNow()).toBeNull();
    expect([...(await keys()).values()]).toEqual([old]);
  });
});
