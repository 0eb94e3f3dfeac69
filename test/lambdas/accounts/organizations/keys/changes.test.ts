import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hashApiKey } from '#lambdas/access/api-key.ts';
import type {
  ApiKeyList,
  ApiKeySummary,
  NewApiKey,
  OrganizationDetails,
  RotatedApiKey,
} from '#lambdas/accounts/organizations/responses.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { interceptLogLines } from '#test/support/intercept-log-lines.ts';
import { activateBudgets, countRequests } from './counted-requests.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let admin: TestUser;
let member: TestUser;
let acme: OrganizationDetails;
const issued: string[] = [];
const printed: unknown[] = [];
let restoreOutput: () => void;
beforeAll(async () => {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => void printed.push(values));
  }
  restoreOutput = interceptLogLines((line) => printed.push(line));
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(async () => {
  vi.restoreAllMocks();
  restoreOutput();
  await database.stop();
});
beforeEach(async () => {
  fixture.clock.nowMs = startMs;
  [admin, member] = [await fixture.signIn('Grace'), await fixture.signIn('Mary')];
  acme = await fixture.createOrganization(await fixture.signIn('Ada'));
  await fixture.join(acme.id, admin, 'admin');
  await fixture.join(acme.id, member, 'member');
});

const pathOf = ({ id }: { id: string }, change = '') => `/organizations/${acme.id}/keys/${id}${change}`;

async function create(user: TestUser, fields: object = {}): Promise<ApiKeySummary> {
  const newKey = { name: 'production', expires_at: null, budget: null, ...fields };
  const { status, body } = await fixture.call(user, 'POST', `/organizations/${acme.id}/keys`, newKey);
  expect(status).toBe(200);
  const { api_key, key } = body as NewApiKey;
  issued.push(key);
  // Audit records of the same millisecond are in no order.
  fixture.clock.nowMs += 1;
  return api_key;
}

/** Active keys, then ended ones. */
async function list(): Promise<ApiKeySummary[]> {
  const keys: ApiKeySummary[] = [];
  for (const state of ['active', 'ended']) {
    const query = { state: [state] };
    const path = `/organizations/${acme.id}/keys`;
    const { body } = await fixture.call(admin, 'GET', path, undefined, { query });
    keys.push(...(body as ApiKeyList).data);
  }
  return keys;
}

/** The newest change, and who made it. */
async function lastRecord() {
  const { action, actor, target, before, after } =
    (await fixture.auditRecords(acme.id)).at(-1) ?? expect.fail();
  return { action, by: actor.name, target, before, after };
}

function refusal(status: number, code: string, message: string, param: string | null = null) {
  const type = 'invalid_request_error';
  return { status, body: { error: { message, type, param, code } } };
}

const notManageable = refusal(
  403,
  'forbidden',
  'Your role in this organization does not include the permission manage_all_keys: ask an owner',
);
const notFound = refusal(404, 'not_found', 'There is no such API key in this organization');
const unchangeable = (state: string) =>
  refusal(409, 'conflict', `This API key is ${state} and cannot be changed any more: create a new one`);

const changes = [
  { title: 'Renaming', method: 'PATCH', path: '', body: { name: 'other' } },
  { title: 'A new expiry', method: 'PATCH', path: '', body: { expires_at: null } },
  { title: 'Rotation', method: 'POST', path: '/rotation', body: { overlap_seconds: 20 } },
  { title: 'Revocation', method: 'POST', path: '/revocation', body: undefined },
];

