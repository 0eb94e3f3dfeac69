import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { ApiKeyNames, OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { countRequests } from './counted-requests.ts';
import { type KeyPages, keyPages } from './pages.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let owner: TestUser;
let acme: OrganizationDetails;
let keys: KeyPages;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  owner = await fixture.signIn('Ada');
});
afterAll(() => database.stop());

async function newOrganization(): Promise<void> {
  fixture.clock.nowMs = startMs;
  acme = await fixture.createOrganization(owner);
  keys = keyPages(fixture, owner, acme.id);
}
beforeEach(newOrganization);

async function addAll(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await keys.add({ name })).id);
  return ids;
}

describe('The pages of keys', () => {
  it('have the newest first, and a cursor unless they are the last', async () => {
    await addAll('a', 'b', 'c', 'd', 'e');

    expect(await keys.names({ limit: '2' })).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(await keys.names({ limit: '5' })).toEqual([['e', 'd', 'c', 'b', 'a']]);
    expect(await keys.page({ limit: '5' })).toMatchObject({
      next_cursor: null,
      spend_since: '2026-10-01',
      ranking: null,
    });
  });

  it('have 25 keys by default', async () => {
    await addAll(...Array.from({ length: 26 }, (_, index) => `key ${index}`));

    expect((await keys.names()).map(({ length }) => length)).toEqual([25, 1]);
  });

  it('need the same reads however many keys and members there are', async () => {
    const { accounts, directoryTable, costRollups, budgetCounters } = fixture.dependencies;
    const operations: string[] = [];
    const count = <Table extends DirectoryTable>(table: Table): Table =>
      interceptTable(table, ({ operation, send }) => {
        operations.push(operation);
        return send();
      });
    const counted = count(directoryTable);
    const call = fixture.callWith({
      accounts: count(accounts),
      directoryTable: counted,
      directory: createDirectoryStore(counted),
      costRollups: count(costRollups),
      budgetCounters: count(budgetCounters),
    });
    const readsOf = async (query: Record<string, string>) => {
      operations.length = 0;
      await keys.page({ limit: '3', ...query }, call);
      return operations.toSorted();
    };

    await addAll('a', 'b', 'c');
    const before = await readsOf({});
    const more = await addAll(...Array.from({ length: 30 }, () => 'a'));
    for (const id of more.slice(0, 10)) await keys.revoke(id);
    await fixture.join(acme.id, await fixture.signIn('Grace'), 'admin');
    const after = [await readsOf({}), await readsOf({ state: 'ended' }), await readsOf({ search: 'a' })];

    expect(after[0]).toEqual(before);
    expect(before).toEqual([
      ...['BatchGetCommand', 'BatchGetCommand', 'BatchGetCommand', 'BatchGetCommand'],
      ...['BatchGetCommand', 'BatchGetCommand'],
      ...['GetCommand', 'GetCommand', 'GetCommand', 'GetCommand'],
      ...['QueryCommand', 'QueryCommand', 'QueryCommand', 'QueryCommand', 'QueryCommand'],
    ]);
    expect(after.map(({ length }) => length)).toEqual([15, 17, 15]);
  });

  it('have active or ended keys, without an empty last page', async () => {
    const [a = '', , c = ''] = await addAll('a', 'b', 'c');
    await keys.add({ name: 'short', expiresAt: new Date(startMs + 5).toISOString() });
    await keys.revoke(a);
    await keys.revoke(c);
    fixture.clock.nowMs = startMs + 5;
    await addAll('d');

    expect(await keys.names({ limit: '1' })).toEqual([['d'], ['b']]);
    expect(await keys.names({ limit: '2', state: 'ended' })).toEqual([['short', 'c'], ['a']]);
    expect(await keys.names({ limit: '3', state: 'ended' })).toEqual([['short', 'c', 'a']]);
  });

  it('have each key that stays, and none twice, while keys are created, revoked and expire in between', async () => {
    const change = fc.record({
      kind: fc.constantFrom('add', 'add with expiry', 'revoke', 'wait'),
      index: fc.nat(20),
    });
    const changes = fc.array(change, { maxLength: 4 });
    const state = fc.constantFrom('active', 'ended');
    await fc.assert(
      fc.asyncProperty(
        changes,
        fc.array(changes, { maxLength: 4 }),
        fc.integer({ min: 1, max: 3 }),
        state,
        listAll,
      ),
      { numRuns: byTestForm({ short: 12, long: 300 }) },
    );

    async function listAll(
      before: Change[],
      between: Change[][],
      limit: number,
      listed: string,
    ): Promise<void> {
      await newOrganization();
      for (const each of [...before, ...between.flat()].slice(0, 6))
        await apply({ ...each, kind: 'add with expiry' });
      for (const each of before) await apply(each);
      const first = await idsIn(listed);
      const seen: string[] = [];
      let cursor: string | null = null;
      for (let page = 0; cursor !== null || page === 0; page++) {
        const query = { limit: String(limit), state: listed, ...(cursor && { cursor }) };
        const { data, next_cursor } = await keys.page(query);
        seen.push(...data.map(({ id }) => id));
        cursor = next_cursor;
        for (const each of between[page] ?? []) await apply(each);
      }
      const last = await idsIn(listed);
      expect(seen).toEqual([...new Set(seen)].sort().reverse());
      expect(seen).toEqual(expect.arrayContaining(first.filter((id) => last.includes(id))));
    }
  });

  it.each(['before the first read', 'before the second read'])(
    'have an expired key once that is archived %s',
    async (when) => {
      const { id } = await keys.add({ name: 'expired', expiresAt: new Date(startMs + 2).toISOString() });
      await addAll('active');
      fixture.clock.nowMs = startMs + 10;
      const { directory } = fixture.dependencies;
      let reads = 0;
      const call = fixture.callWith({
        directory: {
          ...directory,
          async queryApiKeys(query) {
            reads += 1;
            if (when === `before the ${reads === 1 ? 'first' : 'second'} read`) await keys.revoke(id);
            return directory.queryApiKeys(query);
          },
        },
      });

      const { data } = await keys.page({ state: 'ended' }, call);

      expect(data.map(({ name }) => name)).toEqual(['expired']);
    },
  );
});

