import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import {
  type ModelList,
  type ModelListOwner,
  newKeyModels,
  setAllowedModels,
} from '#lambdas/access/models/changes.ts';
import { findKeyModels } from '#lambdas/access/models/read.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
let apiKey: ApiKey;
let ofOrganization: ModelListOwner;
let ofKey: ModelListOwner;
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

const set = (owner: ModelListOwner, models: ModelList, table: DirectoryTable = fixture.table) =>
  setAllowedModels(table, owner, models, fixture.audit);

async function rotate(old: ApiKey, table: DirectoryTable = fixture.table, overlapMs = 60_000) {
  const directory = createDirectoryStore(table);
  const rotation = await rotateApiKey({ directory }, { organization, old, overlapMs, audit: fixture.audit });
  const { key, apiKey: replacement } = rotation ?? expect.fail();
  return { hash: hashApiKey(key), apiKey: replacement };
}

async function listsOf(...hashes: string[]) {
  const keys = await Promise.all(hashes.map((hash) => fixture.directory.findApiKeyByHash(hash)));
  return keys.map((key) => key?.key_models);
}

async function changeRecords() {
  const records = await fixture.audit.records(organization.id);
  return records
    .filter(({ action }) => action.endsWith('.models_set'))
    .map(({ action, target, before, after }) => [action, target.id, target.name, before, after]);
}

const openAi = ['openai/*'];
const several = ['anthropic/claude-*', 'route/*'];

describe('setAllowedModels', () => {
  it('writes the lists where requests read them, with an audit record', async () => {
    expect(await set(ofOrganization, several)).toBeNull();
    fixture.clock.nowMs++;
    expect(await set(ofKey, openAi)).toBeNull();
    fixture.clock.nowMs++;
    expect(await set(ofKey, several)).toEqual(openAi);

    expect(await fixture.directory.findApiKeyByHash(apiKey.id)).toMatchObject({
      organization_models: several,
      key_models: several,
    });
    expect(await changeRecords()).toEqual([
      ['organization.models_set', organization.id, 'Acme', { models: null }, { models: several }],
      ['api_key.models_set', apiKey.id, 'production', { models: null }, { models: openAi }],
      ['api_key.models_set', apiKey.id, 'production', { models: openAi }, { models: several }],
    ]);
  });

  it('removes them, and leaves nothing of them behind', async () => {
    await set(ofOrganization, openAi);
    await set(ofKey, openAi);
    fixture.clock.nowMs++;

    expect(await set(ofOrganization, null)).toEqual(openAi);
    fixture.clock.nowMs++;
    expect(await set(ofKey, null)).toEqual(openAi);

    const found = await fixture.directory.findApiKeyByHash(apiKey.id);
    expect(found).not.toHaveProperty('organization_models');
    expect(found).not.toHaveProperty('key_models');
    expect((await changeRecords()).slice(2)).toEqual([
      ['organization.models_set', organization.id, 'Acme', { models: openAi }, { models: null }],
      ['api_key.models_set', apiKey.id, 'production', { models: openAi }, { models: null }],
    ]);
  });

  it('records nothing if a list stays the same, or there is none to remove', async () => {
    await set(ofKey, several);

    await set(ofKey, [...several]);
    await set(ofOrganization, null);

    expect(await changeRecords()).toHaveLength(1);
  });

  it('replaces what another caller sets at the same time', async () => {
    const other = async () => {
      await set(ofOrganization, several);
      fixture.clock.nowMs++;
    };
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, other);

    expect(await set(ofOrganization, openAi, racing)).toEqual(several);
    expect((await changeRecords()).map((record) => record.slice(-2))).toEqual([
      [{ models: null }, { models: several }],
      [{ models: several }, { models: openAi }],
    ]);
  });

  it('refuses a deleted organization, and an unknown key', async () => {
    const { directory, audit } = fixture;
    const remove = { organizationId: organization.id, audit, readMemberships: async () => [] };
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, () =>
      directory.deleteOrganization(remove),
    );
    const message = 'There is no such organization or API key any more';

    await expect(set(ofOrganization, openAi, racing)).rejects.toMatchObject({ code: 'not_found', message });
    await expect(set({ ...ofOrganization, organizationId: 'org_no' }, openAi)).rejects.toThrow(message);
    await expect(set({ ...ofKey, keyId: 'key_unknown' }, openAi)).rejects.toThrow(message);
  });
});

describe('Keys that were rotated', () => {
  it('share the list of the first one, as it was and as it becomes', async () => {
    await set(ofKey, openAi);
    const second = await rotate(apiKey);
    const third = await rotate(second.apiKey);
    const hashes = [apiKey.id, second.hash, third.hash];

    expect(await listsOf(...hashes)).toEqual([openAi, openAi, openAi]);
    await set(ofKey, several);
    expect(await listsOf(...hashes)).toEqual([several, several, several]);
    await set(ofKey, null);
    expect(await listsOf(...hashes)).toEqual([undefined, undefined, undefined]);
  });

  it('share it also if the first one is revoked', async () => {
    const { hash } = await rotate(apiKey, fixture.table, 0);

    await set(ofKey, openAi);

    expect(await listsOf(hash)).toEqual([openAi]);
  });

  it.each([
    ['the first key is rotated', async () => apiKey],
    ['its replacement is rotated', async () => (await rotate(apiKey)).apiKey],
  ])('share a list that is set while %s', async (_, keyToRotate) => {
    const old = await keyToRotate();
    // The rotation has read that there is no list.
    const racing = changedAfter(fixture.table, { operation: 'GetCommand' }, () => set(ofKey, openAi));

    const { hash } = await rotate(old, racing);

    expect(await listsOf(apiKey.id, hash)).toEqual([openAi, openAi]);
  });

  it('get the list of the first one when it is set again after an interruption', async () => {
    const { hash } = await rotate(apiKey);
    let transactions = 0;
    const killed = interceptTable(fixture.table, ({ operation, send }) => {
      if (operation === 'TransactWriteCommand') throw new Error(`killed ${++transactions}`);
      return send();
    });
    await expect(set(ofKey, openAi, killed)).rejects.toThrow('killed 1');
    expect(await listsOf(apiKey.id, hash)).toEqual([openAi, undefined]);

    await set(ofKey, openAi);

    expect(await listsOf(apiKey.id, hash)).toEqual([openAi, openAi]);
    expect(await changeRecords()).toHaveLength(1);
  });
});

it('creates a key with its list or not at all, with a record of both', async () => {
  const { directory, audit } = fixture;
  const created = { ...apiKey, id: 'key_new', name: 'new' };
  const change = newKeyModels(created, openAi);

  await directory.createApiKey(created, 'hash-new', audit, change);
  const again = directory.createApiKey({ ...created, id: 'key_2' }, 'hash-new', audit, change);

  await expect(again).rejects.toThrow('API key key_2 exists already');
  expect(await listsOf('hash-new')).toEqual([openAi]);
  expect(await changeRecords()).toEqual([
    ['api_key.models_set', 'key_new', 'new', { models: null }, { models: openAi }],
  ]);
});

it('finds the lists of keys that have one', async () => {
  const second = await fixture.createKey(organization);
  await set({ ...ofKey, keyId: second.id }, several);
  const find = (...keyIds: string[]) => findKeyModels(fixture.table, organization.id, keyIds);

  expect(await find(apiKey.id, second.id, 'key_unknown')).toEqual(new Map([[second.id, several]]));
  expect(await find()).toEqual(new Map());
});
