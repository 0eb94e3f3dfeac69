import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remainingOf, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { type ReservationFixture, receivedAtMs, startReservationFixture } from '../reservation-fixture.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;

let fixture: ReservationFixture;
beforeAll(async () => {
  fixture = await startReservationFixture();
});
afterAll(() => fixture.stop());

/** An end that costs nothing to correct. */
const tokens = 0;

describe('The lease of a request', () => {
  it('is replaced with the cost by one write at its end', async () => {
    const apiKey = await fixture.createKey({ organization: [{ month: '10' }], key: { day: '4' } });
    const { reserve, writes } = fixture.startReserving();
    const { lease } = await reserve(apiKey, '3.5');

    await lease?.end({ costUsd: '0.4', tokens });

    expect(writes).toHaveLength(4);
    const items = [await fixture.findItem(apiKey, null), await fixture.findItem(apiKey, apiKey.id)];
    expect(items.map((item) => remainingOf(item, '2026-11'))).toEqual(['9.6', '999999999999.6']);
    expect(remainingOf(items[1] ?? expect.fail(), '2026-11-23')).toBe('3.6');
    expect(items.map(({ pending }) => [...pending.values()])).toEqual([['0.4'], ['0.4']]);
    expect(items.map((item) => reservedUsd(item, receivedAtMs))).toEqual(['0.4', '0.4']);
  });

  it('is renewed, each time for at least 60 seconds and at most 90', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    const clock = { nowMs: receivedAtMs + 10 * secondMs };
    const { reserve, writes } = fixture.startReserving({ clock });
    const { lease } = await reserve(apiKey, '0.9');
    const isFreeAt = async (nowMs: number) => {
      const { error, lease: other } = await fixture.startReserving({ atMs: nowMs }).reserve(apiKey, '0.5');
      await other?.cancel();
      return error === null;
    };

    clock.nowMs += 25 * secondMs;
    await lease?.renew();

    expect(writes).toHaveLength(2);
    expect(await isFreeAt(receivedAtMs + 120 * secondMs - 1)).toBe(false);
    expect(await isFreeAt(receivedAtMs + 120 * secondMs)).toBe(true);
  });

  it('is taken again by a request that was taken for dead, and ends as if it had not been released', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    const clock = { nowMs: receivedAtMs };
    const { lease } = await fixture.startReserving({ clock }).reserve(apiKey, '0.9');
    clock.nowMs += 2 * minuteMs;
    const other = await fixture.startReserving({ atMs: clock.nowMs }).reserve(apiKey, '0.5');

    await lease?.renew();

    const state = async () => {
      const item = await fixture.findItem(apiKey, apiKey.id);
      return { remaining: remainingOf(item, '2026-11'), reserved: reservedUsd(item, clock.nowMs) };
    };
    expect(await state()).toEqual({ remaining: '-0.4', reserved: '1.4' });
    await lease?.end({ costUsd: '0.3', tokens });
    expect(await state()).toEqual({ remaining: '0.2', reserved: '0.8' });
    await other.lease?.end({ costUsd: '0', tokens });
    expect(await state()).toEqual({ remaining: '0.7', reserved: '0.3' });
  });

  it('that was released takes only its cost at the end', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    const { lease } = await fixture.startReserving().reserve(apiKey, '0.9');
    const later = { atMs: receivedAtMs + 2 * minuteMs };
    await fixture.startReserving(later).reserve(apiKey, '0.75');

    await lease?.end({ costUsd: '0.4', tokens });

    const item = await fixture.findItem(apiKey, apiKey.id);
    expect(remainingOf(item, '2026-11')).toBe('-0.15');
    expect(reservedUsd(item, later.atMs)).toBe('1.15');
  });
});

