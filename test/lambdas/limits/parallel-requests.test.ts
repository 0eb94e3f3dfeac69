/** Parallel requests of several environments to the same counters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestKey } from '#lambdas/access/directory.ts';
import type { AdmissionResult } from '#lambdas/limits/admission.ts';
import { remainingOf, reservedUsd } from '#lambdas/limits/counters/counter.ts';
import { activeTotal } from '#lambdas/limits/rates/item-rates.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createJsonTableUpdates } from '#lambdas/platform/dynamodb/json-updates.ts';
import {
  addUsd,
  fromUnits,
  isNegative,
  minUsd,
  splitUsd,
  subtractUsd,
  toUnits,
  type Usd,
} from '#lambdas/platform/money.ts';
import { dynamoDbWithoutTimeouts } from '#test/support/aws/service-without-timeouts.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { type ReservationFixture, receivedAtMs, startReservationFixture } from './reservation-fixture.ts';

const month = '2026-11';
const environments = 5;
const parallel = 150;
const numRuns = byTestForm({ short: 2, long: 100 });

let fixture: ReservationFixture;
beforeAll(async () => {
  fixture = await startReservationFixture();
});
afterAll(() => fixture.stop());

interface Request {
  apiKey: RequestKey;
  usd: Usd;
  /** `null` for a request that does not end. */
  costUsd: Usd | null;
}

/** Sends all at once, through several environments. Each ends as soon as it is admitted. */
async function sendAll(requests: readonly Request[]): Promise<AdmissionResult[]> {
  const dynamodb = dynamoDbWithoutTimeouts(fixture.endpoint);
  const calls = { ...createJsonTableCalls(dynamodb), ...createJsonTableUpdates(dynamodb) };
  const starting = Array.from({ length: environments }, () => fixture.startReserving({ calls }));
  const results = await Promise.all(
    requests.map(async ({ apiKey, usd, costUsd }, index) => {
      const environment = starting[index % environments] ?? expect.fail();
      // The two items of the organization's counter take turns.
      const result = await environment.reserve(apiKey, usd, index % 2 === 0 ? 0 : 8);
      if (costUsd !== null) await result.lease?.end({ costUsd, tokens: 0 });
      return result;
    }),
  );
  expect(starting.flatMap(({ failures }) => failures)).toEqual([]);
  return results;
}

const sum = (amounts: readonly Usd[]) => amounts.reduce(addUsd, '0');

async function stateOf(apiKey: RequestKey, items: number) {
  const organization = await Promise.all(
    Array.from({ length: items }, (_, shard) => fixture.findItem(apiKey, null, shard)),
  );
  return [organization, [await fixture.findItem(apiKey, apiKey.id)]].map((counter) => ({
    remaining: counter.map((item) => remainingOf(item, month)),
    reserved: sum(counter.map((item) => reservedUsd(item, receivedAtMs))),
  }));
}

const cents = (value: number) => fromUnits(BigInt(value) * 10n ** 10n);
const sentRequests = fc.array(
  fc.record({
    ofLimitedKey: fc.boolean(),
    estimateCents: fc.integer({ min: 20, max: 300 }),
    /** The cost, in percent of the estimate. */
    share: fc.nat({ max: 100 }),
  }),
  { minLength: parallel, maxLength: parallel },
);

describe.each([{ limits: ['50'] }, { limits: ['27.31', '22.69'] }])(
  '150 parallel requests to an organization with limits of $limits USD and its key',
  ({ limits }) => {
    it('never exceed the limits, and leave the rest to the next request', async () => {
      await fc.assert(
        fc.asyncProperty(sentRequests, async (sent) => {
          const organization = limits.map((limit) => ({ month: limit }));
          const limitedKey = await fixture.createKey({ organization, key: { month: '20' } });
          const { key_budget: _, ...otherKey } = { ...limitedKey, id: 'key_other' };
          const requests = sent.map(({ ofLimitedKey, estimateCents, share }) => ({
            apiKey: ofLimitedKey ? limitedKey : otherKey,
            usd: cents(estimateCents),
            costUsd: cents(Math.floor((estimateCents * share) / 100)),
          }));

          const results = await sendAll(requests);

          const admitted = requests.filter((_, index) => results[index]?.error === null);
          const costs = (all: Request[]) => sum(all.map(({ costUsd }) => costUsd ?? '0'));
          const expected = [
            { limit: '50', pending: costs(admitted) },
            { limit: '20', pending: costs(admitted.filter(({ apiKey }) => apiKey === limitedKey)) },
          ];
          const state = await stateOf(limitedKey, limits.length);
          expect(state.map(({ reserved }) => reserved)).toEqual(expected.map(({ pending }) => pending));
          const left = expected.map(({ limit, pending }) => subtractUsd(limit, pending));
          expect(state.map(({ remaining }) => sum(remaining))).toEqual(left);
          expect(state.flatMap(({ remaining }) => remaining).filter(isNegative)).toEqual([]);
          const codes = new Set(results.map(({ error }) => error?.code ?? null));
          expect([null, 'insufficient_quota']).toEqual(expect.arrayContaining([...codes]));

          const usd = left.reduce(minUsd);
          const more = addUsd(usd, '0.01');
          const [refused] = await sendAll([{ apiKey: limitedKey, usd: more, costUsd: null }]);
          const [last] = await sendAll([{ apiKey: limitedKey, usd, costUsd: null }]);
          expect([refused?.error?.code, last?.error]).toEqual(['insufficient_quota', null]);
        }),
        { numRuns, endOnFailure: true },
      );
    });

    it('are all admitted if the limits are enough for all', async () => {
      await fc.assert(
        fc.asyncProperty(sentRequests, async (sent) => {
          const estimates = sent.map(({ estimateCents }) => cents(estimateCents));
          const total = sum(estimates);
          const organization = splitUsd(total, limits).map((limit) => ({ month: limit }));
          const apiKey = await fixture.createKey({ organization, key: { month: total } });

          const results = await sendAll(estimates.map((usd) => ({ apiKey, usd, costUsd: null })));

          expect(results.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
          const state = await stateOf(apiKey, limits.length);
          expect(state.flatMap(({ remaining }) => remaining.map(toUnits))).toEqual(
            [...limits, 'key'].map(() => 0n),
          );
        }),
        { numRuns, endOnFailure: true },
      );
    });
  },
);

it('admits exactly 20 of 200 parallel requests of a key that is limited to them, and 20 more when those have ended', async () => {
  const limited = await fixture.createKey({ key: { month: '1000' } });
  const apiKey = { ...limited, key_rate_limits: { concurrent: 20 } };
  const requests = Array.from({ length: 200 }, () => ({ apiKey, usd: '1', costUsd: null }));
  const active = async () => (await fixture.findItem(apiKey, apiKey.id)).attributes[activeTotal];

  for (let wave = 0; wave < 3; wave++) {
    const results = await sendAll(requests);

    const refused = results.filter(({ error }) => error !== null);
    expect(refused).toHaveLength(180);
    expect(
      new Set(refused.map(({ error }) => [error?.code, error?.headers?.['retry-after']].join())),
    ).toEqual(new Set(['rate_limit_exceeded,1']));
    expect(await active()).toBe(20);
    await Promise.all(results.map(({ lease }) => lease?.end({ costUsd: '0.5', tokens: 0 })));
    expect(await active()).toBe(0);
  }
});
