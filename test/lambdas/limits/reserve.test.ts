import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKey } from '#lambdas/access/directory.ts';
import { createCounterItem, setLimits } from '#lambdas/limits/change-counter.ts';
import { type Counter, counterKey, reservedUsd, roomOf, unlimitedUsd } from '#lambdas/limits/counter.ts';
import { type BudgetsTable, findCounter } from '#lambdas/limits/counters-table.ts';
import { createReserve } from '#lambdas/limits/reserve.ts';
import type { TableUpdates } from '#lambdas/platform/dynamodb/table.ts';
import type { Usd } from '#lambdas/platform/money.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';

const receivedAtMs = Date.UTC(2026, 10, 23, 12, 4);
const minuteMs = 60_000;

let database: EmbeddedDynamoDB;
let budgets: BudgetsTable;
let organizations = 0;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { name } = await createTable(database.client, 'Budgets', { key: ['counter_key'] });
  budgets = { client: database.documentClient, tableName: name };
});
afterAll(() => database.stop());

interface Limits {
  day?: Usd;
  month?: Usd;
}

/** A key with these limits. The organization's counter has one item for each element. */
async function createKey(limits: { organization?: Limits[]; key?: Limits }): Promise<ApiKey> {
  const organization_id = `org_${++organizations}`;
  const apiKey = apiKeyRecord({ organization_id });
  const create = async (keyId: string | null, items: Limits[]) => {
    const [id, shards] = [`${keyId === null ? 'o' : 'k'}${organizations}`, items.length];
    for (const [shard, { day = unlimitedUsd, month = unlimitedUsd }] of items.entries()) {
      const key = counterKey({ organizationId: organization_id, keyId }, shard);
      const counter = await createCounterItem(budgets, { key, id, shards, limitUsd: '0' });
      // The period begins later than the items are created: its room is the limit.
      const amounts = {
        day: day === unlimitedUsd ? null : day,
        month: month === unlimitedUsd ? null : month,
      };
      await setLimits(budgets, counter, { shards, limits: { day, month }, amounts }, new Date(0));
    }
    return { id, shards, allows_unpriced: false };
  };
  return {
    ...apiKey,
    ...(limits.organization && { organization_budget: await create(null, limits.organization) }),
    ...(limits.key && { key_budget: await create(apiKey.id, [limits.key]) }),
  };
}

async function findItem(
  { organization_id: organizationId }: ApiKey,
  keyId: string | null,
  shard = 0,
): Promise<Counter> {
  return (await findCounter(budgets, counterKey({ organizationId, keyId }, shard))) ?? expect.fail();
}

function startReserving({
  atMs = receivedAtMs,
  update,
}: {
  atMs?: number;
  update?: TableUpdates['update'];
} = {}) {
  const writes: string[] = [];
  const failures: unknown[] = [];
  const calls = tableCallsAt(database.endpoint);
  const reserve = createReserve({
    calls: {
      update:
        update ??
        ((tableName, key, options) => {
          writes.push(String(key.counter_key));
          return calls.update(tableName, key, options);
        }),
    },
    tableName: budgets.tableName,
    now: () => new Date(atMs),
    onFailure: (error) => void failures.push(error),
  });
  return {
    writes,
    failures,
    reserve: (apiKey: ApiKey, usd: Usd, logShard = 0) =>
      reserve({ apiKey, logShard, receivedAtMs: atMs, usd }),
  };
}