interface Change {
  kind: 'add' | 'add with expiry' | 'revoke' | 'wait';
  index: number;
}

async function apply({ kind, index }: Change): Promise<void> {
  switch (kind) {
    case 'add':
      await keys.add();
      return;
    case 'add with expiry':
      await keys.add({ expiresAt: new Date(fixture.clock.nowMs + 2 + index).toISOString() });
      return;
    case 'wait':
      fixture.clock.nowMs += index;
      return;
    case 'revoke': {
      const ids = [...(await idsIn('active')), ...(await idsIn('ended'))];
      const id = ids[index % ids.length];
      if (id !== undefined) await keys.revoke(id);
      return;
    }
    default:
      kind satisfies never;
  }
}

async function idsIn(state: string): Promise<string[]> {
  return (await keys.page({ state, limit: '100' })).data.map(({ id }) => id);
}

describe('The search for keys', () => {
  it('finds a part of the name in any case, the whole id, or the last four characters exactly', async () => {
    const { id } = await keys.add({ name: 'CI Café' });
    const { last_four } = await keys.add({ name: 'production' });
    await addAll('staging', 'ci nightly');

    const find = (search: string, query = {}) => keys.names({ search, ...query });
    expect(await find('ci ')).toEqual([['ci nightly', 'CI Café']]);
    expect(await find('ci ', { limit: '1' })).toEqual([['ci nightly'], ['CI Café']]);
    // The same letter, of two characters.
    expect(await find('  CAFE\u0301 ')).toEqual([['CI Café']]);
    expect(await find(id)).toEqual([['CI Café']]);
    expect(await find(id.slice(0, -1))).toEqual([[]]);
    expect(await find(last_four)).toEqual([['production']]);
    expect(await find(`${last_four}x`)).toEqual([[]]);
    expect(await find('ag')).toEqual([['staging']]);
  });

  it('finds ended keys apart from active ones', async () => {
    const [old = ''] = await addAll('web 1', 'web 2');
    await keys.revoke(old);

    expect(await keys.names({ search: 'web' })).toEqual([['web 2']]);
    expect(await keys.names({ search: 'web', state: 'ended' })).toEqual([['web 1']]);
    expect(await keys.names({ search: old })).toEqual([[]]);
    expect(await keys.names({ search: old, state: 'ended' })).toEqual([['web 1']]);
  });
});

