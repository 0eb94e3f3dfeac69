import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  BudgetList,
  BudgetSummary,
  NewApiKey,
  OrganizationDetails,
  RotatedApiKey,
} from '#lambdas/accounts/organizations/responses.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { activateBudgets, countRequests } from '../keys/counted-requests.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let admin: TestUser;
let acme: OrganizationDetails;
let path: string;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  admin = await fixture.signIn('Grace');
});
afterAll(() => database.stop());
beforeEach(async () => {
  acme = await fixture.createOrganization(await fixture.signIn('Ada'));
  await fixture.join(acme.id, admin, 'admin');
  // Audit records of the same millisecond are in no order.
  fixture.clock.nowMs += 1;
  path = `/organizations/${acme.id}/budgets`;
});

const monthly = { api_key_id: null, period: 'month', amount_usd: '250', hard: false, allow_unpriced: false };

async function set(fields: object = {}): Promise<BudgetSummary> {
  const { status, body } = await fixture.call(admin, 'POST', path, { ...monthly, ...fields });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body as BudgetSummary;
}

async function list(user = admin): Promise<BudgetSummary[]> {
  const { status, body } = await fixture.call(user, 'GET', path);
  expect(status).toBe(200);
  return (body as BudgetList).data;
}

async function createKey(name: string): Promise<string> {
  const newKey = { name, expires_at: null, budget: null };
  const { body } = await fixture.call(admin, 'POST', `/organizations/${acme.id}/keys`, newKey);
  return (body as NewApiKey).api_key.id;
}

const newBudget = {
  ...monthly,
  api_key_name: null,
  state: 'activating',
  period_start: '2026-11-01T00:00:00.000Z',
  period_end: '2026-12-01T00:00:00.000Z',
  spent_usd: null,
  reserved_usd: null,
  spent_percent: null,
  refused_requests: 0,
};

function refusal(status: number, code: string, message: string, param: string | null = null) {
  return { status, body: { error: { message, type: 'invalid_request_error', param, code } } };
}

describe('Setting a budget', () => {
  it('creates it, and replaces the one of the same period', async () => {
    expect(await set({ amount_usd: '0250.50' })).toEqual({ ...newBudget, amount_usd: '250.5' });
    fixture.clock.nowMs += 1;
    const replaced = await set({ amount_usd: '99', hard: true, allow_unpriced: true });

    expect(replaced).toEqual({ ...newBudget, amount_usd: '99', hard: true, allow_unpriced: true });
    expect(await list()).toEqual([replaced]);
    const [, first, second] = await fixture.auditRecords(acme.id);
    const values = { period: 'month', api_key_id: null, amount_usd: '250.5', hard: false };
    expect(first).toMatchObject({
      action: 'budget.set',
      actor: { id: admin.id },
      target: { type: 'budget', id: `${acme.id}/month`, name: null },
      before: null,
      after: { ...values, allow_unpriced: false },
    });
    expect(second).toMatchObject({
      before: { ...values, allow_unpriced: false },
      after: { ...values, amount_usd: '99', hard: true, allow_unpriced: true },
    });
  });

  it('applies to the first key of those that were rotated', async () => {
    const first = await createKey('production');
    const rotated = await fixture.call(admin, 'POST', `/organizations/${acme.id}/keys/${first}/rotation`, {
      overlap_seconds: 3600,
    });
    const { api_key } = rotated.body as RotatedApiKey;

    const budget = await set({ api_key_id: api_key.id });

    expect(budget).toEqual({ ...newBudget, api_key_id: first, api_key_name: 'production' });
    expect(await list()).toEqual([budget]);
    const removed = await fixture.call(admin, 'DELETE', path, { api_key_id: api_key.id, period: 'month' });
    expect([removed.status, await list()]).toEqual([204, []]);
  });

  it('changes that of a revoked key whose replacement spends it, and names the replacement', async () => {
    const first = await createKey('production');
    const keyPath = (id: string, change = '') => `/organizations/${acme.id}/keys/${id}${change}`;
    const rotated = await fixture.call(admin, 'POST', keyPath(first, '/rotation'), { overlap_seconds: 60 });
    const { api_key: second } = rotated.body as RotatedApiKey;
    await fixture.call(admin, 'PATCH', keyPath(second.id), { name: 'replacement' });
    await set({ api_key_id: first });
    await fixture.call(admin, 'POST', keyPath(first, '/revocation'));

    const changed = await set({ api_key_id: first, amount_usd: '5' });

    expect(changed).toEqual({
      ...newBudget,
      amount_usd: '5',
      api_key_id: first,
      api_key_name: 'replacement',
    });
    await fixture.call(admin, 'POST', keyPath(second.id, '/revocation'));
    const refused = await fixture.call(admin, 'POST', path, { ...monthly, api_key_id: first });
    expect(refused.status).toBe(409);
    expect(await list()).toEqual([{ ...changed, api_key_name: 'production' }]);
  });

  it('refuses what is not valid, naming the field', async () => {
    const amount =
      'amount_usd must be an amount of US dollars as text, with at most 9 digits and 6 decimals, such as "250" or "99.50"';
    const apiKeyId = 'api_key_id must be the id of an API key, or null';
    const unpriced = 'allow_unpriced needs a hard budget, because other budgets refuse no requests';
    for (const [fields, param, message] of [
      [{ amount_usd: '1234567890' }, 'amount_usd', amount],
      [{ amount_usd: '-5' }, 'amount_usd', amount],
      [{ amount_usd: undefined }, 'amount_usd', amount],
      [
        { amount_usd: '0' },
        'amount_usd',
        'amount_usd must be more than 0: to refuse all requests of a key, revoke it',
      ],
      [{ period: 'week' }, 'period', 'period must be day or month'],
      [{ hard: 1 }, 'hard', 'hard must be true or false'],
      [{ allow_unpriced: undefined }, 'allow_unpriced', 'allow_unpriced must be true or false'],
      [{ allow_unpriced: true }, 'allow_unpriced', unpriced],
      [{ api_key_id: undefined }, 'api_key_id', apiKeyId],
      [{ api_key_id: '' }, 'api_key_id', apiKeyId],
      [{ api_key_id: 'k'.repeat(129) }, 'api_key_id', apiKeyId],
      [{ organization_id: 'other' }, 'organization_id', 'organization_id is not a field of this request'],
    ] as const) {
      const response = await fixture.call(admin, 'POST', path, { ...monthly, ...fields });
      expect(response).toMatchObject(refusal(400, 'invalid_request_error', message, param));
    }

    expect(await list()).toEqual([]);
  });

  it('refuses keys that are revoked or belong to others', async () => {
    const key = await createKey('production');
    await fixture.call(admin, 'POST', `/organizations/${acme.id}/keys/${key}/revocation`);
    const other = await fixture.createOrganization(admin, 'Other');
    const foreign = { ...monthly, api_key_id: key };

    expect(await fixture.call(admin, 'POST', path, foreign)).toMatchObject(
      refusal(
        409,
        'conflict',
        'This API key is revoked, so a budget has no effect: choose an active key',
        'api_key_id',
      ),
    );
    expect(await fixture.call(admin, 'POST', `/organizations/${other.id}/budgets`, foreign)).toMatchObject(
      refusal(404, 'not_found', 'There is no such API key in this organization'),
    );
  });
});

