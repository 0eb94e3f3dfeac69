import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestKey } from '#lambdas/access/directory.ts';
import { remainingOf, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { startFaultProxy } from '#test/faults/support/fault-proxy.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { type ReservationFixture, receivedAtMs, startReservationFixture } from './reservation-fixture.ts';

let fixture: ReservationFixture;
beforeAll(async () => {
  fixture = await startReservationFixture();
});
afterAll(() => fixture.stop());

describe('A request with hard budgets', () => {
  it('reserves from each counter with one write', async () => {
    const apiKey = await fixture.createKey({
      organization: [{ month: '10' }],
      key: { day: '4', month: '8' },
    });
    const { reserve, writes } = fixture.startReserving();

    const { reservation, error } = await reserve(apiKey, '3.5');

    expect(error).toBeNull();
    expect(reservation).toEqual({
      usd: '3.5',
      counters: [`organization/${apiKey.organization_budget?.id}/0`, `key/${apiKey.key_budget?.id}/0`],
    });
    expect(writes).toEqual([`${apiKey.organization_id}/0`, `${apiKey.organization_id}/${apiKey.id}`]);
    const organization = await fixture.findItem(apiKey, null);
    const key = await fixture.findItem(apiKey, apiKey.id);
    expect([remainingOf(organization, '2026-11'), reservedUsd(organization, receivedAtMs)]).toEqual([
      '6.5',
      '3.5',
    ]);
    expect([
      remainingOf(key, '2026-11'),
      remainingOf(key, '2026-11-23'),
      reservedUsd(key, receivedAtMs),
    ]).toEqual(['4.5', '0.5', '3.5']);
  });

  it('takes the reservation back from one counter when the other refuses', async () => {
    const apiKey = await fixture.createKey({
      organization: [{ month: '10' }],
      key: { day: '3', month: '2' },
    });
    const { reserve } = fixture.startReserving();

    const { reservation, refusal, error } = await reserve(apiKey, '2.5');

    expect(reservation).toEqual({ usd: null, counters: [`key/${apiKey.key_budget?.id}/2026-11`] });
    expect(refusal).toEqual({
      by: 'budget',
      owner: 'api_key',
      api_key_id: apiKey.id,
      period: 'month',
      limit_usd: '2',
      needed_usd: '2.5',
      left_usd: '2',
      resets_at: '2026-12-01T00:00:00.000Z',
      reserved_by_others: false,
    });
    expect(error?.toBody()).toEqual({
      error: {
        message:
          'The monthly budget of the API key (2 USD) has too little left for this request, which may cost up to 2.5 USD. It starts anew at 2026-12-01T00:00:00.000Z; a lower limit of output tokens reserves less.',
        type: 'rate_limit_error',
        param: null,
        code: 'insufficient_quota',
      },
    });
    expect(error?.headers).toEqual({
      'retry-after': String((7 * 24 + 12) * 3600 - 4 * 60),
      'x-should-retry': 'false',
    });
    const organization = await fixture.findItem(apiKey, null);
    expect([remainingOf(organization, '2026-11'), reservedUsd(organization, receivedAtMs)]).toEqual([
      '10',
      '0',
    ]);
  });

  it.each([
    { day: '1', month: '2', refusing: '2026-11-23' },
    { day: '3', month: '1', refusing: '2026-11' },
    { day: '1', month: '1', refusing: '2026-11' },
  ])('is refused by the exhausted period that ends last: $refusing', async ({ day, month, refusing }) => {
    const apiKey = await fixture.createKey({ key: { day, month } });
    const { reserve, writes } = fixture.startReserving();

    const { reservation } = await reserve(apiKey, '2');

    expect(reservation?.counters).toEqual([`key/${apiKey.key_budget?.id}/${refusing}`]);
    expect(writes).toHaveLength(1);
    const counter = await fixture.findItem(apiKey, apiKey.id);
    expect([remainingOf(counter, '2026-11-23'), remainingOf(counter, '2026-11')]).toEqual([day, month]);
  });

  it('has to wait for the end of the later period when both counters refuse', async () => {
    const apiKey = await fixture.createKey({ organization: [{ day: '1' }], key: { month: '2' } });

    const { reservation, refusal, error } = await fixture.startReserving().reserve(apiKey, '2.5');

    const { organization_budget, key_budget } = apiKey;
    expect(refusal).toMatchObject({ owner: 'api_key', period: 'month' });
    expect(reservation).toMatchObject({
      usd: null,
      counters: [`key/${key_budget?.id}/2026-11`, `organization/${organization_budget?.id}/2026-11-23`],
    });
    expect(error?.message).toBe(
      'The monthly budget of the API key (2 USD) has too little left for this request, which may cost up to 2.5 USD. It starts anew at 2026-12-01T00:00:00.000Z; a lower limit of output tokens reserves less.',
    );
    expect(error?.headers?.['retry-after']).toBe(String((7 * 24 + 12) * 3600 - 4 * 60));
  });

  it('admits exactly as many concurrent requests as the budget has left for', async () => {
    const apiKey = await fixture.createKey({ organization: [{ day: '1' }], key: { month: '100' } });
    const { reserve } = fixture.startReserving();

    const results = await Promise.all(Array.from({ length: 50 }, () => reserve(apiKey, '0.0625')));

    expect(results.filter(({ error }) => error === null)).toHaveLength(16);
    expect(reservedUsd(await fixture.findItem(apiKey, apiKey.id), receivedAtMs)).toBe('1');
  });

  it('is refused with what was left at that moment, also if only reservations of others are in its way', async () => {
    const apiKey = await fixture.createKey({ organization: [{ day: '1' }] });
    const { reserve } = fixture.startReserving();
    const facts = {
      by: 'budget',
      owner: 'organization',
      api_key_id: null,
      period: 'day',
      limit_usd: '1',
      resets_at: '2026-11-24T00:00:00.000Z',
    };

    const tooDear = await reserve(apiKey, '1.25');
    await reserve(apiKey, '0.75');
    const reservedByOthers = await reserve(apiKey, '0.5');

    expect(tooDear.refusal).toEqual({
      ...facts,
      needed_usd: '1.25',
      left_usd: '1',
      reserved_by_others: false,
    });
    expect(reservedByOthers.refusal).toEqual({
      ...facts,
      needed_usd: '0.5',
      left_usd: '0.25',
      reserved_by_others: true,
    });
  });

  it('is refused with what all items of the counter have left together', async () => {
    const apiKey = await fixture.createKey({
      organization: [{ month: '1' }, { month: '2', day: '3' }, { month: '5', day: '1' }, { month: '0.5' }],
    });

    const { refusal } = await fixture.startReserving().reserve(apiKey, '9');

    expect(refusal).toMatchObject({ period: 'month', needed_usd: '9', left_usd: '8.5' });
  });

  it('is refused with the limit of its items until the counter has the amount of the budget', async () => {
    const apiKey = await fixture.createKey({ key: { month: '2' } });
    await fixture.removeAmounts(apiKey);

    const { refusal } = await fixture.startReserving().reserve(apiKey, '3');

    expect(refusal).toMatchObject({ limit_usd: '2', left_usd: '2' });
  });

  it('tries the other items of an organization once, and then takes what it needs from several', async () => {
    const apiKey = await fixture.createKey({
      organization: [{ month: '1' }, { month: '5' }, { month: '2' }],
    });
    const { reserve, writes } = fixture.startReserving();

    const third = await reserve(apiKey, '2', 17);
    const second = await reserve(apiKey, '2', 16);
    const several = await reserve(apiKey, '3.5', 8);
    const none = await reserve(apiKey, '0.75', 8);

    const { id } = apiKey.organization_budget ?? expect.fail();
    expect(third.reservation?.counters).toEqual([`organization/${id}/2`]);
    expect(second.reservation?.counters).toEqual([`organization/${id}/1`]);
    expect(several.reservation).toEqual({ usd: '3.5', counters: [`organization/${id}/1`] });
    expect(none.error?.code).toBe('insufficient_quota');
    expect(none.refusal).toMatchObject({ left_usd: '0.5', reserved_by_others: true });
    const shards = writes.map((key) => Number(key.split('/').at(-1)));
    expect(shards).toEqual([2, 2, 0, 1, 1, 2, 0, 1, 2, 0]);
    const items = await Promise.all([0, 1, 2].map((shard) => fixture.findItem(apiKey, null, shard)));
    expect(items.map((item) => remainingOf(item, '2026-11'))).toEqual(['0.5', '0', '0']);
    expect(items.map((item) => reservedUsd(item, receivedAtMs))).toEqual(['0', '5.5', '2']);
  });
});

describe('A counter that cannot be written', () => {
  it.each([
    ['is missing', (apiKey: RequestKey) => ({ ...apiKey, organization_id: 'org_unknown' })],
    [
      'was replaced',
      (apiKey: RequestKey) => ({ ...apiKey, key_budget: { id: 'other', shards: 1, allows_unpriced: false } }),
    ],
  ])('refuses the request if it %s', async (_, change) => {
    const apiKey = change(await fixture.createKey({ key: { month: '1' } }));
    const { reserve, failures } = fixture.startReserving();

    const { reservation, error } = await reserve(apiKey, '0.1');

    expect(reservation).toBeNull();
    expect({ status: error?.status, code: error?.code, headers: error?.headers }).toEqual({
      status: 503,
      code: 'service_unavailable',
      headers: { 'retry-after': '1' },
    });
    expect(failures).toMatchObject([
      {
        name: 'CounterMissingError',
        message: `The counter ${apiKey.organization_id}/${apiKey.id} of a budget is missing or was replaced`,
      },
    ]);
  });

  it('refuses the request if the table is throttled, and releases what the other counter holds', async () => {
    const apiKey = await fixture.createKey({ organization: [{ month: '1' }], key: { month: '1' } });
    const calls = tableCallsAt(fixture.endpoint);
    const throttled = new Error('Throttled');
    const { reserve, failures } = fixture.startReserving({
      update: (tableName, key, options) =>
        String(key.counter_key).endsWith(apiKey.id)
          ? Promise.reject(throttled)
          : calls.update(tableName, key, options),
    });

    const { error } = await reserve(apiKey, '0.5');

    expect(error?.status).toBe(503);
    expect(failures).toEqual([throttled]);
    expect(remainingOf(await fixture.findItem(apiKey, null), '2026-11')).toBe('1');
  });

  it('takes a reservation back once although the response is lost', async () => {
    const apiKey = await fixture.createKey({ organization: [{ month: '10' }], key: { month: '2' } });
    // Another request has reserved in the same ten minutes.
    await fixture.startReserving().reserve({ ...apiKey, key_budget: undefined }, '3');
    const proxy = await startFaultProxy(() => fixture.endpoint, Math.random);
    const calls = tableCallsAt(proxy.endpoint);
    const { reserve, failures } = fixture.startReserving({
      async update(tableName, key, options) {
        if (options.retries === 'throttled') await proxy.setFault({ kind: 'response_lost' });
        return calls.update(tableName, key, options);
      },
    });

    const { error } = await reserve(apiKey, '2.5');
    await proxy.stop();

    expect(error?.code).toBe('insufficient_quota');
    expect(failures).toMatchObject([{ name: 'ECONNRESET', call: 'dynamodb.UpdateItem' }]);
    const organization = await fixture.findItem(apiKey, null);
    expect([remainingOf(organization, '2026-11'), reservedUsd(organization, receivedAtMs)]).toEqual([
      '7',
      '3',
    ]);
  });
});
