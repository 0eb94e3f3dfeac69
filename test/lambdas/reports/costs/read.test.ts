/** Compares the endpoint with the reference implementation for random entries and queries, in memory. */
import { describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  edgeCaseEntry,
  edgeCaseParameters,
  edgeCaseTime,
  maxAnchorMs,
} from './support/edge-case-arbitraries.ts';
import { createdMs, expectedCosts, noParameters, timedEntries } from './support/expected-costs.ts';
import { expectedWindow } from './support/expected-window.ts';
import { getCostsInMemory } from './support/get-costs-in-memory.ts';

const logShards = 20;
const entry = edgeCaseEntry({ organizationId: 'org_AAAAAAAAAAAAAAAA', logShards });
const hourMs = 3_600_000;
/** From the last entries until some hours later: within an hour after a period, its entries count as not expired. */
const anyNow = fc.integer({ min: 0, max: 3 * hourMs }).map((ms) => new Date(maxAnchorMs + ms));

/** Entries before some time have expired, and some later ones, as after a change of the retention setting. */
const someExpired = fc
  .record({
    marked: fc.array(fc.tuple(entry, fc.nat({ max: 9 })), { maxLength: 40 }),
    expiredBefore: fc.oneof(edgeCaseTime, fc.constant(0)),
    more: fc.nat({ max: 3 }),
    now: anyNow,
  })
  .map(({ marked, expiredBefore, more, now }) => {
    // The shortest retention is a day.
    const isOld = (time: number) => time < now.getTime() - 24 * hourMs;
    const expired = marked.filter(
      ([each, mark]) => isOld(createdMs(each)) && (createdMs(each) < expiredBefore || mark < more),
    );
    return {
      entries: marked.map(([each]) => each),
      expired: new Set(expired.map(([each]) => each)),
      now,
      logShards,
    };
  });

/** Compares with the nearest rank of the sorted values. */
function expectNearExact(percentiles: Record<string, number | boolean> | null, values: number[]): void {
  if (percentiles === null) return;
  const sorted = values.toSorted((one, other) => one - other);
  for (const percent of [50, 95, 99]) {
    const rank = Math.ceil((sorted.length * percent) / 100);
    const exact = sorted[rank - 1] ?? Number.NaN;
    const difference = Math.abs(Number(percentiles[`p${percent}`]) - exact);
    expect(difference).toBeLessThanOrEqual(percentiles.exact ? 0 : 0.19 * exact);
  }
}

describe('GET /api/costs for random queries', () => {
  it('returns the sums of the entries in the window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 40 }),
        edgeCaseParameters,
        anyNow,
        async (entries, parameters, now) => {
          const { response } = await getCostsInMemory({ entries, logShards, now }, parameters);
          const window = expectedWindow({ entries, expired: new Set(), now }, parameters);
          expect(response).toEqual(expectedCosts(entries, parameters, window));
          const timed = timedEntries(entries, parameters, window);
          for (const field of ['latency_ms', 'time_to_first_token_ms'] as const)
            expectNearExact(
              response[field] as Record<string, number | boolean> | null,
              timed.flatMap((each) => each[field] ?? []),
            );
        },
      ),
      { numRuns: byTestForm({ short: 80, long: 5000 }) },
    );
  });

  it('includes expired entries in the window that the response reports', async () => {
    await fc.assert(
      fc.asyncProperty(someExpired, edgeCaseParameters, async (scenario, parameters) => {
        const { response } = await getCostsInMemory(scenario, parameters);
        expect(response).toEqual(
          expectedCosts(scenario.entries, parameters, expectedWindow(scenario, parameters)),
        );
      }),
      { numRuns: byTestForm({ short: 80, long: 5000 }) },
    );
  });

  it('lets a window that is rounded to the hour before a local midnight begin with the day after it', async () => {
    const times = ['02:10', '02:40', '05:00'].map((time) => Date.parse(`2026-03-09T${time}:00Z`));
    const entries = times.map((time) => logEntry({ id: createLogId(time), user_id: 'ada', cost_usd: '1' }));
    const scenario = { entries, expired: new Set(entries), logShards, now: new Date('2026-09-01T00:00:00Z') };
    const { response } = await getCostsInMemory(scenario, {
      ...noParameters,
      start: Date.parse('2026-03-09T02:31:00Z'),
      end: Date.parse('2026-03-10T02:00:00Z'),
      group_by: 'user_id',
      interval: 'day',
      time_zone: 'America/St_Johns',
    });
    const rounded = { start: '2026-03-09T02:00:00.000Z', end: '2026-03-10T02:00:00.000Z' };
    expect(response).toMatchObject({
      total_requests: 3,
      window: { ...rounded, rounded_to: 'hour' },
      series: [{ ...rounded, requests: 3 }],
    });
  });

  it('counts no days of an earlier range that has more than 93 of them once it is rounded to hours', async () => {
    const { response } = await getCostsInMemory(
      { entries: [], logShards, now: new Date('2026-03-29T00:00:00Z') },
      {
        ...noParameters,
        start: Date.parse('2025-11-30T03:30:00Z'),
        end: Date.parse('2026-03-03T03:30:00Z'),
        group_by: 'api_key',
        interval: 'day',
        time_zone: 'America/St_Johns',
        compare: 'previous',
      },
    );
    expect(response.previous).toMatchObject({ window: { rounded_to: 'hour' }, days: null });
  });

  it('returns sums of adjacent windows that add up to the total, even when entries have expired', async () => {
    const bounds = fc.uniqueArray(edgeCaseTime, { minLength: 2, maxLength: 6 });
    const groupBy = fc.option(fc.constantFrom('model', 'user_id', 'api_key'));
    await fc.assert(
      fc.asyncProperty(someExpired, bounds, groupBy, async (scenario, times, group_by) => {
        const sortedTimes = times.toSorted((one, other) => one - other);
        let cost = '0';
        let requests = 0;
        let previousEnd: unknown = null;
        for (const [index, end] of [...sortedTimes, null].entries()) {
          const start = sortedTimes[index - 1] ?? null;
          const { response } = await getCostsInMemory(scenario, { ...noParameters, start, end, group_by });
          const window = response.window as Record<string, unknown>;
          expect(window.start).toBe(previousEnd);
          previousEnd = window.end;
          cost = addUsd(cost, String(response.total_cost_usd));
          requests += Number(response.total_requests);
        }
        const all = expectedCosts(scenario.entries, noParameters, {
          start: null,
          end: null,
          roundedTo: null,
        });
        expect([requests, cost]).toEqual([all.total_requests, all.total_cost_usd]);
      }),
      { numRuns: byTestForm({ short: 50, long: 5000 }) },
    );
  });
});
