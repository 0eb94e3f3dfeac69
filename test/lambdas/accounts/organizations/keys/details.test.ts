/** The details of a key, and whether anybody in its organization has been shown one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import type {
  ApiKeyDetails,
  ApiKeyName,
  ApiKeySummary,
  NewApiKey,
  OrganizationDetails,
  RotatedApiKey,
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
import { countRequests } from './counted-requests.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let owner: TestUser;
let viewer: TestUser;
let acme: OrganizationDetails;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  fixture.clock.nowMs = startMs;
  [owner, viewer] = [await fixture.signIn('Ada'), await fixture.signIn('Mary')];
  acme = await fixture.createOrganization(owner);
  await fixture.join(acme.id, viewer, 'viewer');
});

const pathOf = (keyId = '', change = '') => `/organizations/${acme.id}/keys${keyId && `/${keyId}`}${change}`;

async function create(name = 'production'): Promise<ApiKeySummary> {
  fixture.clock.nowMs += 1;
  const budget = { amount_usd: '8', period: 'month', hard: false };
  const { body } = await fixture.call(owner, 'POST', pathOf(), { name, expires_at: null, budget });
  return (body as NewApiKey).api_key;
}

async function rotate(keyId: string): Promise<ApiKeySummary> {
  fixture.clock.nowMs += 1;
  const { body } = await fixture.call(owner, 'POST', pathOf(keyId, '/rotation'), { overlap_seconds: 60 });
  return (body as RotatedApiKey).api_key;
}

const operator: Actor = {
  type: 'operator',
  id: 'arn:aws:iam::123456789012:user/op',
  name: null,
  email: null,
};

async function createAsOperator(): Promise<string> {
  const { auditTable, now, directory } = fixture.dependencies;
  const createdBy = creatorOf(operator);
  const { key, apiKey } = issueApiKey({ organizationId: acme.id, name: 'Demo', createdAt: now(), createdBy });
  await directory.createApiKey(apiKey, hashApiKey(key), createAuditTrail(auditTable, operator, now));
  return apiKey.id;
}

async function details(keyId: string, user = viewer): Promise<ApiKeyDetails> {
  const { status, body, text } = await fixture.call(user, 'GET', pathOf(keyId));
  if (status !== 200) throw new Error(text);
  return body as ApiKeyDetails;
}

const nameOf = ({ id, name, last_four, state }: ApiKeySummary): ApiKeyName => ({
  id,
  name,
  last_four,
  state,
});

async function isFirstKeySeen(): Promise<boolean> {
  const { body } = await fixture.call(viewer, 'GET', `/organizations/${acme.id}`);
  return (body as OrganizationDetails).first_key_seen;
}

describe('The details of a key', () => {
  it('are its summary, its shared budgets, and the keys that it has replaced or that have replaced it', async () => {
    const first = await create();
    const second = await rotate(first.id);
    const third = await rotate(second.id);
    const unrelated = await create('other');

    const [ofFirst, ofSecond, ofThird] = [
      await details(first.id),
      await details(second.id),
      await details(third.id, owner),
    ];

    const { budgets, ...summary } = third;
    expect(ofThird).toEqual({
      ...summary,
      budgets: [{ ...budgets[0], api_key_id: first.id, amount_usd: '8' }],
      replaces: [nameOf(second), nameOf(first)],
      replaced_by: null,
      has_been_seen: true,
    });
    expect([ofSecond.replaces, ofSecond.replaced_by]).toEqual([[nameOf(first)], nameOf(third)]);
    expect([ofFirst.replaces, ofFirst.replaced_by]).toEqual([[], nameOf(second)]);
    expect(ofFirst.budgets).toEqual(ofThird.budgets);
    expect(ofSecond.manageable).toBe(false);
    expect(await details(unrelated.id)).toMatchObject({ replaces: [], replaced_by: null });
  });

  it('have the last 20 keys that it has replaced', async () => {
    const ids = [(await create()).id];
    for (let rotations = 0; rotations < 21; rotations += 1) ids.push((await rotate(ids.at(-1) ?? '')).id);

    const { id, replaces } = await details(ids.at(-1) ?? '');

    expect([...replaces.map((key) => key.id).reverse(), id]).toEqual(ids.slice(1));
  });

  it('are not those of a key of another organization', async () => {
    const key = await create();
    acme = await fixture.createOrganization(owner, 'Other');

    expect(await fixture.call(owner, 'GET', pathOf(key.id))).toMatchObject({
      status: 404,
      body: { error: { message: 'There is no such API key in this organization' } },
    });
  });

  it('say of the key of an operator that it has been seen once somebody has used or rotated it', async () => {
    const [used, rejected, rotated, unused] = [
      await createAsOperator(),
      await createAsOperator(),
      await createAsOperator(),
      await createAsOperator(),
    ];
    const at = '2026-11-23T07:00:00Z';
    await countRequests(fixture, acme.id, [
      { api_key_id: used, at },
      { api_key_id: rejected, at, outcome: 'rejected', status: 400, cost_usd: '0' },
    ]);
    const { id: replacement } = await rotate(rotated);

    const ids = [used, rejected, rotated, unused, replacement];
    const seen = await Promise.all(ids.map(async (id) => (await details(id)).has_been_seen));

    expect(seen).toEqual([true, true, false, false, true]);
  });
});

describe('The first key of an organization', () => {
  it('is seen once a user has created one', async () => {
    expect(await isFirstKeySeen()).toBe(false);
    const { id } = await create();
    expect(await isFirstKeySeen()).toBe(true);
    await fixture.call(owner, 'POST', pathOf(id, '/revocation'));
    expect(await isFirstKeySeen()).toBe(true);
  });

  it('is not seen when an operator has created it, but once a user has rotated it', async () => {
    const keyId = await createAsOperator();
    expect(await isFirstKeySeen()).toBe(false);
    await rotate(keyId);
    expect(await isFirstKeySeen()).toBe(true);
  });

  it.each([
    ['a request', { at: '2026-01-05T00:00:00Z' }],
    ['a rejected request', { at: '2026-11-23T07:00:00Z', outcome: 'rejected', status: 400, cost_usd: '0' }],
    ['a request in another shard', { at: '2026-11-23T07:00:00Z', logShard: 1 }],
  ] as const)('is seen once %s with it was counted', async (_, request) => {
    await fixture.dependencies.directory.raiseLogShards(acme.id, 2, fixture.auditOf(owner));
    const keyId = await createAsOperator();
    expect(await isFirstKeySeen()).toBe(false);

    await countRequests(fixture, acme.id, [{ api_key_id: keyId, ...request }]);

    expect(await isFirstKeySeen()).toBe(true);
  });
});
