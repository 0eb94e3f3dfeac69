import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  AuditRecordList,
  AuditRecordSummary,
  NewApiKey,
  OrganizationDetails,
} from '#lambdas/accounts/organizations/responses.ts';
import { auditActions } from '#lambdas/audit/record.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let owner: TestUser;
let acme: OrganizationDetails;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  owner = await fixture.signIn('Ada', { name: null });
  acme = await fixture.createOrganization(owner);
  await fixture.createOrganization(owner, 'Other');
  for (const name of ['one', 'two', 'three', 'four']) {
    fixture.clock.nowMs += 1;
    await fixture.call(owner, 'PATCH', `/organizations/${acme.id}`, { name });
  }
});
afterAll(() => database.stop());

async function list(query: Record<string, string>) {
  const values = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]));
  return fixture.call(owner, 'GET', `/organizations/${acme.id}/audit-records`, undefined, { query: values });
}

async function page(query: Record<string, string>): Promise<AuditRecordList> {
  const { status, body } = await list(query);
  expect(status).toBe(200);
  return body as AuditRecordList;
}

it('lists the records of the organization, the newest first', async () => {
  const { object, data, next_cursor } = await page({});

  expect([object, next_cursor]).toEqual(['list', null]);
  expect(data.map(({ action, after }) => [action, after?.name])).toEqual([
    ['organization.renamed', 'four'],
    ['organization.renamed', 'three'],
    ['organization.renamed', 'two'],
    ['organization.renamed', 'one'],
    ['organization.created', 'Acme'],
  ]);
  expect(data[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    at: '2026-11-23T08:00:00.004Z',
    actor: { type: 'user', id: owner.id, name: null, email: 'ada@example.com' },
    action: 'organization.renamed',
    target: { type: 'organization', id: acme.id, name: 'three' },
    before: { name: 'three' },
    after: { name: 'four' },
    stage: 'completed',
    operation_id: data[0]?.id,
  });
});

it('continues a page after its cursor, and has none after the last page', async () => {
  const pages: AuditRecordSummary[][] = [];
  let cursor: string | null = null;
  do {
    const { data, next_cursor }: AuditRecordList = await page({ limit: '2', ...(cursor && { cursor }) });
    pages.push(data);
    // Ids are valid in any case.
    cursor = next_cursor?.toUpperCase() ?? null;
  } while (cursor !== null);

  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(pages.flat()).toEqual((await page({ limit: '100' })).data);
  expect((await page({ limit: '5' })).next_cursor).toBeNull();
});

it.each([
  [{ limit: '0' }, 'limit', 'limit must be a whole number from 1 to 100'],
  [{ limit: '101' }, 'limit', 'limit must be a whole number from 1 to 100'],
  [{ limit: 'ten' }, 'limit', 'limit must be a whole number from 1 to 100'],
  [{ cursor: 'zzz' }, 'cursor', 'cursor must be the next_cursor of an earlier response'],
  [
    { offset: '1' },
    'offset',
    'Unknown query parameter offset: valid parameters are limit, cursor, action, actor, target, start, end',
  ],
  [{ action: 'key.created' }, 'action', `action must be one of ${auditActions.join(', ')}`],
  [{ actor: ' ' }, 'actor', 'actor must not be blank'],
  [{ target: '' }, 'target', 'target must not be empty'],
  [{ start: 'now' }, 'start', 'start must be an RFC 3339 timestamp, such as 2026-01-31T09:30:00Z'],
  [{ start: '2026-11-24T00:00:00Z', end: '2026-11-23T00:00:00Z' }, 'start', 'start must not be after end'],
])('refuses %o', async (query, param, message) => {
  const { status, body } = await list(query);

  expect(status).toBe(400);
  expect(body).toEqual({
    error: { message, type: 'invalid_request_error', param, code: 'invalid_request_error' },
  });
});

it('is only for owners', async () => {
  const admin = await fixture.signIn('Grace');
  await fixture.join(acme.id, admin, 'admin');

  const { status, body } = await fixture.call(admin, 'GET', `/organizations/${acme.id}/audit-records`);

  expect([status, body]).toMatchObject([403, { error: { code: 'forbidden' } }]);
});

describe('A search', () => {
  const names = async (query: Record<string, string>) =>
    (await page(query)).data.map(({ action, after }) => `${action} ${after?.name}`);

  it('finds records by action, actor, target and time, which it combines', async () => {
    const grace = await fixture.signIn('Grace');
    await fixture.join(acme.id, grace, 'admin');
    fixture.clock.nowMs += 1;
    const newKey = { name: 'Nightly CI', expires_at: null, budget: null };
    const { body } = await fixture.call(grace, 'POST', `/organizations/${acme.id}/keys`, newKey);
    const keyId = (body as NewApiKey).api_key.id;
    const renamed = ['four', 'three', 'two', 'one'].map((name) => `organization.renamed ${name}`);
    const created = 'organization.created Acme';
    const key = 'api_key.created Nightly CI';

    expect(await names({ action: 'organization.renamed' })).toEqual(renamed);
    expect(await names({ action: 'api_key.created' })).toEqual([key]);
    for (const actor of [grace.id, 'gra', 'GRACE@example']) expect(await names({ actor })).toEqual([key]);
    expect(await names({ actor: owner.id })).toEqual([...renamed, created]);
    for (const target of [keyId, 'nightly']) expect(await names({ target })).toEqual([key]);
    expect(await names({ target: keyId.slice(0, -1) })).toEqual([]);
    expect(await names({ actor: owner.id, target: 'nightly' })).toEqual([]);
    const window = { start: '2026-11-23T08:00:00.002Z', end: '2026-11-23T08:00:00.004Z' };
    expect(await names(window)).toEqual(renamed.slice(1, 3));
    expect(await names({ ...window, target: 'one' })).toEqual(renamed.slice(2, 3));
    expect(await names({ ...window, limit: '1' })).toEqual(renamed.slice(1, 2));
    expect(await names({ end: '2026-11-23T08:00:00Z' })).toEqual([]);
  });

  it('reads at most 2,000 records at once, and continues after them', async () => {
    const other = await fixture.createOrganization(owner, 'Searched');
    const audit = fixture.auditOf(owner);
    for (let changes = 0; changes < 2100; changes += 50) {
      fixture.clock.nowMs += 1;
      const event = {
        action: 'organization.renamed' as const,
        organizationId: other.id,
        target: { type: 'organization' as const, id: other.id, name: null },
        before: null,
        after: null,
      };
      await audit.transact(...Array.from({ length: 50 }, () => ({ event, items: [] })));
    }
    const read = async (cursor: string[]) => {
      const path = `/organizations/${other.id}/audit-records`;
      const query = { action: ['organization.created'], ...(cursor.length > 0 && { cursor }) };
      return (await fixture.call(owner, 'GET', path, undefined, { query })).body as AuditRecordList;
    };

    const first = await read([]);
    const second = await read([first.next_cursor ?? '']);

    expect([first.data, second.data.length, second.next_cursor]).toEqual([[], 1, null]);
  });
});