describe('A request with hard budgets', () => {
  it('reserves from each counter with one write', async () => {
    const apiKey = await createKey({ organization: [{ month: '10' }], key: { day: '4', month: '8' } });
    const { reserve, writes } = startReserving();

    const { reservation, error } = await reserve(apiKey, '3.5');

    expect(error).toBeNull();
    expect(reservation).toEqual({
      usd: '3.5',
      counters: [`organization/${apiKey.organization_budget?.id}/0`, `key/${apiKey.key_budget?.id}/0`],
    });
    expect(writes).toEqual([`${apiKey.organization_id}/0`, `${apiKey.organization_id}/${apiKey.id}`]);
    const organization = await findItem(apiKey, null);
    const key = await findItem(apiKey, apiKey.id);
    expect([roomOf(organization, '2026-11'), reservedUsd(organization)]).toEqual(['6.5', '3.5']);
    expect([roomOf(key, '2026-11'), roomOf(key, '2026-11-23'), reservedUsd(key)]).toEqual([
      '4.5',
      '0.5',
      '3.5',
    ]);
  });

  it('takes the reservation back from one counter when the other refuses', async () => {
    const apiKey = await createKey({ organization: [{ month: '10' }], key: { day: '3', month: '2' } });
    const { reserve } = startReserving();

    const { reservation, error } = await reserve(apiKey, '2.5');

    expect(reservation).toEqual({ usd: null, counters: [`key/${apiKey.key_budget?.id}/2026-11`] });
    expect(error?.toBody()).toEqual({
      error: {
        message:
          'The monthly budget of the API key (2 USD) has too little left for this request, which may cost up to 2.5 USD. It starts anew at 2026-12-01T00:00:00.000Z; a lower max_completion_tokens reserves less.',
        type: 'rate_limit_error',
        param: null,
        code: 'insufficient_quota',
      },
    });
    expect(error?.headers).toEqual({
      'retry-after': String((7 * 24 + 12) * 3600 - 4 * 60),
      'x-should-retry': 'false',
    });
    const organization = await findItem(apiKey, null);
    expect([roomOf(organization, '2026-11'), reservedUsd(organization)]).toEqual(['10', '0']);
  });

  it('admits exactly as many concurrent requests as there is room for', async () => {
    const apiKey = await createKey({ organization: [{ day: '1' }], key: { month: '100' } });
    const { reserve } = startReserving();

    const results = await Promise.all(Array.from({ length: 50 }, () => reserve(apiKey, '0.0625')));

    expect(results.filter(({ error }) => error === null)).toHaveLength(16);
    expect(reservedUsd(await findItem(apiKey, apiKey.id))).toBe('1');
  });

  it('tries the other items of an organization once', async () => {
    const apiKey = await createKey({ organization: [{ month: '1' }, { month: '5' }, { month: '2' }] });
    const { reserve, writes } = startReserving();

    const third = await reserve(apiKey, '2', 17);
    const second = await reserve(apiKey, '2', 16);
    const none = await reserve(apiKey, '4', 8);

    const { id } = apiKey.organization_budget ?? expect.fail();
    expect(third.reservation?.counters).toEqual([`organization/${id}/2`]);
    expect(second.reservation?.counters).toEqual([`organization/${id}/1`]);
    expect(none.error?.code).toBe('insufficient_quota');
    const shards = writes.map((key) => Number(key.split('/').at(-1)));
    expect(shards).toEqual([2, 2, 0, 1, 1, 2, 0]);
  });
});

