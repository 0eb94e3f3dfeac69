import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import { storeBudgetRef } from '#lambdas/access/budget-refs.ts';
import type { BudgetCounterRef, Organization } from '#lambdas/access/directory.ts';
import {
  canaryKeyId,
  canaryOrganizationId,
  createCanaryKey,
  ensureOrganization,
} from '#lambdas/canary/key.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { testCreator } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../access/directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
beforeEach(async () => {
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

const ensure = () => ensureOrganization(fixture.directory, fixture.audit);
const create = (organization: Organization) =>
  createCanaryKey(fixture.table, organization, { createdBy: testCreator, createdAt: fixture.audit.now() });
const find = (key: string) => fixture.directory.findApiKeyByHash(hashApiKey(key));

async function storedKeys(): Promise<string[]> {
  const { Items = [] } = await fixture.table.client.send(
    new ScanCommand({ TableName: fixture.table.tableName }),
  );
  return Items.map(({ pk, sk }) => `${pk}/${sk}`).sort();
}

const organizationItems = [
  `organization#${canaryOrganizationId}/organization`,
  `organizations/${canaryOrganizationId}`,
];

it('creates the organization once, with its audit record', async () => {
  const created = await ensure();
  fixture.clock.nowMs += 900_000;

  expect(await ensure()).toEqual(created);
  expect(created).toEqual({
    id: canaryOrganizationId,
    name: 'Canary',
    created_at: '2026-03-01T12:00:00.000Z',
    log_shards: 1,
  });
  expect(await fixture.audit.records(canaryOrganizationId)).toMatchObject([
    { action: 'organization.created' },
  ]);
});

it('creates no organization in place of a deleted one', async () => {
  await ensure();
  const { audit, directory } = fixture;
  await directory.deleteOrganization({
    organizationId: canaryOrganizationId,
    audit,
    readMemberships: async () => [],
  });

  await expect(ensure()).rejects.toThrow('The organization of the canary is deleted');
});

it('creates a key that expires within minutes, and leaves nothing of it', async () => {
  const organization = await ensure();
  const canaryKey = await create(organization);

  expect(await find(canaryKey.key)).toEqual({
    id: canaryKeyId,
    organization_id: canaryOrganizationId,
    expires_at: '2026-03-01T12:05:00.000Z',
    rotation: null,
    revoked_at: null,
    log_shards: 1,
  });
  expect(await fixture.directory.listCurrentApiKeys(canaryOrganizationId)).toEqual([
    apiKeyRecord({
      id: canaryKeyId,
      organization_id: canaryOrganizationId,
      name: 'Canary',
      last_four: canaryKey.key.slice(-4),
      created_at: '2026-03-01T12:00:00.000Z',
      expires_at: '2026-03-01T12:05:00.000Z',
    }),
  ]);

  await canaryKey.delete();
  expect(await storedKeys()).toEqual(organizationItems);
  // Only the organization has a record.
  expect(await fixture.audit.records(canaryOrganizationId)).toHaveLength(1);
});

it('deletes the key of a run that was killed', async () => {
  const organization = await ensure();
  const killed = await create(organization);
  const canaryKey = await create(organization);

  expect(await find(killed.key)).toBeNull();
  expect(await find(canaryKey.key)).toMatchObject({ id: canaryKeyId });
  expect(await storedKeys()).toHaveLength(organizationItems.length + 2);
});

it("gives the key the organization's hard budget", async () => {
  const budget: BudgetCounterRef = { id: 'counter-1', shards: 1, allows_unpriced: false };
  const canaryKey = await create(await ensure());
  await storeBudgetRef(fixture.table, { organizationId: canaryOrganizationId, keyId: null }, budget);

  expect(await find(canaryKey.key)).toMatchObject({ organization_budget: budget });
});
