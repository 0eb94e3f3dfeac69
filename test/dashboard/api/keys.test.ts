import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  activeKeyQuery,
  keyListQuery,
  keyListsKey,
  keyNameQuery,
  keyPath,
  keySearchQuery,
} from '#dashboard/api/keys.ts';

let client: QueryClient;
let paths: string[];
/** Returns the body of a response by its path. */
let bodyOf: (path: string) => unknown;
beforeEach(() => {
  client = new QueryClient();
  paths = [];
  bodyOf = () => ({ data: [] });
  vi.stubGlobal('fetch', async (url: string) => {
    const path = decodeURIComponent(url.replace('/dashboard/api/organizations/', ''));
    paths.push(path);
    return Response.json(bodyOf(path));
  });
});
afterEach(() => void vi.unstubAllGlobals());

const idOf = (index: number) => `key_${String(index).padStart(16, '0')}`;
const nameOf = (id: string) => ({ id, name: `name of ${id}`, last_four: id.slice(-4), state: 'active' });

describe('The query of a list of keys', () => {
  it('reads its first page and, with the cursor of each, the next', async () => {
    bodyOf = (path) => ({ data: [], next_cursor: path.includes('cursor') ? null : 'a/b' });
    const { pages } = await client.fetchInfiniteQuery({
      ...keyListQuery('org_1', { search: ' ada ', order: 'spend', state: 'ended' }),
      pages: 5,
    });

    const path = 'org_1/keys?order=spend&state=ended&search=ada';
    expect(paths).toEqual([path, `${path}&cursor=a/b`]);
    expect(pages).toHaveLength(2);
  });

  it('is the same for a search of blanks as without', () => {
    expect(keyListQuery('org_1', { search: '  ' }).queryKey).toEqual(keyListQuery('org_1').queryKey);
  });

  it('has a key of its own, below that of all lists', () => {
    const queries = [{}, { search: 'ada' }, { order: 'spend' }, { state: 'ended' }] as const;
    const keys: QueryKey[] = queries.map((parameters) => keyListQuery('org_1', parameters).queryKey);

    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(4);
    expect(keys.map((key) => key.slice(0, 3))).toEqual(keys.map(() => keyListsKey('org_1')));
  });
});

describe('The query of an active key', () => {
  it('finds it by its id', async () => {
    bodyOf = () => ({ data: [nameOf(idOf(1))] });
    expect(await client.fetchQuery(activeKeyQuery('org_1', idOf(1)))).toEqual(nameOf(idOf(1)));
    expect(paths).toEqual([`org_1/keys?search=${idOf(1)}&limit=1`]);
  });

  it('finds none that only has the id in its name', async () => {
    bodyOf = () => ({ data: [{ ...nameOf(idOf(2)), name: idOf(1) }] });
    expect(await client.fetchQuery(activeKeyQuery('org_1', idOf(1)))).toBeNull();
  });
});

describe('The query of a search for keys', () => {
  it('has a limit', async () => {
    await client.fetchQuery(keySearchQuery('org_1', 'a&b', 21));
    await client.fetchQuery(keySearchQuery('org_1', '', 1));
    expect(paths).toEqual(['org_1/key-names?search=a&b&limit=21', 'org_1/key-names?limit=1']);
  });
});

describe('The name of a key', () => {
  const fetchName = (id: string, organizationId = 'org_1') =>
    client.fetchQuery({ ...keyNameQuery(organizationId, id), retry: false });
  beforeEach(() => {
    bodyOf = (path) => ({ data: (/key_.*/.exec(path)?.[0].split(',') ?? []).map(nameOf) });
  });

  it('is read together with the others that are needed at the same time', async () => {
    const names = await Promise.all([fetchName(idOf(1)), fetchName(idOf(2)), fetchName(idOf(1))]);
    expect(names).toEqual([nameOf(idOf(1)), nameOf(idOf(2)), nameOf(idOf(1))]);
    expect(paths).toEqual([`org_1/key-names?ids=${idOf(1)},${idOf(2)}`]);
  });

  it('is read with at most 99 others, and those of its organization alone', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => idOf(index));
    await Promise.all([...ids.map((id) => fetchName(id)), fetchName(idOf(0), 'org_2')]);
    expect(paths.toSorted()).toEqual([
      `org_1/key-names?ids=${ids.slice(0, 100)}`,
      `org_1/key-names?ids=${idOf(100)}`,
      `org_2/key-names?ids=${idOf(0)}`,
    ]);
  });

  it('is not read again for five minutes', async () => {
    await fetchName(idOf(1));
    await Promise.all([fetchName(idOf(1)), fetchName(idOf(2))]);
    expect(paths).toEqual([`org_1/key-names?ids=${idOf(1)}`, `org_1/key-names?ids=${idOf(2)}`]);
    expect(keyNameQuery('org_1', idOf(1)).staleTime).toBe(300_000);
  });

  it('is null for a key that does not exist', async () => {
    bodyOf = () => ({ data: [nameOf(idOf(1))] });
    expect(await Promise.all([fetchName(idOf(1)), fetchName(idOf(2))])).toEqual([nameOf(idOf(1)), null]);
  });

  it('is null for what is no id, which the API would refuse together with the others', async () => {
    expect(await Promise.all(['key_canary', '', 'a,b'].map((id) => fetchName(id)))).toEqual([
      null,
      null,
      null,
    ]);
    expect(paths).toEqual([]);
  });

  it('fails with the request for all of them, and is read by the next one', async () => {
    bodyOf = () => {
      throw new Error('not reachable');
    };
    const failed = await Promise.allSettled([fetchName(idOf(1)), fetchName(idOf(2))]);
    bodyOf = () => ({ data: [nameOf(idOf(1))] });

    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await fetchName(idOf(1))).toEqual(nameOf(idOf(1)));
  });
});

describe('The path of a key', () => {
  it('has its id and the action', () => {
    expect(keyPath('org/1', 'key/1')).toBe('/organizations/org%2F1/keys/key%2F1');
    expect(keyPath('org_1', 'key_1', '/rotation')).toBe('/organizations/org_1/keys/key_1/rotation');
  });
});