describe('The reservation of a killed function', () => {
  it('is released for a request that would be refused, 20 minutes after its slot', async () => {
    const apiKey = await createKey({ key: { day: '1', month: '1' } });
    await startReserving().reserve(apiKey, '0.8');
    const slotEndMs = Date.UTC(2026, 10, 23, 12, 10);

    const before = await startReserving({ atMs: slotEndMs + 20 * minuteMs - 1 }).reserve(apiKey, '0.5');
    const fits = await startReserving({ atMs: slotEndMs + 20 * minuteMs }).reserve(apiKey, '0.2');
    const unreleased = reservedUsd(await findItem(apiKey, apiKey.id));
    const after = await startReserving({ atMs: slotEndMs + 20 * minuteMs }).reserve(apiKey, '0.5');

    expect(before.error?.code).toBe('insufficient_quota');
    expect(fits.error).toBeNull();
    expect(unreleased).toBe('1');
    expect(after.error).toBeNull();
    const item = await findItem(apiKey, apiKey.id);
    expect([roomOf(item, '2026-11-23'), roomOf(item, '2026-11'), reservedUsd(item)]).toEqual([
      '0.3',
      '0.3',
      '0.7',
    ]);
  });

  it('is released once, by any number of concurrent requests', async () => {
    const apiKey = await createKey({ key: { month: '1' } });
    await startReserving().reserve(apiKey, '0.9');
    const { reserve } = startReserving({ atMs: receivedAtMs + 40 * minuteMs });

    const results = await Promise.all(Array.from({ length: 20 }, () => reserve(apiKey, '0.25')));

    expect(results.filter(({ error }) => error === null)).toHaveLength(4);
    expect(roomOf(await findItem(apiKey, apiKey.id), '2026-11')).toBe('0');
  });

  it('is released in parts if there are many', async () => {
    const apiKey = await createKey({ key: { month: '1' } });
    const startMs = Date.UTC(2026, 10, 2);
    for (let slot = 0; slot < 200; slot++) {
      await startReserving({ atMs: startMs + slot * 10 * minuteMs }).reserve(apiKey, '0.005');
    }

    const { error } = await startReserving().reserve(apiKey, '0.75');

    expect(error).toBeNull();
    expect(roomOf(await findItem(apiKey, apiKey.id), '2026-11')).toBe('0.05');
  });

  it('of an earlier month returns nothing to the current one', async () => {
    const apiKey = await createKey({ key: { month: '1' } });
    await startReserving({ atMs: Date.UTC(2026, 10, 30, 23, 59) }).reserve(apiKey, '0.9');
    const { reserve } = startReserving({ atMs: Date.UTC(2026, 11, 1, 1) });

    const refused = await reserve(apiKey, '1.5');
    const admitted = await reserve(apiKey, '1');

    expect(refused.error?.code).toBe('insufficient_quota');
    expect(admitted.error).toBeNull();
    const item = await findItem(apiKey, apiKey.id);
    expect([roomOf(item, '2026-11'), roomOf(item, '2026-12')]).toEqual(['1', '0']);
  });
});

describe('A counter that cannot be written', () => {
  it.each([
    ['is missing', (apiKey: ApiKey) => ({ ...apiKey, organization_id: 'org_unknown' })],
    [
      'was replaced',
      (apiKey: ApiKey) => ({ ...apiKey, key_budget: { id: 'other', shards: 1, allows_unpriced: false } }),
    ],
  ])('refuses the request if it %s', async (_, change) => {
    const apiKey = change(await createKey({ key: { month: '1' } }));
    const { reserve, failures } = startReserving();

    const { reservation, error } = await reserve(apiKey, '0.1');

    expect(reservation).toBeNull();
    expect({ status: error?.status, code: error?.code, headers: error?.headers }).toEqual({
      ...{ status: 503, code: 'service_unavailable', headers: { 'retry-after': '1' } },
    });
    expect(failures).toMatchObject([
      {
        name: 'CounterMissingError',
        message: `The counter ${apiKey.organization_id}/${apiKey.id} of a budget is missing or was replaced`,
      },
    ]);
  });

  it('refuses the request if the table is throttled, and takes back what the other counter holds', async () => {
    const apiKey = await createKey({ organization: [{ month: '1' }], key: { month: '1' } });
    const calls = tableCallsAt(database.endpoint);
    const throttled = new Error('Throttled');
    const { reserve, failures } = startReserving({
      update: (tableName, key, options) =>
        String(key.counter_key).endsWith(apiKey.id)
          ? Promise.reject(throttled)
          : calls.update(tableName, key, options),
    });

    const { error } = await reserve(apiKey, '0.5');

    expect(error?.status).toBe(503);
    expect(failures).toEqual([throttled]);
    expect(roomOf(await findItem(apiKey, null), '2026-11')).toBe('1');
  });
});
