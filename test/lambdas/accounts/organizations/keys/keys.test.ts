import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { deleteProfile, saveProfile } from '#lambdas/accounts/members/profiles.ts';
import { findMembership, roleChangeItems } from '#lambdas/accounts/members/store.ts';
import type {
  ApiKeyList,
  ApiKeySummary,
  NewApiKey,
  OrganizationDetails,
} from '#lambdas/accounts/organizations/responses.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type Actor, creatorOf } from '#lambdas/audit/record.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { activateBudgets, countRequests } from './counted-requests.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let owner: TestUser;
let admin: TestUser;
let member: TestUser;
let acme: OrganizationDetails;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  [owner, admin, member] = [
    await fixture.signIn('Ada'),
    await fixture.signIn('Grace'),
    await fixture.signIn('Mary'),
  ];
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture.clock.nowMs = startMs;
  acme = await fixture.createOrganization(owner);
  await fixture.join(acme.id, admin, 'admin');
  await fixture.join(acme.id, member, 'member');
  // Audit records of the same millisecond are in no order.
  fixture.clock.nowMs += 1;
});

const keysPath = () => `/organizations/${acme.id}/keys`;
const newKey = { name: 'production', expires_at: null, budget: null };

async function create(user: TestUser, fields: object = {}): Promise<NewApiKey> {
  const { status, text, body } = await fixture.call(user, 'POST', keysPath(), { ...newKey, ...fields });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body as NewApiKey;
}

async function list(user: TestUser, state = 'active'): Promise<ApiKeySummary[]> {
  const query = { state: [state] };
  const { status, body } = await fixture.call(user, 'GET', keysPath(), undefined, { query });
  expect(status).toBe(200);
  return (body as ApiKeyList).data;
}

const now = '2026-11-23T08:00:00.001Z';

