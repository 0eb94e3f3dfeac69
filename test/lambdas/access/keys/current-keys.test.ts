/** The number of current keys is limited and counted, whatever is created, revoked, rotated and archived. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isActiveApiKey } from '#lambdas/access/api-key.ts';
import { type ApiKey, maxCurrentKeys, type Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { rotateApiKey } from '#lambdas/access/keys/rotate.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';
import { readStoredKeys } from '../stored-keys.ts';

const hourMs = 3_600_000;
const tooMany = new GatewayError('conflict', {
  message: 'An organization can have 10,000 active API keys: revoke those that are no longer used',
});

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
let organization: Organization;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  organization = await fixture.createOrganization();
});

/** Leaves room for so many keys. */
async function leaveRoom(count: number): Promise<number> {
  const furtherKeys = maxCurrentKeys - count;
  await fixture.countFurtherKeys(organization, furtherKeys);
  return furtherKeys;
}

const inHours = (hours: number) => new Date(fixture.clock.nowMs + hours * hourMs).toISOString();
const create = (fields: Partial<ApiKey> = {}) => fixture.createKey(organization, fields);
const rotate = (old: ApiKey) =>
  rotateApiKey(fixture, { organization, old, overlapMs: hourMs, audit: fixture.audit });

describe('The limit of current keys', () => {
  it('refuses another key with 409, also as the replacement of a key', async () => {
    const furtherKeys = await leaveRoom(2);
    const first = await create();
    await create();

    await expect(create()).rejects.toThrow(tooMany);
    await expect(rotate(first)).rejects.toThrow(tooMany);

    const { current } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
    expect(current).toHaveLength(2);
    expect(current).toContainEqual(first);
    const records = await fixture.audit.records(organization.id);
    expect(records.map(({ action }) => action).sort()).toEqual([
      ...['api_key.created', 'api_key.created', 'organization.created'],
    ]);
  });

  it('has room again after a revocation', async () => {
    const furtherKeys = await leaveRoom(1);
    const first = await create();
    const revoked = await fixture.directory.revokeApiKey(organization.id, first.id, fixture.audit);

    const second = await create();

    expect(await readStoredKeys(fixture.table, organization.id, furtherKeys)).toEqual({
      current: [second],
      archived: [revoked],
    });
  });

  it('archives expired keys, and the old ones of rotations, when there is no room', async () => {
    const furtherKeys = await leaveRoom(4);
    const lasting = await create();
    const expiring = await create({ expires_at: inHours(1) });
    const { apiKey, replaced } = (await rotate(lasting)) ?? expect.fail();
    const later = await create({ expires_at: inHours(2) });
    await expect(create()).rejects.toThrow(tooMany);
    fixture.clock.nowMs += hourMs;

    const created = await create();

    const { current, archived } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
    expect(new Set(current)).toEqual(new Set([apiKey, later, created]));
    expect(new Set(archived)).toEqual(new Set([expiring, replaced]));
    expect(await fixture.directory.findApiKey(organization.id, expiring.id)).toEqual(expiring);
  });

  it('never lets an archived key work again, nor rotates it', async () => {
    const expired = await create({ expires_at: inHours(-1) });
    const furtherKeys = await leaveRoom(1);
    const created = await create();

    const unchanged = await fixture.directory.changeApiKeyExpiry(
      organization.id,
      expired.id,
      null,
      fixture.audit,
    );

    expect(unchanged).toEqual(expired);
    expect(await rotate(expired)).toBeNull();
    const { current, archived } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
    expect([current, archived]).toEqual([[created], [expired]]);
  });

  it('archives more keys than a transaction has room for', async () => {
    await fixture.createKeys(organization, 70, { expires_at: inHours(-1) });
    const furtherKeys = await leaveRoom(70);

    const created = await create();

    const { current, archived } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
    expect([current, archived.length]).toEqual([[created], 70]);
  });

  it.each<[string, (apiKey: ApiKey) => Promise<unknown>, Partial<ApiKey>]>([
    [
      'lets it work again',
      ({ id }) => fixture.directory.changeApiKeyExpiry(organization.id, id, null, fixture.audit),
      { expires_at: null },
    ],
    [
      'renames it',
      ({ id }) => fixture.directory.renameApiKey(organization.id, id, 'staging', fixture.audit),
      { name: 'staging' },
    ],
  ])(
    'archives an expired key as its owner has left it, who %s at the same time',
    async (_case, change, fields) => {
      const expired = await create({ expires_at: inHours(-1) });
      const furtherKeys = await leaveRoom(1);
      // The keys have been listed with the expired one.
      const racing = changedAfter(fixture.table, { operation: 'QueryCommand' }, () => change(expired));
      const directory = createDirectoryStore(racing);
      const apiKey = apiKeyRecord({ organization_id: organization.id });

      const error = await directory.createApiKey(apiKey, apiKey.id, fixture.audit).then(
        () => null,
        (reason) => reason,
      );

      const { current, archived } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
      const changed = { ...expired, ...fields };
      expect([error, current, archived]).toEqual(
        fields.expires_at === null ? [tooMany, [changed], []] : [null, [apiKey], [changed]],
      );
    },
  );

  it('is not exceeded by keys that are created at the same time', async () => {
    await create({ expires_at: inHours(-1) });
    await create({ expires_at: inHours(-1) });
    const furtherKeys = await leaveRoom(5);

    const results = await Promise.allSettled(Array.from({ length: 12 }, () => create()));

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(reasons).toEqual(Array.from({ length: 7 }, () => tooMany));
    const { current, archived } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
    expect([current.length, archived.length]).toEqual([5, 2]);
  });
});

