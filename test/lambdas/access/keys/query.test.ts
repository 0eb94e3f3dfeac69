import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKey, Organization } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { changedAfter, createDirectoryFixture, type DirectoryFixture } from '../directory-fixture.ts';

let database: EmbeddedDynamoDB;
let fixture: DirectoryFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await createDirectoryFixture(database);
});
afterAll(() => database.stop());

async function createKeys(organization: Organization, count: number): Promise<ApiKey[]> {
  const apiKeys: ApiKey[] = [];
  for (let index = 0; index < count; index++) {
    fixture.clock.nowMs++;
    apiKeys.push(await fixture.createKey(organization));
  }
  return apiKeys;
}

describe('queryApiKeys', () => {
  it.each([
    { before: null, limit: 2, expected: [3, 2], more: true },
    { before: 2, limit: 2, expected: [1, 0], more: false },
    { before: 2, limit: 1, expected: [1], more: true },
    { before: 0, limit: 2, expected: [], more: false },
    { before: null, limit: 4, expected: [3, 2, 1, 0], more: false },
  ])('of 4 keys, $limit before $before are $expected, and more are left: $more', async (query) => {
    const organization = await fixture.createOrganization();
    const apiKeys = await createKeys(organization, 4);
    await createKeys(await fixture.createOrganization(), 1);

    const page = await fixture.directory.queryApiKeys({
      organizationId: organization.id,
      archived: false,
      before: query.before === null ? null : (apiKeys[query.before]?.id ?? ''),
      limit: query.limit,
    });

    expect(page).toEqual({ apiKeys: query.expected.map((index) => apiKeys[index]), more: query.more });
  });

  it('lists revoked keys in the archive, the newest first, whenever they were revoked', async () => {
    const { directory, audit } = fixture;
    const organization = await fixture.createOrganization();
    const [first, second, third] = await createKeys(organization, 3);
    const revoke = (apiKey?: ApiKey) => directory.revokeApiKey(organization.id, apiKey?.id ?? '', audit);
    const [newest, oldest] = [await revoke(third), await revoke(first)];

    const query = { organizationId: organization.id, before: null, limit: 10 };

    expect(await directory.queryApiKeys({ ...query, archived: true })).toEqual({
      apiKeys: [newest, oldest],
      more: false,
    });
    expect(await directory.queryApiKeys({ ...query, archived: false })).toEqual({
      apiKeys: [second],
      more: false,
    });
  });

  it('loses and repeats no key of its pages while others are created and revoked', async () => {
    const change = fc.record({ kind: fc.constantFrom('create', 'revoke'), key: fc.nat(20) });
    const changesBetweenPages = fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.nat(8), fc.integer({ min: 1, max: 4 }), changesBetweenPages, readWhileChanging),
      { numRuns: byTestForm({ short: 25, long: 1000 }) },
    );
  });
});

interface Change {
  kind: string;
  key: number;
}

/** First the current keys, then the archive, to which keys are moved meanwhile. */
async function readWhileChanging(count: number, limit: number, changes: Change[][]): Promise<void> {
  const { directory, audit, clock } = fixture;
  const organization = await fixture.createOrganization();
  const first = await createKeys(organization, count);
  const all = [...first];
  const apply = async ({ kind, key }: Change) => {
    clock.nowMs++;
    const selected = all[key % Math.max(1, all.length)];
    if (kind === 'create') all.push(await fixture.createKey(organization));
    else if (selected !== undefined) await directory.revokeApiKey(organization.id, selected.id, audit);
  };
  const remaining = [...changes];
  const read = async (archived: boolean) => {
    const ids: string[] = [];
    for (let more = true; more; ) {
      const before = ids.at(-1) ?? null;
      const page = await directory.queryApiKeys({ organizationId: organization.id, archived, before, limit });
      expect(page.apiKeys.length).toBeLessThanOrEqual(limit);
      ids.push(...page.apiKeys.map(({ id }) => id));
      more = page.more;
      for (const each of remaining.shift() ?? []) await apply(each);
    }
    return ids;
  };

  const current = await read(false);
  const archived = await read(true);

  for (const ids of [current, archived]) expect(ids).toEqual([...new Set(ids)].sort().reverse());
  expect(first.filter(({ id }) => !current.includes(id) && !archived.includes(id))).toEqual([]);
}

describe('findApiKeys', () => {
  it('finds current and archived keys, each once, and leaves out others', async () => {
    const { directory, audit } = fixture;
    const organization = await fixture.createOrganization();
    const [current, archived] = await createKeys(organization, 2);
    const [other] = await createKeys(await fixture.createOrganization(), 1);
    const revoked = await directory.revokeApiKey(organization.id, archived?.id ?? '', audit);

    const found = await directory.findApiKeys(organization.id, [
      ...[current?.id ?? '', archived?.id ?? '', current?.id ?? ''],
      ...[other?.id ?? '', 'key_unknown'],
    ]);

    expect(found).toEqual([current, revoked]);
    expect(await directory.findApiKeys(organization.id, [])).toEqual([]);
  });

  it('finds a key that is archived while it is looked for', async () => {
    const { directory, audit, table } = fixture;
    const organization = await fixture.createOrganization();
    const [first, second] = await createKeys(organization, 2);
    const racing = changedAfter(table, { operation: 'BatchGetCommand' }, () =>
      directory.revokeApiKey(organization.id, first?.id ?? '', audit),
    );

    const found = await createDirectoryStore(racing).findApiKeys(organization.id, [
      first?.id ?? '',
      second?.id ?? '',
      'key_unknown',
    ]);

    expect(new Set(found)).toEqual(new Set([first, second]));
  });

  it('finds more keys than one call of DynamoDB can read', async () => {
    const organization = await fixture.createOrganization();
    await fixture.createKeys(organization, 130);
    const apiKeys = await fixture.directory.listCurrentApiKeys(organization.id);

    const found = await fixture.directory.findApiKeys(
      organization.id,
      apiKeys.map(({ id }) => id),
    );

    expect(new Set(found)).toEqual(new Set(apiKeys));
  });
});
