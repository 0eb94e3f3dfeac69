/** How much an answer reads, however long its window is. */
import { describe, expect, it } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { inThisForm } from '#test/support/test-form.ts';
import { askMemory } from './ask-memory.ts';
import { awkwardEntry, awkwardQuestion, lastAnchorMs } from './awkward-costs.ts';
import { readingBound } from './reading-bound.ts';
import { nothingAsked } from './summed-costs.ts';

const logShards = 20;
const at = (text: string) => Date.parse(text);

/** From just after the start of a month to just before the end of one: no window has longer edges. */
const longEdges = { start: at('2026-01-01T00:00:00.001Z'), end: at('2026-03-31T23:59:59.999Z') };

describe('an answer about costs', () => {
  it.each([
    [
      'the totals',
      {},
      { 'model month': 1, 'model day': 60, 'model hour': 46, 'model minute': 118 + 2 },
      2 * 60_000,
    ],
    [
      'groups by what callers attach',
      { group_by: 'session_id' },
      {
        'model month': 1,
        'model day': 60,
        'model hour': 46 + 2,
        'session_id month': 1,
        'session_id day': 60,
        'session_id hour': 46,
      },
      2 * 3_600_000,
    ],
    [
      'groups by key, of which every request has one',
      { group_by: 'api_key' },
      { 'model hour': 2, 'api_key month': 1, 'api_key day': 60, 'api_key hour': 46 },
      2 * 3_600_000,
    ],
    [
      'a series of days',
      { interval: 'day' },
      { 'model day': 88, 'model hour': 46, 'model minute': 118 + 2 },
      2 * 60_000,
    ],
  ] as const)('asks for the fewest spans for %s', async (_case, more, spans, entriesMs) => {
    const asked = { ...nothingAsked, ...longEdges, ...more };
    const { read } = await askMemory(
      { entries: [], logShards, now: new Date('2026-05-01T00:00:00Z') },
      asked,
    );
    expect([read.spans, read.entriesMs]).toEqual([spans, entriesMs]);
  });

  it('asks for hours where the series is of hours', async () => {
    const end = at('2026-02-11T15:59:59.999Z');
    const asked = { ...nothingAsked, start: longEdges.start, end, interval: 'hour' } as const;
    const { read } = await askMemory(
      { entries: [], logShards, now: new Date('2026-05-01T00:00:00Z') },
      asked,
    );
    expect(read.spans).toEqual({ 'model hour': 998, 'model minute': 118 + 2 });
  });

  it('asks for no entries and no check where the bounds are whole', async () => {
    const bounds = { start: at('2026-01-01T00:00:00Z'), end: at('2026-03-31T23:00:00Z') };
    const asked = { ...nothingAsked, ...bounds, group_by: 'user_id' };
    const { read } = await askMemory(
      { entries: [], logShards, now: new Date('2026-05-01T00:00:00Z') },
      asked,
    );
    expect([read.spans['model hour'], read.entriesMs]).toEqual([23, 0]);
  });

  it('asks of a span that ended within the last hour only for the part that it needs, and checks nothing', async () => {
    const bounds = { start: at('2026-01-31T09:00:00.001Z'), end: at('2026-01-31T11:00:00.002Z') };
    const asked = { ...nothingAsked, ...bounds };
    const { read } = await askMemory(
      { entries: [], logShards, now: new Date('2026-01-31T10:00:59Z') },
      asked,
    );
    expect(read.spans).toEqual({ 'model hour': 1, 'model minute': 59 });
    expect(read.entriesMs).toBe(59_999 + 2);
  });

  it('reads a sum for each model in each write shard of each span, and the entries of the two that are cut', async () => {
    const minutes = Array.from(
      { length: 4 * 60 },
      (_, minute) => at('2026-01-31T08:00:00Z') + minute * 60_000,
    );
    const entries = minutes.flatMap((time) =>
      [0, 1, 8, 19].flatMap((shard) =>
        ['gpt-4o', 'gpt-4o-mini'].map((model) => logEntry({ id: createLogId(time + 30_000, shard), model })),
      ),
    );
    const asked = { ...nothingAsked, start: at('2026-01-31T08:30:15Z'), end: at('2026-01-31T11:29:45Z') };
    const { answer, read } = await askMemory(
      { entries, logShards, now: new Date('2026-05-01T00:00:00Z') },
      asked,
    );
    expect(answer.total_requests).toBe(8 * 180);
    // Shards 0 and 1 share a write shard, so there are three write shards with two models each; of two minutes the sums are checked.
    expect([read.sums, read.entries]).toEqual([3 * 2 * (2 + 29 + 29 + 2), 2 * 8]);
  });

  it('never reads more than the formula says', async () => {
    const entriesOf = fc.array(awkwardEntry({ organizationId: 'org_AAAAAAAAAAAAAAAA', logShards }), {
      maxLength: 40,
    });
    const anyNow = fc.integer({ min: 0, max: 10_800_000 }).map((ms) => new Date(lastAnchorMs + ms));
    await fc.assert(
      fc.asyncProperty(entriesOf, awkwardQuestion, anyNow, async (entries, asked, now) => {
        const question = { ...asked, interval: null };
        const { read } = await askMemory({ entries, logShards, now }, question);
        const highest = readingBound({ entries, logShards }, question);
        expect(read.sums).toBeLessThanOrEqual(highest.sums);
        expect(read.entries).toBeLessThanOrEqual(highest.entries);
        expect(read.entriesMs).toBeLessThanOrEqual(highest.entriesMs);
      }),
      { numRuns: inThisForm({ short: 500, long: 10_000 }) },
    );
  });
});
