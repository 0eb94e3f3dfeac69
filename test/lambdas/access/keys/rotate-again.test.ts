/** Rotations of keys that have been rotated: also after a lost response, no key ends before its owner has another one. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { endOf, hashApiKey, inactiveReason } from '#lambdas/access/api-key.ts';
import type { ApiKey, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { testActor } from '#test/support/audit/test-audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createFailingClient, sendWithFailure } from '#test/support/dynamodb/failing-client.ts';
import { createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';
import { readStoredKeys } from '../stored-keys.ts';

const dayMs = 86_400_000;

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

const inDays = (days: number) => new Date(fixture.clock.nowMs + days * dayMs).toISOString();

/** As a caller does who finds the key first. */
async function rotate(
  { id }: ApiKey,
  { directory, audit }: Pick<DirectoryFixture, 'directory' | 'audit'> = fixture,
) {
  const found = (await directory.findApiKey(organization.id, id)) ?? expect.fail();
  const request = { organization, old: found, overlapMs: dayMs, audit };
  return (await rotateApiKey({ directory }, request)) ?? expect.fail('The key has ended');
}

const alreadyReplaced = (replacement: ApiKey) =>
  new GatewayError('conflict', {
    message: `This API key is already replaced by ${replacement.id}: if that key was lost, rotate it instead`,
  });

async function acceptedHashes(hashes: readonly string[]): Promise<boolean[]> {
  const found = await Promise.all(hashes.map((hash) => fixture.directory.findApiKeyByHash(hash)));
  return found.map((apiKey) => apiKey !== null && inactiveReason(apiKey, fixture.audit.now()) === null);
}

it('refuses to rotate a key again during its overlap, and names its replacement', async () => {
  const endsAt = inDays(1);
  const { apiKey } = await rotate(old);
  fixture.clock.nowMs += 1000;

  await expect(rotate(old)).rejects.toThrow(alreadyReplaced(apiKey));

  const { current } = await readStoredKeys(fixture.table, organization.id);
  expect(current).toEqual([{ ...old, rotation: { replacement_id: apiKey.id, ends_at: endsAt } }, apiKey]);
  const records = await fixture.audit.records(organization.id);
  expect(records.filter(({ action }) => action === 'api_key.rotated')).toHaveLength(1);
});

it('gives one replacement to callers who rotate a key at the same time, and names it to the others', async () => {
  const results = await Promise.allSettled([rotate(old), rotate(old), rotate(old)]);

  const [rotation, ...others] = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const { apiKey, replaced } = rotation ?? expect.fail();
  const reasons = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const refused = alreadyReplaced(apiKey);
  expect([others, reasons]).toEqual([[], [refused, refused]]);
  expect((await readStoredKeys(fixture.table, organization.id)).current).toEqual([replaced, apiKey]);
});

it('gives a lasting key for the replacement, while the first key lives on to its end', async () => {
  const firstEnd = inDays(1);
  const first = await rotate(old);
  fixture.clock.nowMs += 3_600_000;
  const secondEnd = inDays(1);

  const second = await rotate(first.apiKey);

  expect([second.apiKey.expires_at, endOf(second.apiKey)]).toEqual([null, null]);
  const { current } = await readStoredKeys(fixture.table, organization.id);
  expect(current.map((apiKey) => [apiKey.id, endOf(apiKey)])).toEqual([
    [old.id, firstEnd],
    [first.apiKey.id, secondEnd],
    [second.apiKey.id, null],
  ]);
  const hashes = [old.id, hashApiKey(first.key), hashApiKey(second.key)];
  expect(await acceptedHashes(hashes)).toEqual([true, true, true]);
  fixture.clock.nowMs = Date.parse(firstEnd);
  expect(await acceptedHashes(hashes)).toEqual([false, true, true]);
  fixture.clock.nowMs = Date.parse(secondEnd);
  expect(await acceptedHashes(hashes)).toEqual([false, false, true]);
});

it.each([
  ['before the end of the overlap', 0.5],
  ['after it', 2],
])('keeps the expiry that the owner has set %s, and gives it to the replacement', async (_case, days) => {
  const expires_at = inDays(days);
  const expiring = await fixture.createKey(organization, { expires_at });
  const overlapEnd = inDays(1);

  const { apiKey, replaced } = await rotate(expiring);

  expect([replaced.expires_at, apiKey.expires_at]).toEqual([expires_at, expires_at]);
  expect(replaced.rotation).toEqual({ replacement_id: apiKey.id, ends_at: overlapEnd });
  expect(endOf(replaced)).toBe(days < 1 ? expires_at : overlapEnd);
  expect(await fixture.directory.findApiKey(organization.id, expiring.id)).toEqual(replaced);
});