describe('Removing a budget', () => {
  it('removes one period, also of a revoked key', async () => {
    const key = await createKey('production');
    await set({ api_key_id: key, period: 'day' });
    const kept = await set({ api_key_id: key });
    await fixture.call(admin, 'POST', `/organizations/${acme.id}/keys/${key}/revocation`);
    fixture.clock.nowMs += 1;

    const { status, text } = await fixture.call(admin, 'DELETE', path, { api_key_id: key, period: 'day' });

    expect([status, text]).toEqual([204, '']);
    expect(await list()).toEqual([kept]);
    expect((await fixture.auditRecords(acme.id)).at(-1)).toMatchObject({
      action: 'budget.removed',
      target: { type: 'budget', id: `${key}/day`, name: 'production' },
      after: null,
    });
  });

  it('refuses an id that no key can have, naming the field', async () => {
    await set();
    const message = 'api_key_id must be the id of an API key, or null';

    expect(await fixture.call(admin, 'DELETE', path, { api_key_id: '', period: 'month' })).toMatchObject(
      refusal(400, 'invalid_request_error', message, 'api_key_id'),
    );
    expect(await list()).toHaveLength(1);
  });

  it('returns 404 without such a budget', async () => {
    await set();
    const daily = { api_key_id: null, period: 'day' };

    expect(await fixture.call(admin, 'DELETE', path, daily)).toMatchObject(
      refusal(404, 'not_found', 'There is no such budget for the day'),
    );
    expect(await fixture.call(admin, 'DELETE', path, { ...daily, api_key_id: 'key_unknown' })).toMatchObject(
      refusal(404, 'not_found', 'There is no such API key in this organization'),
    );
    expect(await list()).toHaveLength(1);
  });
});

describe('The list of budgets', () => {
  it('has those of the organization first, then those of the newest key', async () => {
    const alpha = await createKey('alpha');
    fixture.clock.nowMs += 1;
    const zeta = await createKey('Zeta');
    const owners = [zeta, alpha, null];
    for (const period of ['month', 'day']) {
      for (const api_key_id of owners) await set({ api_key_id, period });
    }
    const viewer = await fixture.signIn('Alan');
    await fixture.join(acme.id, viewer, 'viewer');

    const listed = await list(viewer);

    expect(listed.map(({ api_key_name, api_key_id, period }) => [api_key_name, api_key_id, period])).toEqual([
      [null, null, 'day'],
      [null, null, 'month'],
      ['Zeta', zeta, 'day'],
      ['Zeta', zeta, 'month'],
      ['alpha', alpha, 'day'],
      ['alpha', alpha, 'month'],
    ]);
  });

  it('has what was spent, also in whole percent', async () => {
    const budgets = [
      { amount_usd: '0.3', cost_usd: '0.299999999999', percent: 99 },
      { amount_usd: '999999999.999999', cost_usd: '99999999999.9999', percent: 10_000 },
      { amount_usd: '143', cost_usd: '151.57', percent: 106 },
      { amount_usd: '5', cost_usd: '0', percent: 0 },
    ];
    for (const [index, { amount_usd, cost_usd }] of budgets.entries()) {
      fixture.clock.nowMs += 1;
      const api_key_id = await createKey(`key ${index}`);
      await set({ api_key_id, amount_usd });
      await countRequests(fixture, acme.id, [{ api_key_id, at: '2026-11-23T07:00:00Z', cost_usd }]);
      await activateBudgets(fixture, { organizationId: acme.id, keyId: api_key_id });
    }

    expect(await list()).toEqual(
      [...budgets.entries()].reverse().map(([index, { amount_usd, cost_usd, percent }]) => ({
        ...newBudget,
        api_key_id: expect.any(String),
        api_key_name: `key ${index}`,
        amount_usd,
        state: 'active',
        spent_usd: cost_usd,
        reserved_usd: '0',
        spent_percent: percent,
      })),
    );
  });
});
