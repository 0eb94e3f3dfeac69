import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newKeyId, newOrganizationId } from '#lambdas/access/id.ts';
import { rankKeys } from '#lambdas/accounts/organizations/keys/ranking.ts';
import { readKeyUsage } from '#lambdas/accounts/organizations/keys/usage.ts';
import { toUnits } from '#lambdas/platform/money.ts';
import { startMs } from '#test/support/accounts/dashboard-fixture.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { interceptTable } from '#test/support/dynamodb/intercepted-table.ts';
import { countRequests } from './counted-requests.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
});
afterAll(() => database.stop());

let scope: { organizationId: string; logShards: number };
let ids: string[];
beforeEach(() => {
  scope = { organizationId: newOrganizationId(), logShards: 2 };
  ids = Array.from({ length: 5 }, (_, index) => newKeyId(new Date(startMs + index)));
});

const now = new Date(startMs);
const today = '2026-11-23T01:00:00Z';

/** A request with each of so many models. */
const requests = (api_key_id: string | undefined, models: number, at = today) =>
  Array.from({ length: models }, (_, index) => ({
    api_key_id: api_key_id ?? '',
    at,
    model: `model-${index}`,
    cost_usd: '0.01',
    logShard: index % 2,
  }));

/** Counts the queries of rows. */
function countingTable() {
  let queries = 0;
  const table = interceptTable(fixture.dependencies.costRollups, ({ operation, send }) => {
    if (operation === 'QueryCommand') queries += 1;
    return send();
  });
  return { table, queries: () => queries };
}

it('includes the costs of attempts after which another target has served the request', async () => {
  const [a = '', b = ''] = ids;
  const superseded_by = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01';
  const [served, attempt] = [requests(a, 1), requests(a, 2).slice(1)];
  await countRequests(fixture, scope.organizationId, [
    ...served,
    ...attempt.map((fields) => ({ ...fields, route: 'fast', superseded_by })),
    ...requests(b, 1),
  ]);

  const { costRollups } = fixture.dependencies;
  expect((await readKeyUsage(costRollups, scope, [a], now)).get(a)).toMatchObject({
    requests: 1,
    spentUsd: '0.02',
  });
});

it('is read with a query for each period and write shard, if few other keys are in between', async () => {
  const [a = '', b = '', c = ''] = ids;
  await countRequests(fixture, scope.organizationId, [
    ...requests(a, 4),
    ...requests(b, 4),
    ...requests(c, 3),
  ]);
  const { table, queries } = countingTable();

  const usage = await readKeyUsage(table, scope, [c, a], now);

  expect([...usage].sort()).toEqual([
    [
      a,
      {
        lastUsed: '2026-11-23',
        spentUsd: '0.04',
        uncertainUsd: '0',
        requests: 4,
        rejectedRequests: 0,
        unpricedRequests: 0,
      },
    ],
    [
      c,
      {
        lastUsed: '2026-11-23',
        spentUsd: '0.03',
        uncertainUsd: '0',
        requests: 3,
        rejectedRequests: 0,
        unpricedRequests: 0,
      },
    ],
  ]);
  expect(queries()).toBe(8);
});

it('is read key by key from where others have too many rows, each row once', async () => {
  const [a = '', b = '', c = '', d = '', e = ''] = ids;
  await countRequests(fixture, scope.organizationId, [
    ...requests(a, 6),
    ...requests(b, 60),
    ...requests(c, 60),
    ...requests(d, 50, '2026-10-05T00:00:00Z'),
    ...requests(e, 3),
  ]);

  const spent = async (keyIds: string[]) =>
    [...(await readKeyUsage(fixture.dependencies.costRollups, scope, keyIds, now))].map(
      ([id, { spentUsd, requests: count, lastUsed }]) => [ids.indexOf(id), spentUsd, count, lastUsed],
    );

  expect((await spent([a, c, e])).sort()).toEqual([
    [0, '0.06', 6, '2026-11-23'],
    [2, '0.6', 60, '2026-11-23'],
    [4, '0.03', 3, '2026-11-23'],
  ]);
  expect(await spent([d])).toEqual([[3, '0.5', 50, '2026-10']]);
  expect((await spent(ids)).sort()).toEqual([
    [0, '0.06', 6, '2026-11-23'],
    [1, '0.6', 60, '2026-11-23'],
    [2, '0.6', 60, '2026-11-23'],
    [3, '0.5', 50, '2026-10'],
    [4, '0.03', 3, '2026-11-23'],
  ]);
});

it('is nothing without keys, and without requests', async () => {
  const { table, queries } = countingTable();

  expect(await readKeyUsage(table, scope, [], now)).toEqual(new Map());
  expect(queries()).toBe(0);
  expect(await readKeyUsage(table, scope, ids, now)).toEqual(new Map());
});

it('ranks the keys that spent most, and says if there are more', async () => {
  const [a = '', b = '', c = ''] = ids;
  await countRequests(fixture, scope.organizationId, [
    ...requests(a, 1),
    ...requests(b, 3),
    ...requests(c, 2),
  ]);
  const rank = (limits: { keys: number; rows: number }) =>
    rankKeys(fixture.dependencies.costRollups, scope, 'spend', now, limits);
  const [first, second, third] = [
    { id: b, rank: toUnits('0.03') },
    { id: c, rank: toUnits('0.02') },
    { id: a, rank: toUnits('0.01') },
  ];

  expect(await rank({ keys: 3, rows: 100 })).toEqual({ keys: [first, second, third], complete: true });
  expect(await rank({ keys: 2, rows: 100 })).toEqual({ keys: [first, second], complete: false });
  expect(await rank({ keys: 3, rows: 0 })).toEqual({ keys: [], complete: false });
});

it('ranks the keys by the last day or month with requests that were forwarded', async () => {
  const [a = '', b = '', c = '', d = '', e = ''] = ids;
  const rejected = { outcome: 'rejected', status: 400, cost_usd: '0', at: today } as const;
  await countRequests(fixture, scope.organizationId, [
    ...requests(a, 2, '2026-11-21T00:00:00Z'),
    ...requests(b, 1),
    ...requests(c, 1, '2026-11-22T00:00:00Z'),
    ...requests(d, 1, '2026-10-31T00:00:00Z'),
    ...requests(d, 1, '2026-11-01T00:00:00Z'),
    ...requests(e, 1, '2026-09-30T00:00:00Z'),
    { api_key_id: a, ...rejected },
  ]);

  const { keys } = await rankKeys(fixture.dependencies.costRollups, scope, 'last_used', now);

  expect(keys.map(({ id, rank }) => [id, new Date(Number(rank)).toISOString().slice(0, 10)])).toEqual([
    [b, '2026-11-23'],
    [c, '2026-11-22'],
    [d, '2026-11-01'],
    [a, '2026-11-01'],
  ]);
});
