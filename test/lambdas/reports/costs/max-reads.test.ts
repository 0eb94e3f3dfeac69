import { describe, expect, it } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { edgeCaseEntry, edgeCaseParameters, maxAnchorMs } from './support/edge-case-arbitraries.ts';
import { isByCode, noParameters } from './support/expected-costs.ts';
import { getCosts, getCostsInMemory } from './support/get-costs-in-memory.ts';
import { createInMemoryCosts } from './support/in-memory-costs.ts';
import { maxReads } from './support/max-reads.ts';

const logShards = 20;
const at = (text: string) => Date.parse(text);

/** From just after the start of a month to just before the end of one: no window needs more days, hours and minutes. */
const worstCaseWindow = { start: at('2026-01-01T00:00:00.001Z'), end: at('2026-03-31T23:59:59.999Z') };

describe('Reads of GET /api/costs', () => {
  it.each([
    [
      'the totals',
      {},
      { 'totals month': 1, 'totals day': 60, 'totals hour': 46, 'totals minute': 118 + 2 },
      2 * 60_000,
    ],
    [
      'groups by caller metadata',
      { group_by: 'session_id' },
      {
        'totals month': 1,
        'totals day': 60,
        'totals hour': 46 + 2,
        'session_id month': 1,
        'session_id day': 60,
        'session_id hour': 46,
      },
      2 * 3_600_000,
    ],
    [
      'groups by API key',
      { group_by: 'api_key' },
      { 'totals hour': 2, 'api_key month': 1, 'api_key day': 60, 'api_key hour': 46 },
      2 * 3_600_000,
    ],
    ['a series of days', { interval: 'day' }, { 'totals day': 90, 'totals minute': 2 + 2 }, 2 * 60_000],
  ] as const)('queries the fewest periods for %s', async (_case, fields, periods, entryWindowsMs) => {
    const parameters = { ...noParameters, ...worstCaseWindow, ...fields };
    const { reads } = await getCostsInMemory(
      { entries: [], logShards, now: new Date('2026-05-01T00:00:00Z') },
      parameters,
    );
    expect([reads.periods, reads.entryWindowsMs]).toEqual([periods, entryWindowsMs]);
  });

  it('subtracts no rows while prices are being changed, which reads more', async () => {
    const local = { ...noParameters, interval: 'day', time_zone: 'Europe/Berlin' } as const;
    const parameters = { ...local, start: at('2026-01-31T23:00:00Z'), end: at('2026-02-02T23:00:00Z') };
    const options = { entries: [], logShards, now: new Date('2026-05-01T00:00:00Z') };
    const periodsAt = async (repricedMs?: number) => {
      const { dependencies, reads } = createInMemoryCosts(options);
      const state = {
        generation: 0,
        cutoverMs: 0,
        rebuild: null,
        ...(repricedMs !== undefined && { repricedMs }),
      };
      await getCosts({ ...dependencies, findRollupState: async () => state }, parameters);
      return reads.periods;
    };
    const subtracted = { 'totals day': 2, 'totals hour': 3 };
    const added = { 'totals hour': 48 };
    expect(await periodsAt()).toEqual(subtracted);
    expect(await periodsAt(options.now.getTime() - 10 * 60_000)).toEqual(subtracted);
    expect(await periodsAt(options.now.getTime() - 10 * 60_000 + 1)).toEqual(added);
    expect(await periodsAt(Number.POSITIVE_INFINITY)).toEqual(added);
  });

  it('queries hours for an hourly series', async () => {
    const end = at('2026-02-11T15:59:59.999Z');
    const parameters = { ...noParameters, start: worstCaseWindow.start, end, interval: 'hour' } as const;
    const { reads } = await getCostsInMemory(
      { entries: [], logShards, now: new Date('2026-05-01T00:00:00Z') },
      parameters,
    );
    expect(reads.periods).toEqual({ 'totals hour': 998, 'totals minute': 118 + 2 });
  });

  it('queries no entries when the bounds are at whole hours', async () => {
    const bounds = { start: at('2026-01-01T00:00:00Z'), end: at('2026-03-31T23:00:00Z') };
    const parameters = { ...noParameters, ...bounds, group_by: 'user_id' };
    const { reads } = await getCostsInMemory(
      { entries: [], logShards, now: new Date('2026-05-01T00:00:00Z') },
      parameters,
    );
    expect([reads.periods['totals hour'], reads.entryWindowsMs]).toEqual([23, 0]);
  });

  it('queries only the needed entries of a partial period that ended within the last hour, and no rollup rows', async () => {
    const bounds = { start: at('2026-01-31T09:00:00.001Z'), end: at('2026-01-31T11:00:00.002Z') };
    const parameters = { ...noParameters, ...bounds };
    const { reads } = await getCostsInMemory(
      { entries: [], logShards, now: new Date('2026-01-31T10:00:59Z') },
      parameters,
    );
    expect(reads.periods).toEqual({ 'totals hour': 1, 'totals minute': 59 });
    expect(reads.entryWindowsMs).toBe(59_999 + 2);
  });

  it('reads a row for each model, write shard and period, and the entries of the two partial periods', async () => {
    const minutes = Array.from(
      { length: 4 * 60 },
      (_, minute) => at('2026-01-31T08:00:00Z') + minute * 60_000,
    );
    const entries = minutes.flatMap((time) =>
      [0, 1, 8, 19].flatMap((shard) =>
        ['gpt-4o', 'gpt-4o-mini'].map((model) => logEntry({ id: createLogId(time + 30_000, shard), model })),
      ),
    );
    const parameters = {
      ...noParameters,
      start: at('2026-01-31T08:30:15Z'),
      end: at('2026-01-31T11:29:45Z'),
    };
    const { response, reads } = await getCostsInMemory(
      { entries, logShards, now: new Date('2026-05-01T00:00:00Z') },
      parameters,
    );
    expect(response.total_requests).toBe(8 * 180);
    // Shards 0 and 1 share a write shard, so there are three write shards with two models each, and 2 + 2 partial minutes.
    expect([reads.rollupRows, reads.entries]).toEqual([3 * 2 * (2 + 29 + 29 + 2), 2 * 8]);
  });

  it('never reads more than the formula allows', async () => {
    const entriesOf = fc.array(edgeCaseEntry({ organizationId: 'org_AAAAAAAAAAAAAAAA', logShards }), {
      maxLength: 40,
    });
    const anyNow = fc.integer({ min: 0, max: 10_800_000 }).map((ms) => new Date(maxAnchorMs + ms));
    await fc.assert(
      fc.asyncProperty(entriesOf, edgeCaseParameters, anyNow, async (entries, parameters, now) => {
        // Rejected requests have rows of models that no provider was called for.
        fc.pre(!isByCode(parameters));
        const noComparison = { compare: null, compare_start: null, compare_end: null };
        const withoutSeries = { ...parameters, ...noComparison, interval: null };
        const { reads } = await getCostsInMemory({ entries, logShards, now }, withoutSeries);
        const max = maxReads({ entries, logShards }, withoutSeries);
        expect(reads.rollupRows).toBeLessThanOrEqual(max.rollupRows);
        expect(reads.entries).toBeLessThanOrEqual(max.entries);
        expect(reads.entryWindowsMs).toBeLessThanOrEqual(max.entryWindowsMs);
      }),
      { numRuns: byTestForm({ short: 500, long: 10_000 }) },
    );
  });
});
