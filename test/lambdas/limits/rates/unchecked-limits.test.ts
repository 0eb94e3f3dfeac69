import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remainingOf } from '#lambdas/limits/counters/counter.ts';
import { counterKey } from '#lambdas/limits/counters/keys.ts';
import type { TableUpdates } from '#lambdas/platform/dynamodb/table.ts';
import { ConditionFailedError } from '#lambdas/platform/dynamodb/table.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import { receivedAtMs } from '../reservation-fixture.ts';
import { startRateLimitsFixture } from './fixture.ts';

let fixture: Awaited<ReturnType<typeof startRateLimitsFixture>>;
beforeAll(async () => {
  fixture = await startRateLimitsFixture();
});
afterAll(() => fixture.stop());

const throttled = new Error('Throttled');

/** Fails the writes of an item, and makes the others. */
function failingFor(isFailing: (itemKey: string) => boolean, error = throttled): TableUpdates['update'] {
  const { update } = tableCallsAt(fixture.endpoint);
  return (tableName, key, options) =>
    isFailing(String(key.counter_key)) ? Promise.reject(error) : update(tableName, key, options);
}

describe('Rate limits whose item cannot be written', () => {
  it('do not apply', async () => {
    const limits = { requests_per_minute: 1, tokens_per_minute: 10, concurrent: 1 };
    const apiKey = await fixture.createLimitedKey({ key: limits });
    const { sendAt, failures, effects } = fixture.startEnvironment({ update: failingFor(() => true) });

    for (let count = 0; count < 3; count += 1) {
      const { error, refusal, lease, rates } = await sendAt(0, apiKey, { tokens: 10 });
      expect([error, refusal, lease]).toEqual([null, null, null]);
      expect(rates).toEqual({ requests: null, tokens: null });
    }
    expect(failures).toEqual([throttled, throttled, throttled]);
    expect(effects).toEqual(['not limited', 'not limited', 'not limited']);
  });

  it('do not apply while the table cannot be reached', async () => {
    const apiKey = await fixture.createLimitedKey({ organization: { concurrent: 1 } });
    const { update } = tableCallsAt(await unreachableEndpoint());
    const { sendAt, failures, effects } = fixture.startEnvironment({ update });

    expect((await sendAt(0, apiKey)).error).toBeNull();

    expect(failures).toMatchObject([{ name: 'ECONNREFUSED' }]);
    expect(effects).toEqual(['not limited']);
  });

  it('do not apply after six attempts in which others have changed the item', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { requests_per_minute: 10 } });
    // Each write finds the bucket to be of the other form.
    const { sendAt, failures, effects } = fixture.startEnvironment({
      update(_table, _key, { condition: { ConditionExpression } }) {
        const isFull = ConditionExpression.includes('<= :now');
        const fullAtUs = isFull ? receivedAtMs * 1000 + 1 : 0;
        return Promise.reject(new ConditionFailedError({ requests_full_us: fullAtUs }));
      },
    });

    expect(await sendAt(0, apiKey)).toMatchObject({ error: null, writes: 6 });
    expect(failures).toMatchObject([{ name: 'ContentionError' }]);
    expect(effects).toEqual(['not limited']);
  });

  it.each([
    { hardBudget: 'none', usd: '0', timeoutMs: 500 },
    { hardBudget: 'one', usd: '1', timeoutMs: 2000 },
  ])('are waited for $timeoutMs ms with hard budgets: $hardBudget', async ({ usd, timeoutMs }) => {
    const budgeted = await fixture.createKey({ key: { month: '10' } });
    const apiKey = { ...budgeted, key_rate_limits: { requests_per_minute: 10 } };
    const timeouts: number[] = [];
    const { update } = tableCallsAt(fixture.endpoint);
    const { sendAt } = fixture.startEnvironment({
      update(tableName, key, options) {
        timeouts.push(options.timeoutMs);
        return update(tableName, key, options);
      },
    });

    await sendAt(0, apiKey, { usd });

    expect(timeouts).toEqual([timeoutMs]);
  });

  it('refuse the request if a hard budget is in the same item', async () => {
    const budgeted = await fixture.createKey({ key: { month: '10' } });
    const apiKey = {
      ...budgeted,
      key_rate_limits: { requests_per_minute: 10 },
      organization_rate_limits: { requests_per_minute: 10, concurrent: 1 },
    };
    const { sendAt, effects } = fixture.startEnvironment({
      update: failingFor((key) => key.endsWith(budgeted.id)),
    });

    const { error, lease, refusal } = await sendAt(0, apiKey, { usd: '1' });

    expect([error?.status, error?.code]).toEqual([503, 'service_unavailable']);
    expect([lease, refusal, effects]).toEqual([null, null, ['refused']]);
    // The organization has admitted the request, and gets it back.
    const ofOrganization = await fixture.findAttributes(apiKey, null);
    expect(ofOrganization).toMatchObject({ active: 0 });
    expect((await sendAt(0, { ...apiKey, key_budget: undefined })).rates.requests).toMatchObject({
      remaining: 9,
    });
  });

  it('do not keep the others from applying', async () => {
    const apiKey = {
      ...(await fixture.createKey({ organization: [{ month: '10' }] })),
      organization_rate_limits: { concurrent: 1 },
      key_rate_limits: { requests_per_minute: 5 },
    };
    const { sendAt, effects } = fixture.startEnvironment({
      update: failingFor((key) => key.endsWith(apiKey.id)),
    });

    const { reservation, error } = await sendAt(0, apiKey, { usd: '4' });
    const second = await sendAt(0, apiKey, { usd: '4' });

    expect([error, reservation?.usd]).toEqual([null, '4']);
    expect(remainingOf(await fixture.findItem(apiKey, null), '2026-11')).toBe('6');
    expect(second.refusal).toMatchObject({ owner: 'organization', limit: 'concurrent' });
    expect(effects).toEqual(['not limited', 'not limited']);
  });
});

describe('The end of a request that cannot be written', () => {
  it('leaves its place to its lease', async () => {
    const apiKey = await fixture.createLimitedKey({ key: { concurrent: 1 } });
    let isFailing = false;
    const update = failingFor(() => isFailing);
    const { sendAt, setTime, effects } = fixture.startEnvironment({ update });
    const { lease } = await sendAt(0, apiKey);
    isFailing = true;
    setTime(30_000);
    await lease?.renew();
    await lease?.end({ costUsd: '0', tokens: 0 });
    isFailing = false;

    expect(effects).toEqual(['not renewed', 'not ended']);
    expect((await sendAt(59_999, apiKey)).refusal).toMatchObject({ limit: 'concurrent' });
    expect((await sendAt(90_000, apiKey)).error).toBeNull();
  });
});

it('Rate limits apply to a free request on an item whose counter was replaced', async () => {
  const budgeted = await fixture.createKey({ key: { month: '10' } });
  const ref = { id: 'other', shards: 1, allows_unpriced: false };
  const apiKey = { ...budgeted, key_budget: ref, key_rate_limits: { requests_per_minute: 1 } };
  const { sendAt, failures } = fixture.startEnvironment();

  expect((await sendAt(0, apiKey, { usd: '1' })).error?.code).toBe('service_unavailable');
  expect((await sendAt(0, apiKey)).error).toBeNull();
  expect((await sendAt(0, apiKey)).refusal).toMatchObject({ limit: 'requests_per_minute' });
  const item = counterKey({ organizationId: apiKey.organization_id, keyId: apiKey.id });
  expect(failures).toMatchObject([
    { name: 'CounterMissingError', message: `The counter ${item} of a budget is missing or was replaced` },
  ]);
});