it('gives the replacement of a replacement the expiry of the owner, not the end of an overlap', async () => {
  const expires_at = inDays(30);
  const first = await fixture.createKey(organization, { expires_at });
  const second = await rotate(first);

  const third = await rotate(second.apiKey);

  expect([third.apiKey.expires_at, endOf(third.apiKey)]).toEqual([expires_at, expires_at]);
});

it('lets the owner change the expiry of a rotated key, which still ends with its overlap', async () => {
  const overlapEnd = inDays(1);
  const { replaced } = await rotate(old);
  const change = (expiresAt: string | null) =>
    fixture.directory.changeApiKeyExpiry(organization.id, old.id, expiresAt, fixture.audit);

  const later = (await change(inDays(2))) ?? expect.fail();
  expect([later, endOf(later)]).toEqual([{ ...replaced, expires_at: inDays(2) }, overlapEnd]);
  const earlier = (await change(inDays(0.5))) ?? expect.fail();
  expect(endOf(earlier)).toBe(inDays(0.5));
  expect(await change(null)).toEqual(replaced);
  await readStoredKeys(fixture.table, organization.id);
});

it.each([
  ['revoked', ({ id }: ApiKey) => fixture.directory.revokeApiKey(organization.id, id, fixture.audit)],
  [
    'expired',
    ({ id }: ApiKey) =>
      fixture.directory.changeApiKeyExpiry(organization.id, id, fixture.time(), fixture.audit),
  ],
])('rotates a key again whose replacement is %s', async (_case, end) => {
  const first = await rotate(old);
  await end(first.apiKey);
  fixture.clock.nowMs += 3_600_000;
  const overlapEnd = inDays(1);

  const second = await rotate(old);

  expect(second.apiKey).toMatchObject({ expires_at: null, budget_key_id: old.id });
  expect(second.replaced.rotation).toEqual({ replacement_id: second.apiKey.id, ends_at: overlapEnd });
  await readStoredKeys(fixture.table, organization.id);
  const records = await fixture.audit.records(organization.id);
  const rotations = records.filter(({ action }) => action === 'api_key.rotated');
  expect(rotations.map(({ before, after }) => [before, after?.replacement_id])).toEqual([
    [{ replacement_id: null }, first.apiKey.id],
    [{ replacement_id: first.apiKey.id }, second.apiKey.id],
  ]);
});

it('recovers a rotation whose response was lost, without an outage', async () => {
  const endsAt = inDays(1);
  const { client, stop } = createFailingClient({
    endpoint: database.endpoint,
    maxAttempts: 1,
    attempt: (send, operation) =>
      sendWithFailure(send, operation === 'TransactWriteItemsCommand' ? 'response lost' : null),
  });
  const { tables, audit } = fixture;
  const losing = {
    directory: createDirectoryStore({ client, tableName: tables.directory }),
    audit: {
      ...audit,
      ...createAuditTrail({ client, tableName: tables.auditTrail, retentionDays: 400 }, testActor, audit.now),
    },
  };
  await expect(rotate(old, losing)).rejects.toThrow('socket hang up');
  stop();
  fixture.clock.nowMs += 1000;

  const replaced = (await fixture.directory.findApiKey(organization.id, old.id)) ?? expect.fail();
  const lost =
    (await fixture.directory.findApiKey(organization.id, replaced.rotation?.replacement_id ?? '')) ??
    expect.fail();
  await expect(rotate(old)).rejects.toThrow(alreadyReplaced(lost));
  const recovered = await rotate(lost);

  expect(endOf(recovered.apiKey)).toBeNull();
  expect(await acceptedHashes([old.id, hashApiKey(recovered.key)])).toEqual([true, true]);
  fixture.clock.nowMs = Date.parse(endsAt) + dayMs;
  expect(await acceptedHashes([old.id, hashApiKey(recovered.key)])).toEqual([false, true]);
  const { current } = await readStoredKeys(fixture.table, organization.id);
  expect(current).toHaveLength(3);
});
