import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { replacementKey } from '#lambdas/access/item-keys.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import {
  changeDefaultRateLimits,
  changeRateLimits,
  readNewKeyRateLimits,
} from '#lambdas/limits/rates/changes.ts';
import type { RateLimitScope } from '#lambdas/limits/rates/rate-limits.ts';
import { findRateLimits, listRateLimits } from '#lambdas/limits/rates/store.ts';
import {
  changedAfter,
  createDirectoryFixture,
  type DirectoryFixture,
} from '#test/lambdas/access/directory-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
let apiKey: ApiKey;
let ofOrganization: RateLimitScope;
let ofKey: RateLimitScope;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  organization = await fixture.createOrganization();
  apiKey = await fixture.createKey(organization);
  ofOrganization = { organizationId: organization.id, keyId: null };
  ofKey = { organizationId: organization.id, keyId: apiKey.id };
  fixture.clock.nowMs++;
});

const set = (scope: RateLimitScope, limits: RateLimits | null, table: DirectoryTable = fixture.table) =>
  changeRateLimits(table, scope, () => limits, fixture.audit);

async function rotate(old: ApiKey, table: DirectoryTable = fixture.table, overlapMs = 60_000) {
  const directory = createDirectoryStore(table);
  const rotation = await rotateApiKey({ directory }, { organization, old, overlapMs, audit: fixture.audit });
  const { key, apiKey: replacement } = rotation ?? expect.fail();
  return { hash: hashApiKey(key), apiKey: replacement };
}

async function keyLimits(...hashes: string[]): Promise<(RateLimits | undefined)[]> {
  const keys = await Promise.all(hashes.map((hash) => fixture.directory.findApiKeyByHash(hash)));
  return keys.map((key) => key?.key_rate_limits);
}

async function changeRecords() {
  const records = await fixture.audit.records(organization.id);
  return records
    .filter(({ target }) => target.type === 'rate_limits')
    .map(({ action, target, before, after }) => [action, target.id, target.name, before, after]);
}

const small = { requests_per_minute: 60 };
const large = { requests_per_minute: 600, tokens_per_minute: 1_000_000, concurrent: 20 };

describe('changeRateLimits', () => {
  it('writes the limits where they are listed and where requests read them, with an audit record', async () => {
    expect(await set(ofOrganization, small)).toEqual({ before: null, after: small });
    await set(ofKey, small);
    fixture.clock.nowMs++;
    expect(await set(ofKey, large)).toEqual({ before: small, after: large });

    expect(await listRateLimits(fixture.table, organization.id)).toEqual([
      { scope: ofOrganization, limits: small },
      { scope: ofKey, limits: large },
    ]);
    expect(await fixture.directory.findApiKeyByHash(apiKey.id)).toMatchObject({
      organization_rate_limits: small,
      key_rate_limits: large,
    });
    expect((await changeRecords()).slice(-1)).toEqual([
      ['rate_limits.set', apiKey.id, 'production', small, large],
    ]);
  });

  it('removes them, and leaves nothing of them behind', async () => {
    await set(ofOrganization, large);
    await set(ofKey, large);
    fixture.clock.nowMs++;

    await set(ofOrganization, null);
    fixture.clock.nowMs++;
    await set(ofKey, null);

    expect(await listRateLimits(fixture.table, organization.id)).toEqual([]);
    const found = await fixture.directory.findApiKeyByHash(apiKey.id);
    expect(found).not.toHaveProperty('organization_rate_limits');
    expect(found).not.toHaveProperty('key_rate_limits');
    expect((await changeRecords()).slice(-2)).toEqual([
      ['rate_limits.removed', organization.id, null, large, null],
      ['rate_limits.removed', apiKey.id, 'production', large, null],
    ]);
  });

  it('records nothing if the limits stay the same, or there are none to remove', async () => {
    await set(ofKey, { concurrent: 20, requests_per_minute: 60 });
    const records = await changeRecords();

    await set(ofKey, { requests_per_minute: 60, concurrent: 20 });
    await set(ofOrganization, null);

    expect([records.length, await changeRecords()]).toEqual([1, records]);
  });

  it('includes what another caller changes at the same time', async () => {
    await set(ofKey, small);
    const other = () => set(ofKey, { ...small, concurrent: 5 });
    const racing = changedAfter(fixture.table, { operation: 'BatchGetCommand', call: 2 }, other);

    const merged = await changeRateLimits(
      racing,
      ofKey,
      (limits) => ({ ...limits, tokens_per_minute: 1000 }),
      fixture.audit,
    );

    expect(merged.after).toEqual({ ...small, concurrent: 5, tokens_per_minute: 1000 });
    expect(await keyLimits(apiKey.id)).toEqual([merged.after]);
  });

  it('refuses a deleted organization, and an unknown key', async () => {
    const { directory, audit } = fixture;
    const remove = { organizationId: organization.id, audit, readMemberships: async () => [] };
    await directory.deleteOrganization(remove);
    const message = 'There is no such organization or API key any more';

    await expect(set(ofOrganization, small)).rejects.toMatchObject({ code: 'not_found', message });
    await expect(set({ ...ofKey, keyId: 'key_unknown' }, small)).rejects.toMatchObject({ message });

    expect(await listRateLimits(fixture.table, organization.id)).toEqual([]);
  });
});

