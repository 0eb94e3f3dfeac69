import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  ApiKeyDetails,
  ApiKeyList,
  NewApiKey,
  OrganizationDetails,
  RateLimitList,
  RateLimitOwner,
  RotatedApiKey,
} from '#lambdas/accounts/organizations/responses.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let admin: TestUser;
let member: TestUser;
let acme: OrganizationDetails;
let path: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  admin = await fixture.signIn('Grace');
  member = await fixture.signIn('Mary');
});
afterAll(() => database.stop());
beforeEach(async () => {
  acme = await fixture.createOrganization(await fixture.signIn('Ada'));
  await fixture.join(acme.id, admin, 'admin');
  await fixture.join(acme.id, member, 'member');
  // Audit records of the same millisecond are in no order.
  fixture.clock.nowMs += 1;
  path = `/organizations/${acme.id}/rate-limits`;
});

const none = { requests_per_minute: null, tokens_per_minute: null, concurrent: null };
const ofOrganization = { api_key_id: null, api_key_name: null };

const put = (fields: object, user = admin) => {
  fixture.clock.nowMs += 1;
  return fixture.call(user, 'PUT', path, { api_key_id: null, ...none, ...fields });
};

async function set(fields: object): Promise<RateLimitOwner> {
  const { status, body } = await put(fields);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as RateLimitOwner;
}

const putDefaults = (fields: object, user = admin) => {
  fixture.clock.nowMs += 1;
  return fixture.call(user, 'PUT', `${path}/defaults`, { for: 'new_keys', ...none, ...fields });
};

async function list(query: Record<string, string[]> = {}, user = admin): Promise<RateLimitList> {
  const { status, body } = await fixture.call(user, 'GET', path, undefined, { query });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as RateLimitList;
}

const keyPath = (id = '', change = '') => `/organizations/${acme.id}/keys${id && `/${id}`}${change}`;

async function createKey(name: string, user = admin): Promise<NewApiKey> {
  fixture.clock.nowMs += 1;
  const newKey = { name, expires_at: null, budget: null };
  const { status, body } = await fixture.call(user, 'POST', keyPath(), newKey);
  expect(status).toBe(200);
  return body as NewApiKey;
}

async function detailsOf(id: string): Promise<ApiKeyDetails> {
  return (await fixture.call(admin, 'GET', keyPath(id))).body as ApiKeyDetails;
}

const lastRecord = async () => (await fixture.auditRecords(acme.id)).at(-1);

function refusal(status: number, code: string, message: string, param: string | null = null) {
  return { status, body: { error: { message, type: 'invalid_request_error', param, code } } };
}