interface Change {
  kind: 'create' | 'create expiring' | 'revoke' | 'expire' | 'prolong' | 'rotate' | 'wait';
  key: number;
}

const room = 4;

async function apply({ kind, key }: Change, apiKeys: readonly ApiKey[]): Promise<unknown> {
  const { directory, audit, clock } = fixture;
  const selected = apiKeys[key % Math.max(1, apiKeys.length)];
  const id = selected?.id ?? 'key_unknown';
  clock.nowMs++;
  switch (kind) {
    case 'create':
      return create();
    case 'create expiring':
      return create({ expires_at: inHours(1) });
    case 'revoke':
      return directory.revokeApiKey(organization.id, id, audit);
    case 'expire':
      return directory.changeApiKeyExpiry(organization.id, id, inHours(-1), audit);
    case 'prolong':
      return directory.changeApiKeyExpiry(organization.id, id, null, audit);
    case 'rotate':
      return selected === undefined ? null : rotate(selected);
    default:
      clock.nowMs += hourMs;
      return null;
  }
}

describe('The number of current keys', () => {
  it('is that of the keys in the current partition, which has all active ones, after any changes', async () => {
    const kind = fc.constantFrom<Change['kind'][]>(
      ...(['create', 'create expiring', 'revoke', 'expire', 'prolong', 'rotate', 'wait'] as const),
    );
    const changes = fc.array(fc.record({ kind, key: fc.nat(9) }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(changes, async (sequence) => {
        organization = await fixture.createOrganization();
        const furtherKeys = await leaveRoom(room);
        let apiKeys: ApiKey[] = [];
        for (const change of sequence) {
          const before = apiKeys;
          const error = await apply(change, apiKeys).then(
            () => null,
            (reason: GatewayError) => reason.message,
          );
          const { current, archived } = await readStoredKeys(fixture.table, organization.id, furtherKeys);
          apiKeys = [...current, ...archived];
          const now = fixture.audit.now();
          const isFull = before.filter((apiKey) => isActiveApiKey(apiKey, now)).length === room;
          if (error === tooMany.message) expect([isFull, apiKeys]).toEqual([true, before]);
          expect(archived.filter((apiKey) => isActiveApiKey(apiKey, now))).toEqual([]);
          expect(current.length).toBeLessThanOrEqual(room);
          if (change.kind.startsWith('create')) expect(error !== null).toBe(isFull);
        }
      }),
      { numRuns: byTestForm({ short: 25, long: 1000 }) },
    );
  });
});
