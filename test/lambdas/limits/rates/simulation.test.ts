import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { startRateLimitsFixture } from './fixture.ts';
import { busiestWindow, levelAt } from './oracle.ts';
import { type SimulatedEvent, simulate } from './simulation.ts';

let fixture: Awaited<ReturnType<typeof startRateLimitsFixture>>;
beforeAll(async () => {
  fixture = await startRateLimitsFixture();
});
afterAll(() => fixture.stop());

const numRuns = byTestForm({ short: 12, long: 1000 });
const minuteUs = 60_000_000;
/** The unit of clocks. */
const clockUnitMs = 1;
const maxLagMs = 1000;
const maxConcurrentRefusalMs = 100;
const maxLeaseMs = 90_000;

const skewMs = fc.integer({ min: -1000, max: 1000 });
const skewsMs = fc.oneof(fc.tuple(skewMs, skewMs), fc.constantFrom([0, 0] as const, [-1000, 1000] as const));

function requests(maxCount: number) {
  const request = fc.record({
    gapMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 90_000 }),
    ),
    environment: fc.constantFrom(0 as const, 1 as const),
    logShard: fc.nat(31),
    assumedTokens: fc.integer({ min: 1, max: 500 }),
    usedTokens: fc.integer({ min: 0, max: 700 }),
    durationMs: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 200_000 })),
    isKilled: fc.boolean(),
  });
  return fc.array(request, { minLength: maxCount / 2, maxLength: maxCount });
}

const logShards = fc.constantFrom(1, 32);
/** Each item has a part of the limit. */
const smallLimit = fc.integer({ min: 4, max: 12 });

/** Between the clocks, within the unit of one, and for buckets that have just become full. */
function toleranceMs([one, other]: readonly [number, number]): number {
  return Math.abs(one - other) + clockUnitMs + maxLagMs;
}

function admittedOf(events: readonly SimulatedEvent[]): SimulatedEvent[] {
  return events.filter(({ refusedBy }) => refusedBy === null);
}

describe('Two environments whose clocks differ by up to two seconds', () => {
  it('admit in any time t at most limit × (1 + (t + 1 s + their difference) / 60 s) requests', async () => {
    const property = fc.asyncProperty(
      fc.record({ limit: smallLimit, logShards, skewsMs, requests: requests(60) }),
      async ({ limit, ...rest }) => {
        const limits = { requests_per_minute: limit };
        const { events } = await simulate({ fixture, limits, ...rest });
        const admitted = admittedOf(events).map(({ atMs }) => ({ atUs: atMs * 1000, count: 1 }));
        const toleranceUs = toleranceMs(rest.skewsMs) * 1000;
        expect(busiestWindow(admitted, limit, toleranceUs)).toBeLessThanOrEqual(1);
      },
    );
    await fc.assert(property, { numRuns });
  });

  it('have as many requests in progress as the limit at most, and refuse none while there is a place', async () => {
    const property = fc.asyncProperty(
      fc.record({ limit: smallLimit, logShards, skewsMs, requests: requests(60) }),
      async ({ limit, ...rest }) => {
        const limits = { concurrent: limit };
        const { events, apiKey, endMs } = await simulate({ fixture, limits, ...rest });
        const admitted = admittedOf(events);
        for (const { atMs } of admitted) {
          const inProgress = admitted.filter((other) => other.atMs <= atMs && other.endMs > atMs);
          expect(inProgress.length).toBeLessThanOrEqual(limit);
        }
        // A refusal is repeated for a moment.
        const delayMs = toleranceMs(rest.skewsMs) + maxConcurrentRefusalMs;
        const freeMsOf = ({ endMs, isKilled }: SimulatedEvent) =>
          endMs + (isKilled ? maxLeaseMs : 0) + delayMs;
        for (const { atMs, refusedBy } of events) {
          if (refusedBy === null) continue;
          const holding = admitted.filter((other) => other.atMs <= atMs && freeMsOf(other) > atMs);
          expect(holding.length).toBeGreaterThanOrEqual(limit);
        }
        const { sendAt } = fixture.startEnvironment();
        const freeMs = endMs + maxLeaseMs + Math.max(...rest.skewsMs);
        for (let place = 0; place < limit; place += 1) {
          expect((await sendAt(freeMs, apiKey)).error).toBeNull();
        }
        expect((await sendAt(freeMs, apiKey)).refusal).toMatchObject({ limit: 'concurrent' });
      },
    );
    await fc.assert(property, { numRuns });
  });

  it('exceed the tokens of a time at most by what requests use above their estimates, or return meanwhile', async () => {
    const property = fc.asyncProperty(
      fc.record({ limit: fc.integer({ min: 400, max: 3000 }), logShards, skewsMs, requests: requests(60) }),
      async ({ limit, ...rest }) => {
        const { events } = await simulate({ fixture, limits: { tokens_per_minute: limit }, ...rest });
        const admitted = admittedOf(events);
        const tolerance = toleranceMs(rest.skewsMs);
        const returned = ({ takenTokens, usedTokens, isKilled }: SimulatedEvent) =>
          isKilled ? 0 : Math.max(0, takenTokens - usedTokens);
        for (const [index, first] of admitted.entries()) {
          let tokens = 0;
          for (const event of admitted.slice(index)) {
            tokens += event.takenTokens - returned(event);
            const returnedMeanwhile = admitted
              .slice(0, index)
              .filter(({ endMs }) => endMs >= first.atMs && endMs <= event.atMs)
              .reduce((sum, earlier) => sum + returned(earlier), 0);
            const allowed = limit * (1 + (event.atMs - first.atMs + tolerance) / 60_000) + returnedMeanwhile;
            expect(tokens).toBeLessThanOrEqual(allowed);
          }
        }
      },
    );
    await fc.assert(property, { numRuns });
  });
});

describe('An environment alone', () => {
  it('refuses no request for which the list of admitted ones leaves enough', async () => {
    const property = fc.asyncProperty(
      fc.record({ limit: smallLimit, requests: requests(80) }),
      async ({ limit, requests }) => {
        const limits = { requests_per_minute: limit };
        const sent = requests.map((request) => ({ ...request, environment: 0 as const }));
        const { events } = await simulate({ fixture, limits, logShards: 1, skewsMs: [0, 0], requests: sent });
        const admitted: { atUs: number; count: number }[] = [];
        for (const atMs of new Set(events.map((event) => event.atMs))) {
          const together = events.filter((event) => event.atMs === atMs);
          const free = limit - levelAt(admitted, limit, atMs * 1000);
          const accepted = admittedOf(together).length;
          const enough = Math.floor(free + limit / minuteUs);
          expect(accepted).toBeGreaterThanOrEqual(Math.min(together.length, Math.max(0, enough)));
          expect(accepted).toBeLessThanOrEqual(free + (limit * toleranceMs([0, 0]) * 1000) / minuteUs);
          for (let count = 0; count < accepted; count += 1) admitted.push({ atUs: atMs * 1000, count: 1 });
        }
      },
    );
    await fc.assert(property, { numRuns });
  });
});