describe('Creating an API key', () => {
  it('returns the full key once, and stores only its hash', async () => {
    const response = await fixture.call(member, 'POST', keysPath(), {
      name: '  production ',
      expires_at: '2026-12-01T00:00:00+01:00',
      budget: null,
    });

    const { api_key: summary, key } = response.body as NewApiKey;
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(key).toMatch(/^pt_live_[0-9A-Za-z]{32}$/);
    expect(summary).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
      name: 'production',
      last_four: key.slice(-4),
      state: 'active',
      created_at: now,
      created_by: { id: member.id, name: 'Mary', active: true },
      rotated_by: null,
      expires_at: '2026-11-30T23:00:00.000Z',
      ends_at: '2026-11-30T23:00:00.000Z',
      replacement_id: null,
      revoked_at: null,
      revoked_by: null,
      manageable: true,
      last_used: null,
      spend_usd: '0',
      requests: 0,
      rejected_requests: 0,
      unpriced_requests: 0,
      uncertain_share: null,
      budgets: [],
      rate_limits: null,
      models: null,
    });
    expect(await list(member)).toEqual([summary]);
    expect(await fixture.dependencies.directory.findApiKeyByHash(hashApiKey(key))).toMatchObject({
      id: summary.id,
      organization_id: acme.id,
      log_shards: 1,
    });
    expect((await fixture.auditRecords(acme.id)).at(-1)).toMatchObject({
      action: 'api_key.created',
      actor: { type: 'user', id: member.id, name: 'Mary', email: 'mary@example.com' },
      target: { type: 'api_key', id: summary.id, name: 'production' },
      before: null,
      after: { name: 'production', last_four: key.slice(-4), expires_at: '2026-11-30T23:00:00.000Z' },
    });
  });

  it('can set a budget in the same transaction, which needs the permission for it', async () => {
    const budget = { amount_usd: '25.50', period: 'day', hard: true };

    const refused = await fixture.call(member, 'POST', keysPath(), { ...newKey, budget });
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        error: {
          message:
            'Your role in this organization does not include the permission manage_budgets: ask an owner',
          type: 'invalid_request_error',
          param: null,
          code: 'forbidden',
        },
      },
    ]);
    expect(await list(member)).toEqual([]);

    const { api_key: summary } = await create(admin, { budget });
    expect(summary.budgets).toEqual([
      {
        api_key_id: summary.id,
        api_key_name: 'production',
        period: 'day',
        amount_usd: '25.5',
        hard: true,
        allow_unpriced: false,
        state: 'activating',
        period_start: '2026-11-23T00:00:00.000Z',
        period_end: '2026-11-24T00:00:00.000Z',
        spent_usd: null,
        reserved_usd: null,
        spent_percent: null,
        refused_requests: 0,
      },
    ]);
    const records = await fixture.auditRecords(acme.id);
    expect(
      records
        .slice(-2)
        .map(({ action, target }) => [action, target.id, target.name])
        .sort(),
    ).toEqual([
      ['api_key.created', summary.id, 'production'],
      ['budget.set', `${summary.id}/day`, 'production'],
    ]);
  });

  it('refuses what is not valid, naming the field', async () => {
    const amount =
      'amount_usd must be an amount of US dollars as text, with at most 9 digits and 6 decimals, such as "250" or "99.50"';
    const budget = { amount_usd: '10', period: 'month', hard: false };
    for (const [body, param, message] of [
      [{ ...newKey, name: ' ' }, 'name', 'The name must have 1 to 100 characters, all printable'],
      [{ ...newKey, name: 7 }, 'name', 'name must be text'],
      [
        { ...newKey, expires_at: now },
        'expires_at',
        'expires_at must be in the future, and before December 9999',
      ],
      [
        { ...newKey, expires_at: '9999-12-31T23:59:59-12:00' },
        'expires_at',
        'expires_at must be in the future, and before December 9999',
      ],
      [
        { ...newKey, expires_at: 'tomorrow' },
        'expires_at',
        'expires_at must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z',
      ],
      [
        { name: 'production', budget: null },
        'expires_at',
        'expires_at must be an RFC 3339 timestamp, or null for a key that does not expire',
      ],
      [
        { ...newKey, budget: 10 },
        'budget',
        'budget must be an object with amount_usd, period and hard, or null',
      ],
      [{ ...newKey, budget: { ...budget, amount_usd: 10 } }, 'amount_usd', amount],
      [{ ...newKey, budget: { ...budget, amount_usd: '0.0000001' } }, 'amount_usd', amount],
      [
        { ...newKey, budget: { ...budget, amount_usd: '0.00' } },
        'amount_usd',
        'amount_usd must be more than 0: to refuse all requests of a key, revoke it',
      ],
      [{ ...newKey, budget: { ...budget, period: 'year' } }, 'period', 'period must be day or month'],
      [{ ...newKey, budget: { ...budget, hard: 'yes' } }, 'hard', 'hard must be true or false'],
      [{ ...newKey, created_by: 'me' }, 'created_by', 'created_by is not a field of this request'],
    ] as const) {
      const response = await fixture.call(admin, 'POST', keysPath(), body);
      const error = { message, type: 'invalid_request_error', param, code: 'invalid_request_error' };
      expect([response.status, response.body]).toEqual([400, { error }]);
    }

    expect(await list(admin)).toEqual([]);
  });

  it('needs no reads after it, which could fail and lose the key', async () => {
    const { accounts, directory, costRollups } = fixture.dependencies;
    const fail = () => Promise.reject(new Error('The table is unavailable'));
    const call = fixture.callWith({
      directory: {
        ...directory,
        findApiKey: fail,
        findApiKeys: fail,
        queryApiKeys: fail,
        listCurrentApiKeys: fail,
        listReplacements: fail,
      },
      accounts: interceptTable(accounts, ({ operation, send }) =>
        operation === 'BatchGetCommand' ? fail() : send(),
      ),
      costRollups: {
        ...costRollups,
        client: Object.assign(Object.create(costRollups.client), { send: fail }),
      },
    });

    const budget = { amount_usd: '10', period: 'month', hard: false };
    const { status, body } = await call(admin, 'POST', keysPath(), { ...newKey, budget });

    expect(status).toBe(200);
    expect(await list(admin)).toEqual([(body as NewApiKey).api_key]);
  });

  it('returns 404 when the organization is deleted at the same moment', async () => {
    const { directory } = fixture.dependencies;
    const call = fixture.callWith({ directory: { ...directory, createApiKey: async () => false } });

    const { status, body } = await call(owner, 'POST', keysPath(), newKey);

    expect([status, body]).toMatchObject([404, { error: { code: 'not_found' } }]);
  });
});