describe('The order of spending', () => {
  const at = '2026-11-22T10:00:00Z';

  it('has the keys that spent most since the start of the last month first, in both states', async () => {
    const [a = '', b = '', c = '', d = ''] = await addAll('a', 'b', 'c', 'd', 'unused');
    await countRequests(fixture, acme.id, [
      { api_key_id: a, at, cost_usd: '2' },
      { api_key_id: b, at: '2026-10-01T00:00:00Z', cost_usd: '1.5' },
      { api_key_id: b, at, cost_usd: '1.500000000001' },
      { api_key_id: c, at: '2026-09-30T23:59:59Z', cost_usd: '100' },
      { api_key_id: c, at, cost_usd: '0' },
      { api_key_id: d, at, cost_usd: '2' },
    ]);

    expect(await keys.names({ order: 'spend', limit: '2' })).toEqual([
      ['b', 'd'],
      ['a', 'c'],
    ]);
    const { ranking, data } = await keys.page({ order: 'spend' });
    expect(ranking).toEqual({ keys: 4, complete: true });
    expect(data.map(({ spend_usd }) => spend_usd)).toEqual(['3.000000000001', '2', '2', '0']);
    await keys.revoke(d);
    expect(await keys.names({ order: 'spend' })).toEqual([['b', 'a', 'c']]);
    expect(await keys.names({ order: 'spend', state: 'ended' })).toEqual([['d']]);
    expect(await keys.names({ order: 'spend', search: 'A' })).toEqual([['a']]);
    expect((await keys.page({ order: 'spend', search: 'A' })).ranking).toEqual({ keys: 4, complete: true });
  });

  it('continues after the key of the cursor, whatever was spent in the meantime', async () => {
    const [a = '', b = '', c = ''] = await addAll('a', 'b', 'c');
    const spend = (api_key_id: string, cost_usd: string) => ({ api_key_id, at, cost_usd });
    await countRequests(fixture, acme.id, [spend(a, '3'), spend(b, '2'), spend(c, '1')]);
    const { data, next_cursor } = await keys.page({ order: 'spend', limit: '1' });
    await countRequests(fixture, acme.id, [spend(b, '0.5')]);

    const rest = await keys.page({ order: 'spend', limit: '2', cursor: next_cursor ?? '' });

    expect([...data, ...rest.data].map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(rest.next_cursor).toBeNull();
  });
});

describe('The order of the last use', () => {
  it('has the keys that were used last first, page by page', async () => {
    const [a = '', b = '', c = '', d = ''] = await addAll('a', 'b', 'c', 'd', 'unused');
    await countRequests(fixture, acme.id, [
      { api_key_id: a, at: '2026-11-23T07:00:00Z', cost_usd: '1' },
      { api_key_id: b, at: '2026-10-01T00:00:00Z', cost_usd: '9' },
      { api_key_id: c, at: '2026-11-22T23:59:59Z', cost_usd: '0' },
      { api_key_id: d, at: '2026-11-22T00:00:00Z', cost_usd: '2' },
    ]);

    expect(await keys.names({ order: 'last_used', limit: '2' })).toEqual([
      ['a', 'd'],
      ['c', 'b'],
    ]);
    const { ranking, data } = await keys.page({ order: 'last_used' });
    expect(ranking).toEqual({ keys: 4, complete: true });
    expect(data.map(({ last_used }) => last_used)).toEqual([
      '2026-11-23',
      '2026-11-22',
      '2026-11-22',
      '2026-10',
    ]);
    expect(await keys.names({ order: 'last_used', search: 'C' })).toEqual([['c']]);
  });
});

describe('The names of keys', () => {
  async function names(query: Record<string, string>): Promise<ApiKeyNames['data']> {
    const { status, body } = await keys.get('/key-names', query);
    expect(status).toBe(200);
    return (body as ApiKeyNames).data;
  }

  it('are found by ids, in their order', async () => {
    const first = await keys.add({ name: 'first' });
    const second = await keys.add({ name: 'second' });
    await keys.revoke(first.id);

    expect(await names({ ids: [second.id, 'key_0000000000000000', first.id, second.id].join() })).toEqual([
      { id: second.id, name: 'second', last_four: second.last_four, state: 'active' },
      { id: first.id, name: 'first', last_four: first.last_four, state: 'revoked' },
    ]);
  });

  it('are searched, active keys first, the newest of them first', async () => {
    const ids = await addAll('web 1', 'web 2', 'web 3', 'api');
    await keys.revoke(ids[1] ?? '');

    const found = async (query: Record<string, string>) => (await names(query)).map(({ name }) => name);
    expect(await found({ search: 'WEB' })).toEqual(['web 3', 'web 1', 'web 2']);
    expect(await found({ search: 'WEB', limit: '2' })).toEqual(['web 3', 'web 1']);
    expect(await found({})).toEqual(['api', 'web 3', 'web 1', 'web 2']);
    expect(await found({ limit: '3' })).toEqual(['api', 'web 3', 'web 1']);
    expect(await found({ search: ids[1] ?? '' })).toEqual(['web 2']);
    expect(await found({ search: 'key_0000000000000000' })).toEqual([]);
  });

  it('are searched among expired keys too, in the order of the archived ones', async () => {
    const expiresAt = new Date(startMs + 4).toISOString();
    await keys.add({ name: 'web 1', expiresAt });
    const { id } = await keys.add({ name: 'web 2' });
    await keys.add({ name: 'web 3', expiresAt });
    await keys.revoke(id);
    fixture.clock.nowMs = startMs + 4;

    const found = await names({ search: 'web' });

    expect(found.map(({ name, state }) => [name, state])).toEqual([
      ['web 3', 'expired'],
      ['web 2', 'revoked'],
      ['web 1', 'expired'],
    ]);
  });

  it('are 20 at most by default', async () => {
    await addAll(...Array.from({ length: 21 }, (_, index) => `key ${index}`));

    expect(await names({})).toHaveLength(20);
  });
});

describe('Parameters that are not valid', () => {
  const limit = 'limit must be a whole number from 1 to 100';
  const cursor = 'cursor must be the next_cursor of a page in the same order';
  const ids = 'ids must be at most 100 ids of API keys, separated by commas';
  const text = (name: string) => `${name} must be well-formed text of at most 256 bytes`;
  const id = 'key_0000000000000000';

  it.each<[string, string, string, string, object?]>([
    ['/keys', 'limit', '0', limit],
    ['/keys', 'limit', '101', limit],
    ['/keys', 'limit', 'ten', limit],
    ['/keys', 'limit', '', 'limit must not be empty'],
    ['/keys', 'order', 'name', 'order must be one of created, spend, last_used'],
    ['/keys', 'state', 'revoked', 'state must be one of active, ended'],
    ['/keys', 'search', '  ', 'search must not be blank'],
    ['/keys', 'search', '', 'search must not be empty'],
    ['/keys', 'search', 'x'.repeat(257), text('search')],
    ['/keys', 'cursor', `2~${id}`, cursor],
    ['/keys', 'cursor', `${id}/`, cursor],
    ['/keys', 'cursor', 'x'.repeat(5000), cursor],
    ['/keys', 'cursor', id, cursor, { order: 'spend' }],
    ['/keys', 'cursor', `${'9'.repeat(40)}~${id}`, cursor, { order: 'spend' }],
    ['/keys', 'cursor', `1.5~${id}~`, cursor, { order: 'spend' }],
    ['/keys', 'cursor', `1.5~${id}`, cursor, { order: 'last_used' }],
    ['/keys', 'cursor', `-1~${id}`, cursor, { order: 'last_used' }],
    [
      '/keys',
      'offset',
      '1',
      'Unknown query parameter offset: valid parameters are limit, cursor, search, order, state',
    ],
    ['/key-names', 'ids', 'key_1', ids],
    ['/key-names', 'ids', `${id},`, ids],
    [
      '/key-names',
      'ids',
      Array.from({ length: 101 }, (_, index) => `key_${String(index).padStart(16, '0')}`).join(),
      ids,
    ],
    ['/key-names', 'ids', id, 'ids cannot be combined with search and limit', { limit: '5' }],
    ['/key-names', 'search', ' ', 'search must not be blank'],
    ['/key-names', 'limit', '101', limit],
  ])('of %s are refused: %s=%s', async (resource, param, value, message, others = {}) => {
    const { status, body } = await keys.get(resource, { ...others, [param]: value });

    const error = { message, type: 'invalid_request_error', param, code: 'invalid_request_error' };
    expect([status, body]).toEqual([400, { error }]);
  });
});
