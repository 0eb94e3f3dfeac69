import { describe, expect, it } from 'vitest';
import { totalsDimension } from '#lambdas/costs/rollups/rollup.ts';
import { createSearchLimit, findMatchingHours } from '#lambdas/reports/logs/search/hour-search.ts';
import type { RowCondition } from '#lambdas/reports/logs/search/row-conditions.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';

const hourMs = 3_600_000;
const key: RowCondition = { dimension: 'api_key', value: 'key_a', isMet: () => true };
const timeouts: RowCondition = {
  dimension: totalsDimension,
  value: null,
  isMet: ({ totals }) => totals.timeout_requests > 0,
};

const entryAt = (time: string, fields: Partial<LogEntry> = {}) =>
  logEntry({ id: createLogId(Date.parse(time)), api_key_id: 'key_a', ...fields });

const inText = ({ startMs, endMs }: { startMs: number; endMs: number }) =>
  [startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(' ');

interface Search {
  entries: LogEntry[];
  conditions?: RowCondition[];
  start: string;
  end: string;
  remainingReads?: number;
  logShards?: number;
  order?: 'asc' | 'desc';
}

async function search({
  entries,
  conditions = [key],
  start,
  end,
  remainingReads = 1000,
  logShards = 1,
  order = 'desc',
}: Search) {
  const { dependencies, reads } = memoryRollups({ entries, nowMs: 0 });
  const range = { startMs: Date.parse(start), endMs: Date.parse(end) };
  const searchLimit = createSearchLimit(remainingReads);
  const windows = findMatchingHours(
    dependencies.rollupReader,
    { organizationId: 'org_1', generation: 0, logShards, conditions, searchLimit, order },
    range,
  );
  const found: string[] = [];
  for (;;) {
    const { done, value } = await windows.next();
    if (done) {
      return {
        found,
        searched: new Date(value).toISOString(),
        reads: reads.map(({ period, window }) => `${period} ${inText(window)}`),
        usedReads: remainingReads - searchLimit.remainingReads(),
      };
    }
    found.push(inText(value));
  }
}

describe('findMatchingHours', () => {
  it('finds the hours with matching rows, newest first, as one window if they are adjacent', async () => {
    const entries = [
      '2026-01-30T23:59:59.999Z',
      '2026-01-31T00:00:00Z',
      '2026-01-31T01:30:00Z',
      '2026-01-31T09:00:00Z',
    ]
      .map((time) => entryAt(time))
      .concat(entryAt('2026-01-31T05:00:00Z', { api_key_id: 'key_b' }));

    const { found, searched } = await search({
      entries,
      start: '2026-01-01T00:00:00Z',
      end: '2026-02-01T00:00:00Z',
    });

    expect(found).toEqual([
      '2026-01-31T09:00 2026-01-31T10:00',
      '2026-01-31T00:00 2026-01-31T02:00',
      '2026-01-30T23:00 2026-01-31T00:00',
    ]);
    expect(searched).toBe('2026-01-01T00:00:00.000Z');
  });

  it('cuts the windows at the bounds of the range', async () => {
    const { found } = await search({
      entries: ['2026-01-31T08:10:00Z', '2026-01-31T09:10:00Z', '2026-01-31T10:10:00Z'].map((time) =>
        entryAt(time),
      ),
      start: '2026-01-31T08:30:00Z',
      end: '2026-01-31T10:20:00Z',
    });

    expect(found).toEqual(['2026-01-31T08:30 2026-01-31T10:20']);
  });

  it('goes back in growing steps, and reads rows by hour only of days with matches', async () => {
    const { reads } = await search({
      entries: [entryAt('2026-03-20T12:00:00Z')],
      start: '2026-01-01T00:00:00Z',
      end: '2026-03-31T09:00:00Z',
    });

    expect(reads).toEqual([
      'day 2026-03-30T00:00 2026-04-01T00:00',
      'day 2026-03-26T00:00 2026-03-30T00:00',
      'day 2026-03-18T00:00 2026-03-26T00:00',
      'hour 2026-03-20T00:00 2026-03-21T00:00',
      'day 2026-03-02T00:00 2026-03-18T00:00',
      'day 2026-01-29T00:00 2026-03-02T00:00',
      'day 2026-01-01T00:00 2026-01-29T00:00',
    ]);
  });

  it('requires all conditions of an alternative, and reads their rows only where the earlier ones are met', async () => {
    const { found, reads } = await search({
      entries: [
        entryAt('2026-01-30T03:00:00Z'),
        entryAt('2026-01-30T05:00:00Z', { outcome: 'timeout' }),
        entryAt('2026-01-31T05:00:00Z', { outcome: 'timeout', api_key_id: 'key_b' }),
      ],
      conditions: [key, timeouts],
      start: '2026-01-30T00:00:00Z',
      end: '2026-02-01T00:00:00Z',
    });

    expect(found).toEqual(['2026-01-30T05:00 2026-01-30T06:00']);
    expect(reads).toEqual([
      'day 2026-01-30T00:00 2026-02-01T00:00',
      'day 2026-01-30T00:00 2026-01-31T00:00',
      'hour 2026-01-30T00:00 2026-01-31T00:00',
      'hour 2026-01-30T05:00 2026-01-30T06:00',
      'hour 2026-01-30T03:00 2026-01-30T04:00',
    ]);
  });

  it('searches fewer days at a time when they have many rows', async () => {
    const entries = Array.from({ length: 60 * 50 }, (_, index) =>
      entryAt(new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 50))).toISOString(), {
        model: `model-${index % 50}`,
      }),
    );
    const range = { start: '2026-01-01T00:00:00Z', end: '2026-03-02T00:00:00Z' };
    const { usedReads } = await search({ ...range, entries, conditions: [timeouts], remainingReads: 500 });
    expect(usedReads).toBeLessThanOrEqual(500 + 2 * 51);
  });

  it('counts a read for each row, and for each query of a period and write shard', async () => {
    const range = { start: '2026-01-30T00:00:00Z', end: '2026-02-01T00:00:00Z' };
    const entries = [entryAt('2026-01-30T03:00:00Z')];

    expect((await search({ ...range, entries })).usedReads).toBe(2 + 1 + 24 + 1);
    expect((await search({ ...range, entries, logShards: 9 })).usedReads).toBe(9 * (2 + 24) + 2);
    const byTotals = { conditions: [timeouts], logShards: 9 };
    expect((await search({ ...range, entries, ...byTotals })).usedReads).toBe(2 + 1);
  });

  it('stops at the end of a day when no reads remain, but not before it has searched one', async () => {
    const entries = ['2026-01-31T09:00:00Z', '2026-01-30T09:00:00Z'].map((time) => entryAt(time));
    const range = { entries, start: '2026-01-01T00:00:00Z', end: '2026-01-31T12:00:00Z', remainingReads: 1 };

    expect(await search(range)).toMatchObject({
      found: ['2026-01-31T09:00 2026-01-31T10:00'],
      searched: '2026-01-31T00:00:00.000Z',
    });
    expect(await search({ ...range, end: '2026-01-30T00:00:00Z' })).toMatchObject({
      found: [],
      searched: '2026-01-29T00:00:00.000Z',
    });
  });

  it('finds the same hours with any number of reads, when each search continues where the last one stopped', async () => {
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 20 * 24 }), { maxLength: 30 });
    const property = fc.asyncProperty(
      hours,
      fc.integer({ min: -1, max: 200 }),
      async (offsets, remainingReads) => {
        const startMs = Date.parse('2026-01-01T00:00:00Z');
        const entries = offsets.map((offset) => entryAt(new Date(startMs + offset * hourMs).toISOString()));
        const start = '2026-01-01T07:00:00Z';
        const end = '2026-01-20T15:30:00Z';
        const all = await search({ entries, start, end, remainingReads: 10_000 });

        const found: string[] = [];
        let searched = end;
        while (searched > start) {
          const next = await search({ entries, start, end: searched, remainingReads });
          expect(next.searched < searched).toBe(true);
          found.push(...next.found);
          searched = next.searched;
        }
        expect(found).toEqual(all.found);
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });
});