describe.each(changes)('$title', ({ method, path, body }) => {
  it('is for those who have created the key, and for admins', async () => {
    const [own, others] = [await create(member), await create(admin)];
    const viewer = await fixture.signIn('Alan');
    await fixture.join(acme.id, viewer, 'viewer');
    const before = await list();

    expect(await fixture.call(member, method, pathOf(others, path), body)).toMatchObject(notManageable);
    expect(await fixture.call(viewer, method, pathOf(own, path), body)).toMatchObject({ status: 403 });
    expect(await fixture.call(null, method, pathOf(own, path), body)).toMatchObject({ status: 401 });
    expect(await list()).toEqual(before);
    for (const key of [own, others]) {
      expect(await fixture.call(admin, method, pathOf(key, path), body)).toMatchObject({ status: 200 });
    }
  });

  it('reads nothing once it has written, since that could fail', async () => {
    const key = await create(member);
    const { accounts, directory, costRollups } = fixture.dependencies;
    let isWritten = false;
    const write =
      <Arguments extends unknown[], Result>(change: (...args: Arguments) => Promise<Result>) =>
      async (...args: Arguments) => {
        const result = await change(...args);
        isWritten = true;
        return result;
      };
    const read =
      <Arguments extends unknown[], Result>(find: (...args: Arguments) => Promise<Result>) =>
      async (...args: Arguments) => {
        if (isWritten) throw new Error('The table is unavailable');
        return find(...args);
      };
    const { renameApiKey, changeApiKeyExpiry, revokeApiKey, rotateApiKey } = directory;
    const call = fixture.callWith({
      directory: {
        ...directory,
        renameApiKey: write(renameApiKey),
        changeApiKeyExpiry: write(changeApiKeyExpiry),
        revokeApiKey: write(revokeApiKey),
        rotateApiKey: write(rotateApiKey),
        findApiKey: read(directory.findApiKey),
        findApiKeys: read(directory.findApiKeys),
        queryApiKeys: read(directory.queryApiKeys),
        listCurrentApiKeys: read(directory.listCurrentApiKeys),
        listReplacements: read(directory.listReplacements),
      },
      accounts: interceptTable(accounts, ({ send }) => read(send)()),
      costRollups: {
        ...costRollups,
        client: Object.assign(Object.create(costRollups.client), {
          send: read(costRollups.client.send.bind(costRollups.client)),
        }),
      },
    });

    const response = await call(member, method, pathOf(key, path), body);

    expect([response.status, isWritten]).toEqual([200, true]);
    const shown = response.body as ApiKeySummary | RotatedApiKey;
    expect(await list()).toEqual('key' in shown ? [shown.api_key, shown.replaced] : [shown]);
  });

  it('finds no key of another organization', async () => {
    const key = await create(admin);
    const other = await fixture.createOrganization(admin, 'Other');

    const foreign = `/organizations/${other.id}/keys/${key.id}${path}`;
    expect(await fixture.call(admin, method, foreign, body)).toMatchObject(notFound);
    expect(await list()).toEqual([key]);
  });
});

