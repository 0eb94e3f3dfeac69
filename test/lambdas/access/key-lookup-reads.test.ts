/** The reads of a key lookup: of what a request needs of its key, and of the organization. */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import { organizationKey } from '#lambdas/access/item-keys.ts';
import { createApiKeyFinder, createApiKeyLookup } from '#lambdas/access/key-lookup.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createDirectoryFixture, type DirectoryFixture } from './directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

/** A function that looks up keys, with the partition keys of its reads. */
function startFunction(beforeRead: () => Promise<void> = async () => {}) {
  const { tables, clock } = fixture;
  const reads: string[] = [];
  const { get } = createSdkTableCalls(database.documentClient);
  const calls = {
    async get(tableName: string, key: Item) {
      reads.push(String(key.pk));
      await beforeRead();
      return get(tableName, key);
    },
  };
  const apiKeys = createApiKeyFinder({ calls, tableName: tables.directory });
  const lookUp = createApiKeyLookup({ apiKeys, now: () => new Date(clock.nowMs) });
  return { lookUp, takeReads: () => reads.splice(0) };
}

async function createKey() {
  const organization = await fixture.createOrganization({ log_shards: 2 });
  const apiKey = await fixture.createKey(organization);
  const found = requestKey({ id: apiKey.id, organization_id: organization.id, log_shards: 2 });
  return { organization, apiKey, found, scope: { organizationId: organization.id, keyId: null } };
}

it('reads the key, then its organization, and nothing more for 20 seconds', async () => {
  const { organization, apiKey, found } = await createKey();
  const { lookUp, takeReads } = startFunction();

  expect(await lookUp(apiKey.id)).toEqual(found);
  fixture.clock.nowMs += 19_999;
  expect(await lookUp(apiKey.id)).toEqual(found);

  expect(takeReads()).toEqual([`key#${apiKey.id}`, `organization#${organization.id}`]);
});

it('reads both again at the same time, since it knows the organization', async () => {
  const { organization, apiKey, found } = await createKey();
  let isWaiting = false;
  const both = Promise.withResolvers<void>();
  let reads = 0;
  const { lookUp, takeReads } = startFunction(async () => {
    if (!isWaiting) return;
    // Each read waits for the other: sequential reads would never end.
    if (++reads === 2) both.resolve();
    await both.promise;
  });
  await lookUp(apiKey.id);
  takeReads();
  isWaiting = true;
  fixture.clock.nowMs += 20_000;

  expect(await lookUp(apiKey.id)).toEqual(found);

  expect(takeReads()).toEqual([`key#${apiKey.id}`, `organization#${organization.id}`]);
});

it('reads no organization for an unknown key', async () => {
  const { lookUp, takeReads } = startFunction();

  expect(await lookUp('unknown')).toBe('unknown');
  expect(takeReads()).toEqual(['key#unknown']);
});

it('refuses the key of a deleted organization after 20 seconds at the latest', async () => {
  const { organization, apiKey, found } = await createKey();
  const [first, later] = [startFunction(), startFunction()];
  await first.lookUp(apiKey.id);
  const { directory, audit, clock } = fixture;
  await directory.deleteOrganization({
    organizationId: organization.id,
    audit,
    readMemberships: async () => [],
  });

  expect(await later.lookUp(apiKey.id)).toBe('revoked');
  clock.nowMs += 19_999;
  expect(await first.lookUp(apiKey.id)).toEqual(found);
  clock.nowMs += 1;
  expect(await first.lookUp(apiKey.id)).toBe('revoked');
});

it("finds the organization's hard budget and its raised shards after 20 seconds at the latest", async () => {
  const { organization, apiKey, found, scope } = await createKey();
  const { lookUp } = startFunction();
  await lookUp(apiKey.id);
  const budget = { id: 'counter-1', shards: 4, allows_unpriced: false };
  await storeBudgetRef(fixture.table, scope, budget);
  await fixture.directory.raiseLogShards(organization.id, 8, fixture.audit);

  fixture.clock.nowMs += 19_999;
  expect(await lookUp(apiKey.id)).toEqual(found);
  fixture.clock.nowMs += 1;
  expect(await lookUp(apiKey.id)).toEqual({ ...found, log_shards: 8, organization_budget: budget });
});

it('finds nothing of the organization but its shards and its budget, and nothing new of a renamed one', async () => {
  const { organization, apiKey, found } = await createKey();
  const { lookUp } = startFunction();
  await fixture.directory.renameOrganization(organization.id, 'Renamed', fixture.audit);

  expect(await lookUp(apiKey.id)).toEqual(found);
});

it('refuses a key whose organization has no record', async () => {
  const { apiKey, organization } = await createKey();
  const { lookUp } = startFunction();
  await database.documentClient.send(
    new DeleteCommand({ TableName: fixture.tables.directory, Key: organizationKey(organization.id) }),
  );

  expect(await lookUp(apiKey.id)).toBe('unknown');
});