describe('The lease of a killed function', () => {
  it('is released for a request that would be refused, once it has expired', async () => {
    const apiKey = await fixture.createKey({ key: { day: '1', month: '1' } });
    await fixture.startReserving().reserve(apiKey, '0.8');
    const expiryMs = receivedAtMs + 60 * secondMs;

    const before = await fixture.startReserving({ atMs: expiryMs - 1 }).reserve(apiKey, '0.5');
    const fits = await fixture.startReserving({ atMs: expiryMs }).reserve(apiKey, '0.2');
    const unreleased = reservedUsd(await fixture.findItem(apiKey, apiKey.id), receivedAtMs);
    const after = await fixture.startReserving({ atMs: expiryMs }).reserve(apiKey, '0.5');

    expect(before.error?.code).toBe('insufficient_quota');
    expect(fits.error).toBeNull();
    expect(unreleased).toBe('1');
    expect(after.error).toBeNull();
    const item = await fixture.findItem(apiKey, apiKey.id);
    expect([
      remainingOf(item, '2026-11-23'),
      remainingOf(item, '2026-11'),
      reservedUsd(item, receivedAtMs),
    ]).toEqual(['0.3', '0.3', '0.7']);
  });

  it('is released once, by any number of concurrent requests', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    await fixture.startReserving().reserve(apiKey, '0.9');
    const { reserve } = fixture.startReserving({ atMs: receivedAtMs + 40 * minuteMs });

    const results = await Promise.all(Array.from({ length: 20 }, () => reserve(apiKey, '0.25')));

    expect(results.filter(({ error }) => error === null)).toHaveLength(4);
    expect(remainingOf(await fixture.findItem(apiKey, apiKey.id), '2026-11')).toBe('0');
  });

  it('is released for a request only as far as no other item of the counter owes it', async () => {
    const apiKey = await fixture.createKey({ organization: [{ month: '-1' }, { month: '3' }] });
    await fixture.startReserving().reserve(apiKey, '2.5', 8);
    const { reserve, writes } = fixture.startReserving({ atMs: receivedAtMs + 40 * minuteMs });

    const refused = await reserve(apiKey, '2.01', 8);
    const admitted = await reserve(apiKey, '2', 8);

    expect(refused.refusal).toMatchObject({ needed_usd: '2.01', reserved_by_others: false });
    expect(admitted.error).toBeNull();
    const items = await Promise.all([0, 1].map((shard) => fixture.findItem(apiKey, null, shard)));
    expect(items.map((item) => [remainingOf(item, '2026-11'), reservedUsd(item, receivedAtMs)])).toEqual([
      ['-1', '0'],
      ['1', '2'],
    ]);
    expect(writes).toEqual([1, 0, 1, 0].map((shard) => `${apiKey.organization_id}/${shard}`));
  });

  it('is released for a request that exceeds every item', async () => {
    const apiKey = await fixture.createKey({ organization: [{ month: '3' }, { month: '3' }] });
    await fixture.startReserving().reserve(apiKey, '2.5', 0);
    await fixture.startReserving().reserve(apiKey, '2', 8);
    const { reserve } = fixture.startReserving({ atMs: receivedAtMs + 40 * minuteMs });

    const { reservation } = await reserve(apiKey, '3', 8);

    expect(reservation?.counters).toEqual([`organization/${apiKey.organization_budget?.id}/1`]);
    const items = await Promise.all([0, 1].map((shard) => fixture.findItem(apiKey, null, shard)));
    expect(items.map((item) => [remainingOf(item, '2026-11'), reservedUsd(item, receivedAtMs)])).toEqual([
      ['3', '0'],
      ['0', '3'],
    ]);
  });

  it('is released with up to 99 others by one write', async () => {
    const apiKey = await fixture.createKey({ key: { month: '1' } });
    const startMs = Date.UTC(2026, 10, 2);
    for (let minute = 0; minute < 200; minute++) {
      await fixture.startReserving({ atMs: startMs + minute * minuteMs }).reserve(apiKey, '0.005');
    }

    const { error } = await fixture.startReserving().reserve(apiKey, '0.5');

    expect(error).toBeNull();
    expect(remainingOf(await fixture.findItem(apiKey, apiKey.id), '2026-11')).toBe('0');
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
    expect([remainingOf(item, '2026-11'), remainingOf(item, '2026-12')]).toEqual(['0.1', '0']);
  });
});
