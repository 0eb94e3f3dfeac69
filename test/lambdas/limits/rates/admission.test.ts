import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remainingOf } from '#lambdas/limits/counters/counter.ts';
import { receivedAtMs } from '../reservation-fixture.ts';
import { startRateLimitsFixture } from './fixture.ts';

let fixture: Awaited<ReturnType<typeof startRateLimitsFixture>>;
beforeAll(async () => {
  fixture = await startRateLimitsFixture();
});
afterAll(() => fixture.stop());

/** As it is stored, some milliseconds after the start. Times have more digits than are read as numbers. */
function fullAt(ms: number): string {
  return `${receivedAtMs + ms}000`;
}

describe('A request with rate limits', () => {
  it('takes one write before its provider, and two at most after other environments have used the bucket', async () => {
    const apiKey = await fixture.createLimitedKey({
      key: { requests_per_minute: 60, tokens_per_minute: 1000 },
    });
    const [one, other] = [fixture.startEnvironment(), fixture.startEnvironment()];
    const writesAt = async ({ sendAt }: typeof one, times: readonly number[]) => {
      const counts: number[] = [];
      for (const ms of times) counts.push((await sendAt(ms, apiKey, { tokens: 20 })).writes);
      return counts;
    };

    expect(await writesAt(one, [0, 5000, 10_000, 15_000])).toEqual([1, 1, 1, 1]);
    expect(await writesAt(one, [15_100, 15_200, 15_300, 15_400])).toEqual([1, 1, 1, 1]);
    expect(await writesAt(one, [60_000, 60_100, 60_200])).toEqual([1, 1, 1]);
    expect(await writesAt(other, [60_300, 60_400, 60_500])).toEqual([2, 1, 1]);
    expect(await writesAt(one, [60_600, 60_700])).toEqual([1, 1]);
    // A bucket that has become full in the meantime.
    expect(await writesAt(other, [90_000])).toEqual([2]);
    expect(await writesAt(other, [120_000, 150_000])).toEqual([1, 1]);
  });

  it('takes no write without limits', async () => {
    const { sendAt } = fixture.startEnvironment();

    const result = await sendAt(0, await fixture.createLimitedKey({}), { tokens: 10 });

    expect(result).toEqual({
      reservation: null,
      lease: null,
      rates: { requests: null, tokens: null },
      refusal: null,
      error: null,
      writes: 0,
    });
  });

  it('takes one write for each owner, on the item of its hard budget if it has one', async () => {
    const apiKey = {
      ...(await fixture.createKey({ key: { month: '10' } })),
      key_rate_limits: { requests_per_minute: 6, concurrent: 2 },
      organization_rate_limits: { concurrent: 3 },
    };
    const { sendAt } = fixture.startEnvironment();

    const { writes, lease, error } = await sendAt(0, apiKey, { usd: '3' });

    expect({ writes, error }).toEqual({ writes: 2, error: null });
    const counter = await fixture.findItem(apiKey, apiKey.id);
    expect(counter.attributes).toMatchObject({
      active: 1,
      requests_full_us: fullAt(10_000),
    });
    expect(remainingOf(counter, '2026-11')).toBe('7');
    expect(await fixture.findAttributes(apiKey, null)).toMatchObject({ active: 1 });
    await lease?.end({ costUsd: '1', tokens: 0 });
    const ended = await fixture.findItem(apiKey, apiKey.id);
    expect([ended.attributes.active, remainingOf(ended, '2026-11')]).toEqual([0, '9']);
    expect(await fixture.findAttributes(apiKey, null)).toMatchObject({ active: 0 });
  });

  it('is refused with the limit, its value and the time after which it is admitted', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { requests_per_minute: 7 } });
    const { sendAt } = fixture.startEnvironment();
    for (let count = 0; count < 7; count += 1) expect((await sendAt(0, apiKey)).error).toBeNull();

    const { error, refusal, rates, reservation, lease } = await sendAt(1000, apiKey);

    expect(error?.status).toBe(429);
    expect(error?.toBody()).toEqual({
      error: {
        message: 'The API key has reached its limit of 7 requests per minute: retry in 8 s',
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    });
    expect(error?.headers).toEqual({ 'retry-after': '8' });
    expect(refusal).toEqual({
      by: 'rate_limit',
      owner: 'api_key',
      api_key_id: apiKey.id,
      limit: 'requests_per_minute',
      limit_value: 7,
      retry_after_ms: 7571,
    });
    expect(rates).toEqual({ requests: { limit: 7, remaining: 0, resetMs: 59_001 }, tokens: null });
    expect([reservation, lease]).toEqual([null, null]);
    expect((await sendAt(1000 + 7570, apiKey)).refusal).toMatchObject({ retry_after_ms: 1 });
    expect((await sendAt(1000 + 7571, apiKey)).error).toBeNull();
  });

  it('is refused for the tokens that it may take, and named those of the whole organization', async () => {
    const apiKey = await fixture.createLimitedKey({ organization: { tokens_per_minute: 1000 } });
    const { sendAt } = fixture.startEnvironment();
    await sendAt(0, apiKey, { tokens: 900 });

    const { error, refusal, rates } = await sendAt(0, apiKey, { tokens: 250 });

    expect(error?.message).toBe(
      'The organization has too little left of its limit of 1000 tokens per minute for this request, which may take about 250: retry in 9 s',
    );
    expect(refusal).toMatchObject({
      owner: 'organization',
      api_key_id: null,
      limit: 'tokens_per_minute',
      limit_value: 1000,
      retry_after_ms: 9000,
    });
    expect(rates.tokens).toEqual({ limit: 1000, remaining: 100, resetMs: 54_000 });
    expect((await sendAt(0, apiKey, { tokens: 100 })).error).toBeNull();
  });

  it('is admitted with more tokens than a minute has when the bucket is full', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { tokens_per_minute: 1000 } });
    const { sendAt } = fixture.startEnvironment();

    expect((await sendAt(0, apiKey, { tokens: 5000 })).error).toBeNull();
    expect((await sendAt(0, apiKey, { tokens: 5000 })).refusal).toMatchObject({ retry_after_ms: 60_000 });
    expect((await sendAt(60_000, apiKey, { tokens: 5000 })).error).toBeNull();
  });

  it.each([
    { used: 100, remaining: 900 },
    { used: 400, remaining: 600 },
    { used: 0, remaining: 1000 },
    { used: 2500, remaining: 0 },
  ])('counts with its actual $used tokens from its end on', async ({ used, remaining }) => {
    const apiKey = await fixture.createLimitedKey({ key: { tokens_per_minute: 1000 } });
    const { sendAt } = fixture.startEnvironment();
    const { lease } = await sendAt(0, apiKey, { tokens: 400 });

    await lease?.end({ costUsd: '0', tokens: used });

    const { tokens_full_us } = await fixture.findAttributes(apiKey, apiKey.id);
    expect(tokens_full_us).toBe(fullAt(used * 60));
    const { rates } = await sendAt(0, apiKey, { tokens: 0 });
    expect(rates.tokens?.remaining).toBe(remaining);
  });

  it('has its place until it ends', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { concurrent: 2 } });
    const { sendAt } = fixture.startEnvironment();
    const { lease } = await sendAt(0, apiKey);
    await sendAt(0, apiKey);

    const { error, refusal } = await sendAt(0, apiKey);

    expect(error?.message).toBe(
      'The API key has reached its limit of 2 requests at the same time: retry in 1 s',
    );
    expect(error?.headers).toEqual({ 'retry-after': '1' });
    expect(refusal).toMatchObject({ limit: 'concurrent', limit_value: 2, retry_after_ms: 1000 });
    await lease?.end({ costUsd: '0', tokens: 0 });
    expect((await sendAt(100, apiKey)).error).toBeNull();
    expect((await sendAt(100, apiKey)).refusal).toMatchObject({ limit: 'concurrent' });
  });

  it('returns to one owner what the other has refused', async () => {
    const apiKey = {
      ...(await fixture.createKey({ organization: [{ month: '10' }] })),
      organization_rate_limits: { requests_per_minute: 10, tokens_per_minute: 1000, concurrent: 5 },
      key_rate_limits: { requests_per_minute: 1 },
    };
    const { sendAt } = fixture.startEnvironment();
    const first = await sendAt(0, apiKey, { usd: '2', tokens: 100 });
    const before = await fixture.findItem(apiKey, null);

    const { refusal, reservation, rates } = await sendAt(0, apiKey, { usd: '3', tokens: 300 });

    expect(first.error).toBeNull();
    expect(refusal).toMatchObject({ owner: 'api_key', limit: 'requests_per_minute', limit_value: 1 });
    expect(reservation).toBeNull();
    expect(rates.requests).toEqual({ limit: 1, remaining: 0, resetMs: 60_000 });
    expect((await fixture.findItem(apiKey, null)).attributes).toEqual(before.attributes);
    expect(before.attributes).toMatchObject({
      active: 1,
      requests_full_us: fullAt(6000),
      tokens_full_us: fullAt(6000),
    });
  });

  it('is refused with the limit for which it has to wait longest', async () => {
    const organization = { requests_per_minute: 2, tokens_per_minute: 1000 };
    const apiKey = await fixture.createLimitedKey({ organization, key: { requests_per_minute: 1 } });
    const { sendAt } = fixture.startEnvironment();
    await sendAt(0, apiKey, { tokens: 1000 });
    const { refusal } = await fixture.startEnvironment().sendAt(0, apiKey, { tokens: 500 });
    const ofKey = await fixture.startEnvironment().sendAt(30_000, apiKey, { tokens: 500 });

    expect(refusal).toMatchObject({ owner: 'api_key', retry_after_ms: 60_000 });
    expect(ofKey.refusal).toMatchObject({ owner: 'api_key', retry_after_ms: 30_000 });
  });
});