describe('Setting rate limits', () => {
  it('replaces all limits of the organization, and records the change', async () => {
    expect(await set({ requests_per_minute: 600, concurrent: 20 })).toEqual({
      ...ofOrganization,
      ...none,
      requests_per_minute: 600,
      concurrent: 20,
    });
    const replaced = await set({ tokens_per_minute: 10_000_000_000 });

    expect(replaced).toEqual({ ...ofOrganization, ...none, tokens_per_minute: 10_000_000_000 });
    expect((await list()).data).toEqual([replaced]);
    expect(await fixture.dependencies.directory.findOrganization(acme.id)).toMatchObject({
      rate_limits: { tokens_per_minute: 10_000_000_000 },
    });
    expect(await lastRecord()).toMatchObject({
      action: 'rate_limits.set',
      actor: { id: admin.id },
      target: { type: 'rate_limits', id: acme.id, name: null },
      before: { requests_per_minute: 600, concurrent: 20 },
      after: { tokens_per_minute: 10_000_000_000 },
    });
  });

  it('applies to the first key of those that were rotated', async () => {
    const { api_key: first } = await createKey('production');
    const rotated = await fixture.call(admin, 'POST', keyPath(first.id, '/rotation'), {
      overlap_seconds: 3600,
    });
    const { api_key: second } = rotated.body as RotatedApiKey;

    const owner = await set({ api_key_id: second.id, requests_per_minute: 60 });

    expect(owner).toEqual({
      ...none,
      api_key_id: first.id,
      api_key_name: 'production',
      requests_per_minute: 60,
    });
    expect((await list()).data).toEqual([owner]);
    for (const { id } of [first, second]) {
      expect((await detailsOf(id)).rate_limits).toEqual({ ...none, requests_per_minute: 60 });
    }
    const { body } = await fixture.call(admin, 'GET', keyPath());
    expect((body as ApiKeyList).data.map(({ rate_limits }) => rate_limits?.requests_per_minute)).toEqual([
      60, 60,
    ]);
    expect(await lastRecord()).toMatchObject({
      target: { type: 'rate_limits', id: first.id, name: 'production' },
      before: null,
      after: { requests_per_minute: 60 },
    });
  });

  it('removes them if all are null, also of a revoked key', async () => {
    const { api_key: key } = await createKey('production');
    await set({ api_key_id: key.id, concurrent: 1 });
    await set({ concurrent: 100_000 });
    await fixture.call(admin, 'POST', keyPath(key.id, '/revocation'));

    expect(await set({ api_key_id: key.id })).toEqual({
      ...none,
      api_key_id: key.id,
      api_key_name: 'production',
    });
    expect(await lastRecord()).toMatchObject({
      action: 'rate_limits.removed',
      before: { concurrent: 1 },
      after: null,
    });
    expect((await list()).data).toEqual([{ ...ofOrganization, ...none, concurrent: 100_000 }]);
    await set({});
    expect((await list()).data).toEqual([]);
    expect((await detailsOf(key.id)).rate_limits).toBeNull();
  });

  it('refuses what is not valid, naming the field', async () => {
    const range = (name: string, max: number) =>
      `${name} must be a whole number from 1 to ${max}, or null for no limit`;
    for (const [fields, param, message] of [
      ...[0, -1, 1.5, '60', undefined, 10_000_001].map(
        (requests_per_minute) =>
          [{ requests_per_minute }, 'requests_per_minute', range('requests_per_minute', 10_000_000)] as const,
      ),
      [
        { tokens_per_minute: 10_000_000_001 },
        'tokens_per_minute',
        range('tokens_per_minute', 10_000_000_000),
      ],
      [{ concurrent: 100_001 }, 'concurrent', range('concurrent', 100_000)],
      [{ api_key_id: '' }, 'api_key_id', 'api_key_id must be the id of an API key, or null'],
      [{ for: 'new_keys' }, 'for', 'for is not a field of this request'],
    ] as const) {
      expect(await put(fields)).toMatchObject(refusal(400, 'invalid_request_error', message, param));
    }
    expect(await putDefaults({ for: 'old_keys' })).toMatchObject(
      refusal(400, 'invalid_request_error', 'for must be new_keys or member_keys', 'for'),
    );

    expect(await list()).toMatchObject({ data: [], defaults: { new_keys: null, member_keys: null } });
  });

  it('refuses keys that are revoked or belong to others', async () => {
    const { api_key: key } = await createKey('production');
    await fixture.call(admin, 'POST', keyPath(key.id, '/revocation'));

    expect(await put({ api_key_id: key.id, concurrent: 1 })).toMatchObject(
      refusal(
        409,
        'conflict',
        'This API key is revoked, so rate limits have no effect: choose an active key',
        'api_key_id',
      ),
    );
    const { id } = await fixture.createOrganization(admin, 'Other');
    const foreign = { api_key_id: key.id, ...none, concurrent: 1 };
    expect(await fixture.call(admin, 'PUT', `/organizations/${id}/rate-limits`, foreign)).toMatchObject(
      refusal(404, 'not_found', 'There is no such API key in this organization'),
    );
  });

  it('needs the permission for budgets, the list only that to view', async () => {
    const message =
      'Your role in this organization does not include the permission manage_budgets: ask an owner';
    const refused = refusal(403, 'forbidden', message);

    expect(await put({ concurrent: 1 }, member)).toMatchObject(refused);
    expect(await putDefaults({ concurrent: 1 }, member)).toMatchObject(refused);
    expect((await list({}, member)).data).toEqual([]);
  });
});

