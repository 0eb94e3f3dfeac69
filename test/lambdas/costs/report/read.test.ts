/** Any question about any entries, against adding them up: in memory, so that there can be many. */
import { describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import { fc } from '#test/support/fast-check.ts';
import { inThisForm } from '#test/support/test-form.ts';
import { askMemory } from './ask-memory.ts';
import { awkwardEntry, awkwardQuestion, awkwardTime, lastAnchorMs } from './awkward-costs.ts';
import { expectedWindow } from './expected-window.ts';
import { nothingAsked, sumCosts, timeOf } from './summed-costs.ts';

const logShards = 20;
const entry = awkwardEntry({ organizationId: 'org_AAAAAAAAAAAAAAAA', logShards });
const hourMs = 3_600_000;
/** While the last entries come in, or some hours later: within an hour after a span, nothing is taken for expired. */
const anyNow = fc.integer({ min: 0, max: 3 * hourMs }).map((ms) => new Date(lastAnchorMs + ms));

/** Some entries have expired: those before some time, and others, as when the days of retention were changed. */
const someExpired = fc
  .record({
    marked: fc.array(fc.tuple(entry, fc.nat({ max: 9 })), { maxLength: 40 }),
    expiredBefore: fc.oneof(awkwardTime, fc.constant(0)),
    more: fc.nat({ max: 3 }),
    now: anyNow,
  })
  .map(({ marked, expiredBefore, more, now }) => {
    // The shortest retention is a day.
    const isOld = (time: number) => time < now.getTime() - 24 * hourMs;
    const expired = marked.filter(
      ([each, mark]) => isOld(timeOf(each)) && (timeOf(each) < expiredBefore || mark < more),
    );
    return {
      entries: marked.map(([each]) => each),
      expired: new Set(expired.map(([each]) => each)),
      now,
      logShards,
    };
  });

describe('the costs of any window', () => {
  it('are the sum of its entries', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 40 }),
        awkwardQuestion,
        anyNow,
        async (entries, asked, now) => {
          const { answer } = await askMemory({ entries, logShards, now }, asked);
          expect(answer).toEqual(sumCosts(entries, asked, { ...asked, roundedTo: null }));
        },
      ),
      { numRuns: inThisForm({ short: 200, long: 10_000 }) },
    );
  });

  it('are the sum of all entries, also of those that have expired, in the window that the answer states', async () => {
    await fc.assert(
      fc.asyncProperty(someExpired, awkwardQuestion, async (world, asked) => {
        const { answer } = await askMemory(world, asked);
        expect(answer).toEqual(sumCosts(world.entries, asked, expectedWindow(world, asked)));
      }),
      { numRuns: inThisForm({ short: 200, long: 10_000 }) },
    );
  });

  it('miss nothing and count nothing twice from one window to the next, whatever has expired', async () => {
    const bounds = fc.uniqueArray(awkwardTime, { minLength: 2, maxLength: 6 });
    const groupBy = fc.option(fc.constantFrom('model', 'user_id', 'api_key'));
    await fc.assert(
      fc.asyncProperty(someExpired, bounds, groupBy, async (world, times, group_by) => {
        const inOrder = times.toSorted((one, other) => one - other);
        let cost = '0';
        let requests = 0;
        let reached: unknown = null;
        for (const [place, end] of [...inOrder, null].entries()) {
          const start = inOrder[place - 1] ?? null;
          const { answer } = await askMemory(world, { ...nothingAsked, start, end, group_by });
          const window = answer.window as Record<string, unknown>;
          expect(window.start).toBe(reached);
          reached = window.end;
          cost = addUsd(cost, String(answer.total_cost_usd));
          requests += Number(answer.total_requests);
        }
        const all = sumCosts(world.entries, nothingAsked, { start: null, end: null, roundedTo: null });
        expect([requests, cost]).toEqual([all.total_requests, all.total_cost_usd]);
      }),
      { numRuns: inThisForm({ short: 100, long: 5000 }) },
    );
  });
});