describe('Changing a key', () => {
  it('renames it', async () => {
    const key = await create(member);

    const { status, body } = await fixture.call(member, 'PATCH', pathOf(key), { name: ' staging ' });

    expect([status, body]).toEqual([200, { ...key, name: 'staging' }]);
    expect(await list()).toEqual([body]);
    expect(await lastRecord()).toEqual({
      action: 'api_key.renamed',
      by: 'Mary',
      target: { type: 'api_key', id: key.id, name: 'production' },
      before: { name: 'production' },
      after: { name: 'staging' },
    });
  });

  it('sets and removes its expiry', async () => {
    const key = await create(member);
    const expires_at = '2027-01-01T00:00:00.000Z';

    const limited = await fixture.call(member, 'PATCH', pathOf(key), { expires_at: '2027-01-01T00:00:00Z' });
    expect(await lastRecord()).toMatchObject({
      action: 'api_key.expiry_changed',
      before: { expires_at: null },
      after: { expires_at },
    });
    const unlimited = await fixture.call(admin, 'PATCH', pathOf(key), { expires_at: null });

    expect([limited.body, unlimited.body]).toEqual([{ ...key, expires_at, ends_at: expires_at }, key]);
  });

  it('writes nothing when the value is the same', async () => {
    const key = await create(member);
    const records = await fixture.auditRecords(acme.id);

    for (const same of [{ name: 'production' }, { expires_at: null }]) {
      const { status, body } = await fixture.call(member, 'PATCH', pathOf(key), same);
      expect([status, body]).toEqual([200, key]);
    }
    expect(await fixture.auditRecords(acme.id)).toEqual(records);
  });

  it('refuses what is not valid, naming the field', async () => {
    const oneField = 'The request body must have either name or expires_at';
    const future = 'expires_at must be in the future, and before December 9999';
    const overlapRange = 'overlap_seconds must be 0, or a whole number from 20 to 7776000';
    const key = await create(member);
    for (const [method, path, body, param, message] of [
      ['PATCH', '', {}, 'body', oneField],
      ['PATCH', '', { name: 'a', expires_at: null }, 'body', oneField],
      ['PATCH', '', { name: '' }, 'name', 'The name must have 1 to 100 characters, all printable'],
      ['PATCH', '', { expires_at: '2026-11-23T08:00:00Z' }, 'expires_at', future],
      ['PATCH', '', { last_four: 'abcd' }, 'last_four', 'last_four is not a field of this request'],
      ['POST', '/rotation', {}, 'overlap_seconds', overlapRange],
      ['POST', '/rotation', { overlap_seconds: -1 }, 'overlap_seconds', overlapRange],
      ['POST', '/rotation', { overlap_seconds: 19 }, 'overlap_seconds', overlapRange],
      ['POST', '/rotation', { overlap_seconds: 7_776_001 }, 'overlap_seconds', overlapRange],
      ['POST', '/rotation', { overlap_seconds: 20.5 }, 'overlap_seconds', overlapRange],
      ['POST', '/rotation', { overlap_seconds: '20' }, 'overlap_seconds', overlapRange],
    ] as const) {
      const response = await fixture.call(member, method, pathOf(key, path), body);
      expect(response).toMatchObject(refusal(400, 'invalid_request_error', message, param));
    }

    expect(await list()).toEqual([key]);
  });

  it('returns 409 for revoked keys, and for what makes no sense with expired ones', async () => {
    const [revoked, expired] = [
      await create(member),
      await create(member, { expires_at: '2026-11-23T08:01:00Z' }),
    ];
    await fixture.call(member, 'POST', pathOf(revoked, '/revocation'));
    fixture.clock.nowMs = Date.parse('2026-11-23T08:01:00Z');
    const records = await fixture.auditRecords(acme.id);
    const patch = (key: ApiKeySummary, body: object) => fixture.call(member, 'PATCH', pathOf(key), body);
    const rotate = (key: ApiKeySummary) =>
      fixture.call(member, 'POST', pathOf(key, '/rotation'), { overlap_seconds: 60 });
    const notReplaceable = refusal(
      409,
      'conflict',
      'This API key is revoked or expired and cannot be replaced: create a new one',
    );

    expect(await patch(revoked, { name: 'other' })).toMatchObject(unchangeable('revoked'));
    expect(await patch(revoked, { expires_at: null })).toMatchObject(unchangeable('revoked'));
    expect(await patch(expired, { expires_at: null })).toMatchObject(unchangeable('expired'));
    expect(await rotate(revoked)).toMatchObject(notReplaceable);
    expect(await rotate(expired)).toMatchObject(notReplaceable);
    expect(await fixture.auditRecords(acme.id)).toEqual(records);
    expect(await patch(expired, { name: 'old' })).toMatchObject({
      status: 200,
      body: { name: 'old', state: 'expired' },
    });
  });

  it('notices that somebody revokes the key at the same moment', async () => {
    const key = await create(member);
    const { directory } = fixture.dependencies;
    const revoke = () => directory.revokeApiKey(acme.id, key.id, fixture.auditOf(admin));
    const call = fixture.callWith({
      directory: {
        ...directory,
        renameApiKey: async (...rename) => (await revoke()) && directory.renameApiKey(...rename),
      },
    });

    expect(await call(member, 'PATCH', pathOf(key), { name: 'late' })).toMatchObject(unchangeable('revoked'));
    expect(await list()).toMatchObject([{ name: 'production', state: 'revoked' }]);
  });
});

describe('Revoking a key', () => {
  it('is final, and keeps who revoked it first', async () => {
    const key = await create(member);
    const revoke = (user: TestUser) => fixture.call(user, 'POST', pathOf(key, '/revocation'));

    const first = await revoke(admin);
    fixture.clock.nowMs += 60_000;
    const second = await revoke(member);

    const revoked = {
      ...key,
      state: 'revoked',
      revoked_at: '2026-11-23T08:00:00.001Z',
      revoked_by: { id: admin.id, name: 'Grace', active: true },
    };
    expect([first.status, first.body]).toEqual([200, revoked]);
    expect([second.status, second.body]).toEqual([200, revoked]);
    expect(await lastRecord()).toEqual({
      action: 'api_key.revoked',
      by: 'Grace',
      target: { type: 'api_key', id: key.id, name: 'production' },
      before: { revoked_at: null },
      after: { revoked_at: '2026-11-23T08:00:00.001Z' },
    });
  });
});

