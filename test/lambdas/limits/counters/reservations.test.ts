import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remainingOf, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { type ReservationFixture, receivedAtMs, startReservationFixture } from '../reservation-fixture.ts';

const minuteMs = 60_000;

let fixture: ReservationFixture;
beforeAll(async () => {
  fixture = await startReservationFixture();
});
afterAll(() => fixture.stop());

describe('The reservation of a killed function', () => {
  it('is released for a request that would be refused, 20 minutes after its slot', async () => {
    const apiKey = await fixture.createKey({ key: { day: '1', month: '1' } });
    await fixture.startReserving().reserve(apiKey, '0.8');
    const slotEndMs = Date.UTC(2026, 10, 23, 12, 10);

    const before = await fixture
      .startReserving({ atMs: slotEndMs + 20 * minuteMs - 1 })
      .reserve(apiKey, '0.5');
    const fits = await fixture.startReserving({ atMs: slotEndMs + 20 * minuteMs }).reserve(apiKey, '0.2');
    const unreleased = reservedUsd(await fixture.findItem(apiKey, apiKey.id));
    const after = await fixture.startReserving({ atMs: slotEndMs + 20 * minuteMs }).reserve(apiKey, '0.5');

    expect(before.error?.code).toBe('insufficient_quota');
    expect(fits.error).toBeNull();
    expect(unreleased).toBe('1');
    expect(after.error).toBeNull();
    const item = await fixture.findItem(apiKey, apiKey.id);
    expect([remainingOf(item, '2026-11-23'), remainingOf(item, '2026-11'), reservedUsd(item)]).toEqual([
      '0.3',
      '0.3',
      '0.7',
    ]);
  });

  it('is released once, by any number of concurrent requests', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    await fixture.startReserving().reserve(apiKey, '0.9');
    const { reserve } = fixture.startReserving({ atMs: receivedAtMs + 40 * minuteMs });

    const results = await Promise.all(Array.from({ length: 20 }, () => reserve(apiKey, '0.25')));

    expect(results.filter(({ error }) => error === null)).toHaveLength(4);
    expect(remainingOf(await fixture.findItem(apiKey, apiKey.id), '2026-11')).toBe('0');
  });

  it('is not released for a request while another item of the counter is negative', async () => {
    const apiKey = await fixture.createKey({ organization: [{ month: '-1' }, { month: '3' }] });
    await fixture.startReserving().reserve(apiKey, '2.5', 8);
    const { reserve, writes } = fixture.startReserving({ atMs: receivedAtMs + 40 * minuteMs });

    const { error } = await reserve(apiKey, '2', 8);

    expect(error?.code).toBe('insufficient_quota');
    const items = await Promise.all([0, 1].map((shard) => fixture.findItem(apiKey, null, shard)));
    expect(items.map((item) => [remainingOf(item, '2026-11'), reservedUsd(item)])).toEqual([
      ['-1', '0'],
      ['0.5', '2.5'],
    ]);
    expect(writes).toEqual([1, 0].map((shard) => `${apiKey.organization_id}/${shard}`));
  });

  it('is released for a request that exceeds every item', async () => {
    const apiKey = await fixture.createKey({ organization: [{ month: '3' }, { month: '3' }] });
    await fixture.startReserving().reserve(apiKey, '2.5', 0);
    await fixture.startReserving().reserve(apiKey, '2', 8);
    const { reserve } = fixture.startReserving({ atMs: receivedAtMs + 40 * minuteMs });

    const { reservation } = await reserve(apiKey, '3', 8);

    expect(reservation?.counters).toEqual([`organization/${apiKey.organization_budget?.id}/1`]);
    const items = await Promise.all([0, 1].map((shard) => fixture.findItem(apiKey, null, shard)));
    expect(items.map((item) => [remainingOf(item, '2026-11'), reservedUsd(item)])).toEqual([
      ['0.5', '2.5'],
      ['0', '3'],
    ]);
  });

  it('is released in parts if there are many', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    const startMs = Date.UTC(2026, 10, 2);
    for (let slot = 0; slot < 200; slot++) {
      await fixture.startReserving({ atMs: startMs + slot * 10 * minuteMs }).reserve(apiKey, '0.005');
    }

    const { error } = await fixture.startReserving().reserve(apiKey, '0.75');

    expect(error).toBeNull();
    expect(remainingOf(await fixture.findItem(apiKey, apiKey.id), '2026-11')).toBe('0.05');
  });

  it('of an earlier month returns nothing to the current one', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    await fixture.startReserving({ atMs: Date.UTC(2026, 10, 30, 23, 59) }).reserve(apiKey, '0.9');
    const { reserve } = fixture.startReserving({ atMs: Date.UTC(2026, 11, 1, 1) });

    const refused = await reserve(apiKey, '1.5');
    const admitted = await reserve(apiKey, '1');

    expect(refused.error?.code).toBe('insufficient_quota');
    expect(admitted.error).toBeNull();
    const item = await fixture.findItem(apiKey, apiKey.id);
    expect([remainingOf(item, '2026-11'), remainingOf(item, '2026-12')]).toEqual(['1', '0']);
  });
});