describe('The list of rate limits', () => {
  it("has the organization's own first, then those of the newest key, page by page", async () => {
    const keys: string[] = [];
    for (const name of ['a', 'b', 'without limits', 'c']) keys.push((await createKey(name)).api_key.id);
    const [a = '', b = '', , c = ''] = keys;
    for (const api_key_id of [b, null, c, a]) await set({ api_key_id, concurrent: 5 });
    const pages: (string | null)[][] = [];
    let cursor: string | null = null;
    do {
      const page: RateLimitList = await list({ limit: ['1'], ...(cursor !== null && { cursor: [cursor] }) });
      pages.push(page.data.map(({ api_key_name }) => api_key_name));
      cursor = page.next_cursor;
    } while (cursor !== null);

    expect(pages).toEqual([[null], ['c'], ['b'], ['a']]);
    expect((await list()).data.map(({ api_key_id }) => api_key_id)).toEqual([null, c, b, a]);
    const message = 'cursor must be the next_cursor of a page in the same order';
    expect(await fixture.call(admin, 'GET', path, undefined, { query: { cursor: ['key_'] } })).toMatchObject(
      refusal(400, 'invalid_request_error', message, 'cursor'),
    );
  });
});

describe('Defaults for new keys', () => {
  const all = { requests_per_minute: 600, tokens_per_minute: 100_000, concurrent: 20 };

  it('are copied into keys that are created afterwards, and change no other key', async () => {
    const { api_key: earlier } = await createKey('earlier');
    expect((await putDefaults(all)).body).toEqual(all);
    const { api_key: created, key } = await createKey('created');
    const { tokens_per_minute: _, ...fewer } = all;
    expect((await putDefaults(fewer)).body).toEqual({ ...fewer, tokens_per_minute: null });

    expect(created.rate_limits).toEqual(all);
    expect((await detailsOf(created.id)).rate_limits).toEqual(all);
    expect((await detailsOf(earlier.id)).rate_limits).toBeNull();
    expect(key).toMatch(/^pt_live_/);
    const { data, defaults } = await list();
    expect(data).toEqual([{ ...all, api_key_id: created.id, api_key_name: 'created' }]);
    expect(defaults).toEqual({ new_keys: { ...fewer, tokens_per_minute: null }, member_keys: null });
    const records = (await fixture.auditRecords(acme.id)).filter(
      ({ target }) => target.type === 'rate_limits',
    );
    expect(records.map(({ action, target, before, after }) => [action, target.id, before, after])).toEqual([
      ['rate_limits.defaults_set', `${acme.id}/new_keys`, null, all],
      ['rate_limits.set', created.id, null, all],
      ['rate_limits.defaults_set', `${acme.id}/new_keys`, all, fewer],
    ]);
  });

  it('for keys that members create replace those for all new keys, until they are removed', async () => {
    await putDefaults(all);
    await putDefaults({ for: 'member_keys', concurrent: 2 });
    const limitsOf = async (user: TestUser) => (await createKey('new', user)).api_key.rate_limits;

    expect([await limitsOf(member), await limitsOf(admin)]).toEqual([{ ...none, concurrent: 2 }, all]);
    expect((await putDefaults({ for: 'member_keys' })).body).toEqual(none);
    expect(await limitsOf(member)).toEqual(all);
    expect(await lastRecord()).toMatchObject({ actor: { id: member.id } });
    expect((await list()).defaults).toEqual({ new_keys: all, member_keys: null });
  });
});