describe('Rotating a key', () => {
  async function rotate(user: TestUser, key: ApiKeySummary, overlap_seconds: number): Promise<RotatedApiKey> {
    const response = await fixture.call(user, 'POST', pathOf(key, '/rotation'), { overlap_seconds });
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const rotated = response.body as RotatedApiKey;
    issued.push(rotated.key);
    fixture.clock.nowMs += 1;
    return rotated;
  }

  it('returns a new key of the same creator, names who has seen it, and lets the old one expire after the overlap', async () => {
    const old = await create(member, { expires_at: '2027-01-01T00:00:00Z' });

    const { api_key, key, replaced } = await rotate(admin, old, 3600);

    expect(api_key).toEqual({
      ...old,
      id: expect.not.stringMatching(old.id),
      last_four: key.slice(-4),
      created_at: '2026-11-23T08:00:00.001Z',
      rotated_by: { id: admin.id, name: 'Grace', active: true },
    });
    const ends_at = '2026-11-23T09:00:00.001Z';
    expect(replaced).toEqual({ ...old, ends_at, replacement_id: api_key.id });
    expect(await list()).toEqual([api_key, replaced]);
    expect((await fixture.dependencies.directory.findApiKeyByHash(hashApiKey(key)))?.id).toBe(api_key.id);
    expect(await lastRecord()).toEqual({
      action: 'api_key.rotated',
      by: 'Grace',
      target: { type: 'api_key', id: old.id, name: 'production' },
      before: { replacement_id: null },
      after: { ends_at, replacement_id: api_key.id },
    });
  });

  it('without an overlap revokes the old key', async () => {
    const old = await create(member);

    const { api_key, replaced } = await rotate(admin, old, 0);

    const revoked_at = '2026-11-23T08:00:00.001Z';
    expect(replaced).toEqual({
      ...old,
      ...{ state: 'revoked', ends_at: revoked_at, replacement_id: api_key.id },
      ...{ revoked_at, revoked_by: { id: admin.id, name: 'Grace', active: true } },
    });
    expect(await list()).toEqual([api_key, replaced]);
  });

  it('is refused while the replacement is active, which can itself be rotated to a lasting key', async () => {
    const old = await create(member);
    const { api_key: lost } = await rotate(member, old, 3600);

    const repeated = await fixture.call(member, 'POST', pathOf(old, '/rotation'), { overlap_seconds: 3600 });
    const { api_key: lasting } = await rotate(member, lost, 60);

    const message = `This API key is already replaced by ${lost.id}: if that key was lost, rotate it instead`;
    expect(repeated).toMatchObject(refusal(409, 'conflict', message));
    expect((await list()).map(({ id, ends_at, replacement_id }) => [id, ends_at, replacement_id])).toEqual([
      [lasting.id, null, null],
      [lost.id, '2026-11-23T08:01:00.002Z', lasting.id],
      [old.id, '2026-11-23T09:00:00.001Z', lost.id],
    ]);
  });

  it('is possible again once the replacement is revoked', async () => {
    const old = await create(member);
    const { api_key: lost } = await rotate(member, old, 3600);
    await fixture.call(member, 'POST', pathOf(lost, '/revocation'));

    const { api_key, replaced } = await rotate(member, old, 60);

    expect([replaced.replacement_id, api_key.ends_at]).toEqual([api_key.id, null]);
  });

  it('lets both keys spend the budget of the first one, also after another rotation', async () => {
    const budget = { amount_usd: '8', period: 'month', hard: false };
    const first = await create(admin, { budget });
    const { api_key: second } = await rotate(admin, first, 3600);
    const { api_key: third } = await rotate(admin, second, 3600);
    await fixture.call(admin, 'PATCH', pathOf(third), { name: 'newest' });
    await countRequests(fixture, acme.id, [
      { api_key_id: first.id, at: '2026-11-22T07:00:00Z', cost_usd: '1' },
      { api_key_id: third.id, at: '2026-11-23T07:00:00Z', cost_usd: '3' },
    ]);
    await activateBudgets(fixture, { organizationId: acme.id, keyId: first.id });

    const keys = await list();
    const { body } = await fixture.call(admin, 'PATCH', pathOf(third), { name: 'newest' });
    expect(body).toEqual(keys[0]);

    expect(keys.map((key) => [key.name, key.last_used, key.spend_usd])).toEqual([
      ['newest', '2026-11-23', '3'],
      ['production', null, '0'],
      ['production', '2026-11-22', '1'],
    ]);
    const [shown] = keys.map(({ budgets }) => budgets);
    expect(shown).toMatchObject([
      { api_key_id: first.id, api_key_name: 'production', spent_usd: '4', spent_percent: 50 },
    ]);
    expect(keys.map(({ budgets }) => budgets)).toEqual([shown, shown, shown]);
  });
});

it('has left no key in a table, a log line or the output', async () => {
  await create(member);
  const { accounts, directoryTable, auditTable, budgetCounters } = fixture.dependencies;
  const stored: unknown[] = [];
  for (const { client, tableName: TableName } of [accounts, directoryTable, auditTable, budgetCounters]) {
    stored.push(...((await client.send(new ScanCommand({ TableName }))).Items ?? []));
  }
  const everything = JSON.stringify([stored, fixture.lines, printed]);

  expect(everything).toContain(hashApiKey(issued[0] ?? ''));
  expect(issued.filter((key) => everything.includes(key.slice('pt_live_'.length)))).toEqual([]);
});
