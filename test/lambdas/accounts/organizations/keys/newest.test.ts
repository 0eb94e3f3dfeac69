import { expect, it } from 'vitest';
import type { ApiKey, ApiKeyPage, ApiKeyQuery } from '#lambdas/access/directory.ts';
import { newKeyId } from '#lambdas/access/id.ts';
import { type KeyFilter, readSearch } from '#lambdas/accounts/organizations/keys/filter.ts';
import { readNewestKeys } from '#lambdas/accounts/organizations/keys/newest.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { fc } from '#test/support/fast-check.ts';

const organizationId = 'org_0000000000000001';
const now = new Date('2026-11-23T08:00:00.000Z');
const past = '2026-11-23T07:00:00.000Z';

type Kind = 'active' | 'expired' | 'archived' | 'revoked';

/** The newest first. */
function keysOf(kinds: readonly { kind: Kind; name: string }[]): { apiKey: ApiKey; archived: boolean }[] {
  return kinds.map(({ kind, name }, index) => ({
    archived: kind === 'archived' || kind === 'revoked',
    apiKey: apiKeyRecord({
      id: newKeyId(new Date(now.getTime() - index)),
      name,
      expires_at: kind === 'expired' || kind === 'archived' ? past : null,
      revoked_at: kind === 'revoked' ? past : null,
    }),
  }));
}

/** Has pages of `maxPage` keys at most, like the table with its limit for the bytes of a page. */
function directoryOf(keys: readonly { apiKey: ApiKey; archived: boolean }[], maxPage: number) {
  let keysRead = 0;
  return {
    keysRead: () => keysRead,
    findApiKeys: async (_: string, ids: readonly string[]) =>
      keys.map(({ apiKey }) => apiKey).filter(({ id }) => ids.includes(id)),
    async queryApiKeys({ archived, before, limit }: ApiKeyQuery): Promise<ApiKeyPage> {
      const rest = keys.filter(
        (key) => key.archived === archived && (before === null || key.apiKey.id < before),
      );
      const page = rest.slice(0, Math.min(limit, maxPage));
      keysRead += page.length;
      return { apiKeys: page.map(({ apiKey }) => apiKey), more: rest.length > page.length };
    },
  };
}

async function readAll(directory: ReturnType<typeof directoryOf>, filter: KeyFilter, limit: number) {
  const pages: string[][] = [];
  let before: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readNewestKeys>> = await readNewestKeys(
      directory,
      { organizationId, filter, before, limit },
      now,
    );
    pages.push(page.apiKeys.map(({ id }) => id));
    before = page.next;
  } while (before !== null);
  return pages;
}

it('reads each key that matches, in full pages, however the keys are spread over the partitions', async () => {
  const kind = fc.constantFrom<Kind>('active', 'expired', 'archived', 'revoked');
  const key = fc.record({ kind, name: fc.constantFrom('web', 'api') });
  const state = fc.constantFrom('active', 'ended');
  const search = fc.constantFrom(undefined, 'we');
  const sizes = fc.record({ limit: fc.integer({ min: 1, max: 4 }), maxPage: fc.integer({ min: 1, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(key, { maxLength: 20 }),
      state,
      search,
      sizes,
      async (kinds, listed, text, size) => {
        const keys = keysOf(kinds);
        const filter = { state: listed, search: readSearch(text) };
        const expected = keys
          .filter((_, index) => (kinds[index]?.kind === 'active') === (listed === 'active'))
          .filter(({ apiKey: { name } }) => text === undefined || name === 'web')
          .map(({ apiKey: { id } }) => id);

        const pages = await readAll(directoryOf(keys, size.maxPage), filter, size.limit);

        expect(pages.flat()).toEqual(expected);
        expect(pages.slice(0, -1).every(({ length }) => length === size.limit)).toBe(true);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / size.limit)));
      },
    ),
  );
});

it('ends a page after 12,000 keys that do not match, with a cursor', async () => {
  const kinds = Array.from({ length: 12_500 }, () => ({ kind: 'revoked' as const, name: 'api' }));
  const keys = keysOf([...kinds, { kind: 'revoked', name: 'web' }]);
  const directory = directoryOf(keys, 1000);

  const pages = await readAll(directory, { state: 'ended', search: readSearch('web') }, 25);

  expect(pages).toEqual([[], [keys.at(-1)?.apiKey.id]]);
  expect(directory.keysRead()).toBe(12_501);
});
