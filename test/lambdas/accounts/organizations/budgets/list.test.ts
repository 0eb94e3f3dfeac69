import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newKeyId } from '#lambdas/access/id.ts';
import type { BudgetList, OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import type { BudgetPeriod } from '#lambdas/limits/budgets/budget.ts';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { periodAttribute } from '#lambdas/limits/counters/counter.ts';
import { counterItemKey, counterKey } from '#lambdas/limits/counters/keys.ts';
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { activateBudgets, countRequests } from '../keys/counted-requests.ts';
import { type KeyPages, keyPages } from '../keys/pages.ts';

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
beforeEach(async () => {
  fixture.clock.nowMs = startMs;
  acme = await fixture.createOrganization(owner);
  keys = keyPages(fixture, owner, acme.id);
});

async function set(keyId: string | null, period: BudgetPeriod = 'month', amountUsd = '10'): Promise<void> {
  const { directoryTable, budgetCounters, now } = fixture.dependencies;
  const tables = { directoryTable: { ...directoryTable, now }, budgetCounters };
  const budget = { amountUsd, hard: false, allowsUnpriced: false };
  await setBudget(tables, { organizationId: acme.id, keyId }, period, budget, fixture.auditOf(owner));
}

/** A key with budgets of these periods. */
async function addWith(name: string, ...periods: BudgetPeriod[]): Promise<string> {
  const { id } = await keys.add({ name });
  for (const period of periods) await set(id, period);
  return id;
}

async function page(query: Record<string, string> = {}, call = fixture.call): Promise<BudgetList> {
  const { status, body } = await keys.get('/budgets', query, call);
  expect(status).toBe(200);
  return body as BudgetList;
}

/** The owners and periods on each page until the last one. */
async function pages(query: Record<string, string> = {}): Promise<string[][]> {
  const all: string[][] = [];
  let cursor: string | null = null;
  do {
    const { data, next_cursor }: BudgetList = await page({ ...query, ...(cursor && { cursor }) });
    all.push(data.map(({ api_key_name, period }) => `${api_key_name ?? 'Acme'} ${period}`));
    cursor = next_cursor;
  } while (cursor !== null);
  return all;
}

/** Puts the budget into effect after a request with this cost. */
async function spend(keyId: string, cost_usd: string): Promise<void> {
  await countRequests(fixture, acme.id, [{ api_key_id: keyId, at: '2026-11-23T07:00:00Z', cost_usd }]);
  await activateBudgets(fixture, { organizationId: acme.id, keyId });
}

describe('The pages of budgets', () => {
  it('have those of the organization first, then those of the newest key, and all of a key', async () => {
    await addWith('old', 'day', 'month');
    await addWith('without');
    await addWith('new', 'month');
    await set(null, 'month');
    await set(null, 'day');

    expect(await pages({ limit: '1' })).toEqual([
      ['Acme day', 'Acme month'],
      ['new month'],
      ['old day', 'old month'],
    ]);
    expect(await pages({ limit: '2' })).toEqual([
      ['Acme day', 'Acme month', 'new month'],
      ['old day', 'old month'],
    ]);
    expect(await page({ limit: '3' })).toMatchObject({ next_cursor: null, ranking: null });
  });

  it('say whether owners get e-mails', async () => {
    expect((await page()).mail).toEqual({ sender: true });

    const path = `/organizations/${acme.id}/budgets`;
    const { body } = await fixture.callWith({ sendMail: null })(owner, 'GET', path);

    expect((body as BudgetList).mail).toEqual({ sender: false });
  });

  it('have 25 keys by default', async () => {
    for (let index = 0; index < 26; index++) await addWith(`key ${index}`, 'month');

    expect((await pages()).map(({ length }) => length)).toEqual([25, 1]);
  });

  it('have each budget that stays, and none twice, while others are set and removed', async () => {
    const ids = [await addWith('a', 'month'), await addWith('b', 'month'), await addWith('c', 'month')];
    const first = await page({ limit: '1' });
    const removal = { api_key_id: ids[2], period: 'month' };
    const removed = await fixture.call(owner, 'DELETE', `/organizations/${acme.id}/budgets`, removal);
    await addWith('d', 'month');
    const rest = await page({ cursor: first.next_cursor ?? '' });

    expect(removed.status).toBe(204);
    expect([...first.data, ...rest.data].map(({ api_key_name }) => api_key_name)).toEqual(['c', 'b', 'a']);
  });

  it('read all counters at once', async () => {
    for (const name of ['a', 'b', 'c']) {
      const id = await addWith(name, 'month');
      await activateBudgets(fixture, { organizationId: acme.id, keyId: id });
    }
    const operations: string[] = [];
    const budgetCounters = interceptTable(fixture.dependencies.budgetCounters, ({ operation, send }) => {
      operations.push(operation);
      return send();
    });
    const call = fixture.callWith({ budgetCounters });

    const { data } = await page({ limit: '2' }, call);

    expect(data.map(({ api_key_name, spent_usd }) => [api_key_name, spent_usd])).toEqual([
      ['c', '0'],
      ['b', '0'],
    ]);
    expect(operations).toEqual(['BatchGetCommand']);
  });
});

describe('The order of what budgets have spent', () => {
  it('has the highest percentage first, new budgets last, and equal ones like the order of creation', async () => {
    const [a, b, c] = [
      await addWith('a', 'month'),
      await addWith('b', 'day', 'month'),
      await addWith('c', 'month'),
    ];
    await addWith('new', 'month');
    await set(null, 'month');
    await spend(a, '5');
    await spend(b, '9.99');
    await spend(c, '5');

    const all = [['b day', 'b month', 'c month', 'a month', 'Acme month', 'new month']];
    expect(await pages({ order: 'spent' })).toEqual(all);
    expect(await pages({ order: 'spent', limit: '1' })).toEqual(all.flat().map((each) => [each]));
    const { data, ranking } = await page({ order: 'spent' });
    expect(data.map(({ spent_percent }) => spent_percent)).toEqual([99, 99, 50, 50, null, null]);
    expect(ranking).toEqual({ budgets: 6, complete: true });
  });

  it('has budgets that refuse requests before those that have spent less than all', async () => {
    const [a, b, c] = [await addWith('a', 'month'), await addWith('b', 'month'), await addWith('c', 'month')];
    await spend(a, '11');
    await spend(b, '9');
    await spend(c, '1');
    const { client, tableName } = fixture.dependencies.budgetCounters;
    await client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: counterItemKey(counterKey({ organizationId: acme.id, keyId: c })),
        UpdateExpression: 'SET #refused = :one',
        ExpressionAttributeNames: { '#refused': periodAttribute('refused', '2026-11') },
        ExpressionAttributeValues: { ':one': 1 },
      }),
    );

    expect(await pages({ order: 'spent' })).toEqual([['a month', 'c month', 'b month']]);
    expect(await pages({ order: 'spent', limit: '1' })).toEqual([['a month'], ['c month'], ['b month']]);
  });

  it('compares the budgets of the organization and of the 1,000 newest keys, and says if there are more', async () => {
    const { client, tableName } = fixture.dependencies.directoryTable;
    const month = { amount_usd: '10', hard: false, allows_unpriced: false };
    const records = Array.from({ length: 1001 }, (_, index) => ({
      pk: `budgets#${acme.id}`,
      sk: newKeyId(new Date(startMs + index)),
      month,
      revision: 1,
    }));
    for (const chunk of chunksOf(records, 25)) {
      const requests = chunk.map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
    }
    expect((await page({ order: 'spent' })).ranking).toEqual({ budgets: 1001, complete: true });
    await set(null, 'day');

    const { data, ranking } = await page({ order: 'spent', limit: '1' });

    expect(ranking).toEqual({ budgets: 1001, complete: false });
    expect(data.map(({ api_key_id }) => api_key_id)).toEqual([null]);
  });

  it('continues after the budget of the cursor, whatever was spent in the meantime', async () => {
    const [a, b, c] = [await addWith('a', 'month'), await addWith('b', 'month'), await addWith('c', 'month')];
    await spend(a, '9');
    await spend(b, '6');
    await spend(c, '3');
    const first = await page({ order: 'spent', limit: '1' });
    await set(b, 'month', '7');

    const rest = await page({ order: 'spent', cursor: first.next_cursor ?? '' });

    expect([...first.data, ...rest.data].map(({ api_key_name }) => api_key_name)).toEqual(['a', 'b', 'c']);
  });
});

