/** The costs endpoint on the embedded DynamoDB, with what the rollup function made of the stream, against the entries. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import {
  type Caller,
  type ReportHarness,
  startReportHarness,
  streamRecord,
} from '#test/support/report-harness.ts';
import { inThisForm } from '#test/support/test-form.ts';
import { awkwardEntry, awkwardQuestion, awkwardTime, earliestMs } from './awkward-costs.ts';
import { expectedWindow } from './expected-window.ts';
import { readingBound } from './reading-bound.ts';
import { type AskedCosts, nothingAsked, parseCosts, queryOf, sumCosts } from './summed-costs.ts';

const dayMs = 86_400_000;
const retentionDays = 90;
const streamShards = ['shardId-1', 'shardId-2', 'shardId-3'];
/** Two write shards of totals, nine of groups. */
const logShards = 9;

const someEntries = fc.array(awkwardEntry({ organizationId: 'org_AAAAAAAAAAAAAAAA', logShards }), {
  minLength: 60,
  maxLength: 90,
});
const someQuestions = fc.array(awkwardQuestion, { minLength: 15, maxLength: 15 });

interface World {
  caller: Caller;
  /** With ids of their own, since what fast-check makes up it makes up again to find the smallest failure. */
  entries: LogEntry[];
}

describe('the costs of what the stream brought', () => {
  let reports: ReportHarness;
  const read = { sums: 0, entries: 0 };
  beforeAll(async () => {
    reports = await startReportHarness({
      watchCosts: (sources) => ({
        ...sources,
        rollups: {
          async *read(range) {
            for await (const sum of sources.rollups.read(range)) {
              read.sums++;
              yield sum;
            }
          },
        },
        async *readEntries(range) {
          for await (const page of sources.readEntries(range)) {
            read.entries += page.length;
            yield page;
          }
        },
      }),
    });
  });
  afterAll(() => reports.stop());

  /** Rolls all of them up, in three shards of the stream that come in turns and say some things twice. */
  const createWorld = async (made: LogEntry[]): Promise<World> => {
    const caller = await reports.newCaller({ logShards });
    const entries = made.map((entry) => ({
      ...entry,
      id: createLogId(timestampOfLogId(entry.id), shardOfLogId(entry.id)),
      organization_id: caller.organizationId,
    }));
    const records = entries.map((entry, place) => streamRecord(entry, place + 1));
    await Promise.all(
      streamShards.map(async (shardId, shard) => {
        const own = records.filter((_, place) => place % streamShards.length === shard);
        for (const [from, to] of [
          [0, 12],
          [6, 20],
          [20, own.length],
        ])
          await reports.rollupHandler({ shardId, Records: own.slice(from, to) });
      }),
    );
    return { caller, entries };
  };
  const ask = async (caller: Caller, asked: AskedCosts) => {
    Object.assign(read, { sums: 0, entries: 0 });
    const { status, text } = await reports.get('costs', { caller, query: queryOf(asked) });
    expect(status).toBe(200);
    return parseCosts(text);
  };

  it('is the sum of the entries, for any window, groups, filters and series, and reads no more than it may', async () => {
    await fc.assert(
      fc.asyncProperty(someEntries, someQuestions, async (made, questions) => {
        const { caller, entries } = await createWorld(made);
        await reports.write(...entries);
        // Nothing has expired yet; a second before its end is when the earliest may, as expiry goes by whole seconds.
        reports.setTime(new Date(earliestMs + retentionDays * dayMs - 1000));
        for (const asked of questions) {
          expect(await ask(caller, asked)).toEqual(sumCosts(entries, asked, { ...asked, roundedTo: null }));
          if (asked.interval !== null) continue;
          const highest = readingBound({ entries, logShards }, asked);
          expect(read.sums).toBeLessThanOrEqual(highest.sums);
          expect(read.entries).toBeLessThanOrEqual(highest.entries);
        }
      }),
      { numRuns: inThisForm({ short: 1, long: 30 }), endOnFailure: true },
    );
  });

  it('is that sum in the window that the answer states, where entries have expired', async () => {
    const someNow = awkwardTime.map((time) => new Date(time + retentionDays * dayMs));
    const isDeleted = fc.func(fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        someEntries,
        someQuestions,
        fc.tuple(someNow, isDeleted),
        async (made, questions, [now, deleted]) => {
          const { caller, entries } = await createWorld(made);
          const lastsUntil = (entry: LogEntry) =>
            Math.floor(timestampOfLogId(entry.id) / 1000) * 1000 + retentionDays * dayMs;
          const expired = new Set(entries.filter((entry) => lastsUntil(entry) <= now.getTime()));
          await reports.write(
            ...entries.filter((entry) => !expired.has(entry) || !deleted(entry.created_at)),
          );
          reports.setTime(now);
          for (const asked of questions) {
            const window = expectedWindow({ entries, expired, now }, asked);
            expect(await ask(caller, asked)).toEqual(sumCosts(entries, asked, window));
          }
        },
      ),
      { numRuns: inThisForm({ short: 1, long: 30 }), endOnFailure: true },
    );
  });

  it('goes from window to window without a gap, through the time before which entries have expired', async () => {
    const bounds = fc.uniqueArray(awkwardTime, { minLength: 8, maxLength: 8 });
    const groupBy = fc.constantFrom(null, 'provider', 'session_id', 'api_key');
    await fc.assert(
      fc.asyncProperty(
        someEntries,
        fc.tuple(bounds, groupBy, awkwardTime),
        async (made, [times, group_by, time]) => {
          const { caller, entries } = await createWorld(made);
          await reports.write(...entries);
          reports.setTime(new Date(time + retentionDays * dayMs));
          let sum = { requests: 0, cost: '0' };
          let reached: unknown = null;
          const inOrder = times.toSorted((one, other) => one - other);
          for (const [place, end] of [...inOrder, null].entries()) {
            const start = inOrder[place - 1] ?? null;
            const answer = await ask(caller, { ...nothingAsked, start, end, group_by });
            const window = answer.window as Record<string, unknown>;
            expect(window.start).toBe(reached);
            reached = window.end;
            sum = {
              requests: sum.requests + Number(answer.total_requests),
              cost: addUsd(sum.cost, String(answer.total_cost_usd)),
            };
          }
          const all = sumCosts(entries, nothingAsked, { start: null, end: null, roundedTo: null });
          expect(sum).toEqual({ requests: all.total_requests, cost: all.total_cost_usd });
        },
      ),
      { numRuns: inThisForm({ short: 1, long: 30 }), endOnFailure: true },
    );
  });
});