describe('Keys that were rotated', () => {
  it('share the limits of the first one, as they were and as they become', async () => {
    await set(ofKey, small);
    const second = await rotate(apiKey);
    const third = await rotate(second.apiKey);
    const hashes = [apiKey.id, second.hash, third.hash];

    expect(await keyLimits(...hashes)).toEqual([small, small, small]);
    await set(ofKey, large);
    expect(await keyLimits(...hashes)).toEqual([large, large, large]);
    await set(ofKey, null);
    expect(await keyLimits(...hashes)).toEqual([undefined, undefined, undefined]);
  });

  it('share them also if the first one is revoked', async () => {
    const { hash } = await rotate(apiKey, fixture.table, 0);

    await set(ofKey, small);

    expect(await keyLimits(hash)).toEqual([small]);
  });

  it.each([
    ['the first key is rotated', async () => apiKey],
    ['its replacement is rotated', async () => (await rotate(apiKey)).apiKey],
  ])('share limits that are set while %s', async (_, keyToRotate) => {
    const old = await keyToRotate();
    // The rotation has read the earlier limits.
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, () => set(ofKey, small));

    const { hash } = await rotate(old, racing);

    expect(await keyLimits(apiKey.id, hash)).toEqual([small, small]);
  });

  it('keep the later of two limits that are set at the same time', async () => {
    const { hash } = await rotate(apiKey);
    // Before the first caller copies its limits, the second one sets others and copies them.
    let copies = 0;
    const racing = interceptTable(fixture.table, async ({ operation, send }) => {
      if (operation === 'TransactWriteCommand' && ++copies === 1) await set(ofKey, large);
      return send();
    });

    await set(ofKey, small, racing);

    expect(copies).toBe(1);
    expect(await keyLimits(apiKey.id, hash)).toEqual([large, large]);
    expect(await findRateLimits(fixture.table, [ofKey])).toEqual([{ scope: ofKey, limits: large }]);
  });

  it('get the limits of the first one when they are set again after an interruption', async () => {
    const { hash } = await rotate(apiKey);
    const killed = interceptTable(fixture.table, ({ operation, send }) => {
      if (operation === 'TransactWriteCommand') throw new Error('killed');
      return send();
    });
    await expect(set(ofKey, small, killed)).rejects.toThrow('killed');
    expect(await keyLimits(apiKey.id, hash)).toEqual([small, undefined]);

    await set(ofKey, small);

    expect(await keyLimits(apiKey.id, hash)).toEqual([small, small]);
    expect(await changeRecords()).toHaveLength(1);
  });

  it('get them however many there are', async () => {
    await fixture.createKeys(organization, 120, { budget_key_id: apiKey.id });
    const keys = await fixture.directory.listCurrentApiKeys(organization.id);
    const replacements = keys.map(({ id }) => id).filter((id) => id !== apiKey.id);
    const { client, tableName: TableName } = fixture.table;
    for (const id of replacements) {
      const Item = replacementKey(organization.id, apiKey.id, id);
      await client.send(new PutCommand({ TableName, Item }));
    }

    await set(ofKey, small);

    expect(await keyLimits(...replacements)).toEqual(Array.from({ length: 120 }, () => small));
  });
});

describe('Limits of new keys', () => {
  const setDefault = (name: 'new_keys' | 'member_keys', limits: RateLimits | null) => {
    const defaults = { organizationId: organization.id, name };
    return changeDefaultRateLimits(fixture.table, defaults, () => limits, fixture.audit);
  };
  const limitsFor = async (creator: 'member' | 'other') =>
    (await readNewKeyRateLimits(fixture.table, apiKey, creator))?.limits ?? null;

  it('are those for members alone if there are any', async () => {
    expect([await limitsFor('member'), await limitsFor('other')]).toEqual([null, null]);
    await setDefault('new_keys', large);
    expect([await limitsFor('member'), await limitsFor('other')]).toEqual([large, large]);
    await setDefault('member_keys', small);
    expect([await limitsFor('member'), await limitsFor('other')]).toEqual([small, large]);
    await setDefault('new_keys', null);
    expect([await limitsFor('member'), await limitsFor('other')]).toEqual([small, null]);
  });

  it('are created with the key or not at all', async () => {
    await setDefault('new_keys', large);
    const created = { ...apiKey, id: 'key_new', name: 'new' };
    const planned = (await readNewKeyRateLimits(fixture.table, created, 'other')) ?? expect.fail();
    const { directory, audit } = fixture;
    await setDefault('new_keys', null);

    await directory.createApiKey(created, 'hash-new', audit, planned.change);
    const again = directory.createApiKey({ ...created, id: 'key_2' }, 'hash-new', audit, planned.change);

    await expect(again).rejects.toThrow('API key key_2 exists already');
    expect(await keyLimits('hash-new')).toEqual([large]);
    const listed = await listRateLimits(fixture.table, organization.id);
    expect(listed).toEqual([{ scope: { organizationId: organization.id, keyId: 'key_new' }, limits: large }]);
  });

  it('are not listed with the limits of the organization, and stay when these are removed', async () => {
    await setDefault('new_keys', large);
    await set(ofOrganization, small);
    await set(ofOrganization, null);

    expect(await listRateLimits(fixture.table, organization.id)).toEqual([]);
    expect(await limitsFor('other')).toEqual(large);
  });

  it('have an audit record of each change, but not of equal limits', async () => {
    for (const limits of [small, small, large, null, null]) {
      fixture.clock.nowMs++;
      await setDefault('member_keys', limits);
    }

    const change = ['rate_limits.defaults_set', `${organization.id}/member_keys`, null];
    expect(await changeRecords()).toEqual([
      [...change, null, small],
      [...change, small, large],
      [...change, large, null],
    ]);
  });
});