describe('Parameters that are not valid', () => {
  const limit = 'limit must be a whole number from 1 to 100';
  const cursor = 'cursor must be the next_cursor of a page in the same order';
  const id = 'key_0000000000000000';

  it.each<[string, string, string, object?]>([
    ['limit', '0', limit],
    ['limit', '101', limit],
    ['order', 'spend', 'order must be one of created, spent'],
    ['cursor', 'key_1', cursor],
    ['cursor', `50~${id}~month`, cursor],
    ['cursor', '', 'cursor must not be empty'],
    ['cursor', id, cursor, { order: 'spent' }],
    ['cursor', `50~${id}~year`, cursor, { order: 'spent' }],
    ['cursor', `-1~${id}~month`, cursor, { order: 'spent' }],
    ['cursor', '50~key_1~month', cursor, { order: 'spent' }],
    ['cursor', `50~${id}~month~`, cursor, { order: 'spent' }],
    ['search', 'a', 'Unknown query parameter search: valid parameters are limit, cursor, order'],
  ])('are refused: %s=%s', async (param, value, message, others = {}) => {
    const { status, body } = await keys.get('/budgets', { ...others, [param]: value });

    const error = { message, type: 'invalid_request_error', param, code: 'invalid_request_error' };
    expect([status, body]).toEqual([400, { error }]);
  });
});
