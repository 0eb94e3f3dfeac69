import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receivedAtMs } from '../reservation-fixture.ts';
import { startRateLimitsFixture } from './fixture.ts';

let fixture: Awaited<ReturnType<typeof startRateLimitsFixture>>;
beforeAll(async () => {
  fixture = await startRateLimitsFixture();
});
afterAll(() => fixture.stop());

describe('A refusal', () => {
  it('is repeated without a write for a second, with the time that is left', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { requests_per_minute: 1 } });
    const { sendAt } = fixture.startEnvironment();
    await sendAt(0, apiKey);

    const results = [];
    for (const ms of [0, 1, 999, 1000, 1001]) {
      const { writes, refusal, rates } = await sendAt(ms, apiKey);
      results.push({ ms, writes, retryMs: refusal?.by === 'rate_limit' && refusal.retry_after_ms, rates });
    }

    const rates = (resetMs: number) => ({ requests: { limit: 1, remaining: 0, resetMs }, tokens: null });
    expect(results).toEqual([
      { ms: 0, writes: 1, retryMs: 60_000, rates: rates(60_000) },
      { ms: 1, writes: 0, retryMs: 59_999, rates: rates(59_999) },
      { ms: 999, writes: 0, retryMs: 59_001, rates: rates(59_001) },
      { ms: 1000, writes: 1, retryMs: 59_000, rates: rates(59_000) },
      { ms: 1001, writes: 0, retryMs: 58_999, rates: rates(58_999) },
    ]);
  });

  it('is repeated no longer than until there is enough', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { tokens_per_minute: 1000 } });
    const { sendAt } = fixture.startEnvironment();
    await sendAt(0, apiKey, { tokens: 1000 });

    expect((await sendAt(0, apiKey, { tokens: 5 })).refusal).toMatchObject({ retry_after_ms: 300 });
    expect((await sendAt(299, apiKey, { tokens: 5 })).writes).toBe(0);
    expect(await sendAt(300, apiKey, { tokens: 5 })).toMatchObject({ writes: 1, error: null });
  });

  it('is repeated for 100 ms if the place of another request is missing', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { concurrent: 1 } });
    const { sendAt } = fixture.startEnvironment();
    const { lease } = await sendAt(0, apiKey);
    await sendAt(0, apiKey);
    await lease?.end({ costUsd: '0', tokens: 0 });

    expect(await sendAt(99, apiKey)).toMatchObject({ writes: 0, refusal: { limit: 'concurrent' } });
    expect(await sendAt(100, apiKey)).toMatchObject({ writes: 1, error: null });
  });

  it('is not repeated for a request that may take fewer tokens', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { tokens_per_minute: 1000 } });
    const { sendAt } = fixture.startEnvironment();
    await sendAt(0, apiKey, { tokens: 900 });
    await sendAt(0, apiKey, { tokens: 200 });

    expect(await sendAt(0, apiKey, { tokens: 300 })).toMatchObject({
      writes: 0,
      refusal: { owner: 'api_key' },
    });
    expect(await sendAt(0, apiKey, { tokens: 100 })).toMatchObject({ writes: 1, error: null });
  });

  it('of an organization is that of all its keys, and of a key its own', async () => {
    const limits = { key: { requests_per_minute: 1 }, organization: { requests_per_minute: 2 } };
    const first = await fixture.createLimitedKey(limits);
    const [second, third] = [
      { ...first, id: 'key_2' },
      { ...first, id: 'key_3' },
    ];
    const { sendAt } = fixture.startEnvironment();
    await sendAt(0, first);

    expect(await sendAt(0, first)).toMatchObject({ refusal: { owner: 'api_key' } });
    expect(await sendAt(0, second)).toMatchObject({ error: null });
    expect(await sendAt(0, third)).toMatchObject({ refusal: { owner: 'organization' } });
    expect(await sendAt(0, third)).toMatchObject({ writes: 0, refusal: { owner: 'organization' } });
    // The key itself has admitted the request, and gets it back.
    expect((await fixture.findAttributes(third, 'key_3')).requests_full_us).toBe(`${receivedAtMs}000`);
  });

  it('of one environment is not known to others', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { requests_per_minute: 1 } });
    const [one, other] = [fixture.startEnvironment(), fixture.startEnvironment()];
    await one.sendAt(0, apiKey);
    await one.sendAt(0, apiKey);

    expect((await one.sendAt(0, apiKey)).writes).toBe(0);
    expect((await other.sendAt(0, apiKey)).writes).toBe(1);
  });
});

describe('Limits that change while requests run', () => {
  it('apply to the next request, also after a refusal', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { requests_per_minute: 1, concurrent: 1 } });
    const { sendAt } = fixture.startEnvironment();
    await sendAt(0, apiKey);
    expect((await sendAt(0, apiKey)).refusal).toMatchObject({ limit: 'requests_per_minute', limit_value: 1 });

    const raised = { ...apiKey, key_rate_limits: { requests_per_minute: 4, concurrent: 1 } };
    expect((await sendAt(0, raised)).refusal).toMatchObject({ limit: 'requests_per_minute', limit_value: 4 });
    // A bucket keeps the time in which it refills.
    expect((await sendAt(15_000, raised)).refusal).toMatchObject({ limit: 'concurrent', limit_value: 1 });
    const wider = { ...apiKey, key_rate_limits: { requests_per_minute: 4, concurrent: 2 } };
    expect((await sendAt(15_000, wider)).error).toBeNull();
    const withoutRate = { ...apiKey, key_rate_limits: { concurrent: 3 } };
    expect((await sendAt(15_000, withoutRate)).error).toBeNull();
    const { writes, error } = await sendAt(15_000, { ...apiKey, key_rate_limits: undefined });
    expect([writes, error]).toEqual([0, null]);
  });

  it('leave to requests in progress what they have, which they return by the limits at their admission', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { tokens_per_minute: 1000, concurrent: 2 } });
    const { sendAt } = fixture.startEnvironment();
    const { lease } = await sendAt(0, apiKey, { tokens: 500 });
    const other = await sendAt(0, apiKey, { tokens: 500 });
    const lowered = { ...apiKey, key_rate_limits: { tokens_per_minute: 100, concurrent: 1 } };

    await lease?.end({ costUsd: '0', tokens: 0 });
    const { rates, refusal } = await sendAt(0, lowered, { tokens: 50 });

    expect(refusal).toMatchObject({ limit: 'concurrent', limit_value: 1 });
    expect(rates.tokens).toEqual({ limit: 100, remaining: 50, resetMs: 30_000 });
    await other.lease?.end({ costUsd: '0', tokens: 500 });
    expect((await sendAt(100, lowered, { tokens: 50 })).error).toBeNull();
  });
});