describe('The list of API keys', () => {
  it('has the newest first, and says which of them the user may manage', async () => {
    const [{ api_key: first }, { api_key: second }] = [await create(member), await create(owner)];
    fixture.clock.nowMs += 1000;
    const { api_key: third } = await create(admin);
    const viewer = await fixture.signIn('Alan');
    await fixture.join(acme.id, viewer, 'viewer');

    const manageable = async (user: TestUser) => {
      const keys = await list(user);
      expect(keys.map(({ id }) => id).sort()).toEqual([first, second, third].map(({ id }) => id).sort());
      expect(keys[0]?.id).toBe(third.id);
      return keys.filter((key) => key.manageable).map(({ id }) => id);
    };
    expect(await manageable(viewer)).toEqual([]);
    expect(await manageable(member)).toEqual([first.id]);
    expect(await manageable(admin)).toHaveLength(3);
    expect(await manageable(owner)).toHaveLength(3);
  });

  it('does not let viewers manage the keys that they have created as members', async () => {
    await create(member);
    const { accounts } = fixture.dependencies;
    const membership = (await findMembership(accounts, acme.id, member.id)) ?? expect.fail();
    await fixture.auditOf(owner).transact({
      event: {
        action: 'member.role_changed',
        organizationId: acme.id,
        target: { type: 'member', id: member.id, name: null },
        before: null,
        after: null,
      },
      items: roleChangeItems(accounts, membership, 'viewer'),
    });

    expect(await list(member)).toMatchObject([{ created_by: { id: member.id }, manageable: false }]);
  });

  it('names members by their profile, others as they were called then, and operators by their ARN', async () => {
    const { accounts, directory, auditTable } = fixture.dependencies;
    const stranger = await fixture.signIn('Emmy', { name: 'Emmy Example' });
    const forgotten = await fixture.signIn('Sofia');
    const operator: Actor = {
      type: 'operator',
      id: 'arn:aws:sts::111122223333:assumed-role/Admin/ada',
      name: null,
      email: null,
    };
    const renamed = await fixture.signIn('Maria');
    await fixture.join(acme.id, renamed, 'member');
    const actors = [stranger, forgotten, renamed].map(fixture.auditOf);
    for (const audit of [...actors, createAuditTrail(auditTable, operator, fixture.dependencies.now)]) {
      fixture.clock.nowMs += 1;
      const { key, apiKey } = issueApiKey({
        organizationId: acme.id,
        name: 'old',
        createdAt: audit.now(),
        createdBy: creatorOf(audit.actor),
      });
      await directory.createApiKey(apiKey, hashApiKey(key), audit);
      await directory.revokeApiKey(acme.id, apiKey.id, audit);
    }
    await saveProfile(accounts, { ...stranger, name: 'Emmy E.' });
    await saveProfile(accounts, { ...renamed, name: 'Maria M.' });
    await deleteProfile(accounts, forgotten.id);

    const keys = await list(owner, 'ended');

    const [ofOperator, ofRenamed, ofForgotten, ofStranger] = keys.map(({ created_by }) => created_by);
    expect(ofOperator).toEqual({ id: null, name: 'ada', active: true });
    expect(ofRenamed).toEqual({ id: renamed.id, name: 'Maria M.', active: true });
    expect(ofForgotten).toEqual({ id: forgotten.id, name: 'Sofia', active: false });
    expect(ofStranger).toEqual({ id: stranger.id, name: 'Emmy Example', active: false });
    expect(keys.map(({ revoked_by }) => revoked_by)).toEqual([
      ofOperator,
      ofRenamed,
      ofForgotten,
      ofStranger,
    ]);
    expect(keys.map(({ state, manageable }) => [state, manageable])).toEqual(
      Array.from({ length: 4 }, () => ['revoked', true]),
    );
  });

  it('adds up the requests since the start of the last UTC month, and knows the day or month of the last one', async () => {
    const { directory } = fixture.dependencies;
    await directory.raiseLogShards(acme.id, 2, fixture.auditOf(owner));
    const names = ['busy', 'uncertain', 'quiet', 'old', 'rejected', 'forgotten', 'unused'];
    const ids = new Map<string, string>();
    for (const name of names) ids.set(name, (await create(owner, { name })).api_key.id);
    const key = (name: string) => ({ api_key_id: ids.get(name) ?? expect.fail() });
    await countRequests(fixture, acme.id, [
      { ...key('busy'), at: '2026-11-23T07:59:59Z', cost_usd: '0.000000000001' },
      { ...key('busy'), at: '2026-11-23T00:00:00Z', cost_usd: '900719925474099.1', logShard: 1 },
      { ...key('busy'), at: '2026-11-22T12:00:00Z', cost_usd: '0.2', model: 'gpt-5.2' },
      { ...key('busy'), at: '2026-10-01T00:00:00Z', cost_usd: '0.1', outcome: 'provider_error' },
      { ...key('busy'), at: '2026-09-30T23:59:59Z', cost_usd: '50' },
      { ...key('uncertain'), at: '2026-11-22T12:00:00Z', cost_usd: '0.1', pricing: 'assumed' },
      { ...key('uncertain'), at: '2026-11-22T01:00:00Z', cost_usd: '0.2', usage_source: 'estimated' },
      { ...key('uncertain'), at: '2026-11-22T01:00:00Z', cost_usd: '0.5' },
      { ...key('uncertain'), at: '2026-11-22T01:00:00Z', cost_usd: '0', pricing: 'unknown' },
      { ...key('uncertain'), at: '2026-09-30T23:59:59Z', cost_usd: '9', pricing: 'assumed' },
      { ...key('quiet'), at: '2026-11-21T23:59:59Z', cost_usd: '7' },
      { ...key('old'), at: '2026-10-31T23:59:59Z', cost_usd: '3' },
      { ...key('forgotten'), at: '2026-09-30T23:59:59Z', cost_usd: '7' },
      ...['2026-11-23T01:00:00Z', '2026-10-02T01:00:00Z', '2026-09-30T01:00:00Z'].map((at) => ({
        ...key('rejected'),
        ...{ at, cost_usd: '0', outcome: 'rejected' as const, status: 400 },
      })),
      { ...key('uncertain'), at: '2026-11-23T01:00:00Z', cost_usd: '0', outcome: 'rejected', status: 429 },
    ]);

    const { body } = await fixture.call(member, 'GET', keysPath());
    const { data, spend_since } = body as ApiKeyList;
    const usage = new Map(
      data.map(({ name, ...sums }) => [
        name,
        [
          ...[sums.last_used, sums.spend_usd, sums.requests, sums.rejected_requests],
          ...[sums.unpriced_requests, sums.uncertain_share],
        ],
      ]),
    );

    expect(spend_since).toBe('2026-10-01');
    expect(Object.fromEntries(usage)).toEqual({
      busy: ['2026-11-23', '900719925474099.400000000001', 4, 0, 0, 0],
      uncertain: ['2026-11-22', '0.8', 4, 1, 1, 0.375],
      quiet: ['2026-11', '7', 1, 0, 0, 0],
      old: ['2026-10', '3', 1, 0, 0, 0],
      rejected: [null, '0', 0, 2, 0, null],
      forgotten: [null, '0', 0, 0, 0, null],
      unused: [null, '0', 0, 0, 0, null],
    });
  });

  it('has the budgets of each key with what they have spent', async () => {
    const budget = { amount_usd: '3', period: 'month', hard: false };
    const { api_key: key } = await create(owner, { budget });
    await create(owner, { name: 'without' });
    await countRequests(fixture, acme.id, [
      { api_key_id: key.id, at: '2026-11-23T07:00:00Z', cost_usd: '1.999999999999' },
    ]);
    await activateBudgets(fixture, { organizationId: acme.id, keyId: key.id });

    const budgets = (await list(member)).map((each) => [each.name, each.budgets]);

    expect(Object.fromEntries(budgets)).toEqual({
      production: [
        {
          api_key_id: key.id,
          api_key_name: 'production',
          period: 'month',
          amount_usd: '3',
          hard: false,
          allow_unpriced: false,
          state: 'active',
          period_start: '2026-11-01T00:00:00.000Z',
          period_end: '2026-12-01T00:00:00.000Z',
          spent_usd: '1.999999999999',
          reserved_usd: '0',
          spent_percent: 67,
          refused_requests: 0,
        },
      ],
      without: [],
    });
  });

  it('has ended keys for any time, apart from the active ones', async () => {
    const { api_key: revoked } = await create(owner, { name: 'revoked' });
    fixture.clock.nowMs += 1;
    await create(owner, { name: 'expired', expires_at: '2026-11-23T08:00:00.003Z' });
    fixture.clock.nowMs += 2;
    await create(owner, { name: 'active' });
    await fixture.call(owner, 'POST', `${keysPath()}/${revoked.id}/revocation`);
    fixture.clock.nowMs = Date.parse('2028-01-01T00:00:00Z');
    // The sessions of the others have ended by then.
    const viewer = await fixture.signIn('Alan');
    await fixture.join(acme.id, viewer, 'viewer');

    const names = async (state: string) => (await list(viewer, state)).map(({ name }) => name);

    expect(await names('active')).toEqual(['active']);
    expect((await names('ended')).sort()).toEqual(['expired', 'revoked']);
  });

  it('shows a key as expired from the moment of its expiry', async () => {
    const expires_at = '2026-11-23T08:20:00.000Z';
    await create(owner, { expires_at });
    const states: unknown[] = [];
    for (const at of ['2026-11-23T08:19:59.999Z', expires_at]) {
      fixture.clock.nowMs = Date.parse(at);
      for (const state of ['active', 'ended']) {
        states.push((await list(owner, state)).map((key) => key.state));
      }
    }

    expect(states).toEqual([['active'], [], [], ['expired']]);
  });
});
