/** Compares the costs endpoint, on rollups that the rollup function wrote to the embedded DynamoDB, with the entries. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsd } from '#lambdas/platform/money.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import {
  type Caller,
  type ReportFixture,
  startReportFixture,
  streamRecord,
} from '#test/support/reports/fixture.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  edgeCaseEntry,
  edgeCaseParameters,
  edgeCaseTime,
  minTimeMs,
} from './support/edge-case-arbitraries.ts';
import {
  type CostParameters,
  expectedCosts,
  isByCode,
  noParameters,
  parseCosts,
  toQueryString,
} from './support/expected-costs.ts';
import { expectedWindow } from './support/expected-window.ts';
import { maxReads } from './support/max-reads.ts';

const dayMs = 86_400_000;
const retentionDays = 90;
const streamShards = ['shardId-1', 'shardId-2', 'shardId-3'];
/** Makes two write shards for totals, and nine for groups. */
const logShards = 9;

const entryLists = fc.array(edgeCaseEntry({ organizationId: 'org_AAAAAAAAAAAAAAAA', logShards }), {
  ...byTestForm({ short: { minLength: 16, maxLength: 20 }, long: { minLength: 60, maxLength: 90 } }),
});
const queriesPerScenario = byTestForm({ short: 4, long: 15 });
const parameterLists = fc.array(edgeCaseParameters, {
  minLength: queriesPerScenario,
  maxLength: queriesPerScenario,
});

interface Scenario {
  caller: Caller;
  /** Entries with new ids, since fast-check generates the same entries again when it shrinks a failure. */
  entries: LogEntry[];
}

describe('GET /api/costs on rollups from the stream', () => {
  let reports: ReportFixture;
  const reads = { sums: 0, entries: 0 };
  beforeAll(async () => {
    reports = await startReportFixture({
      wrapCostDependencies: (dependencies) => ({
        ...dependencies,
        rollupReader: {
          ...dependencies.rollupReader,
          async *read(range) {
            for await (const sum of dependencies.rollupReader.read(range)) {
              reads.sums++;
              yield sum;
            }
          },
        },
        async *readEntries(range) {
          for await (const page of dependencies.readEntries(range)) {
            reads.entries += page.length;
            yield page;
          }
        },
      }),
    });
  });
  afterAll(() => reports.stop());

  /** Adds all entries to the rollups, from three interleaved stream shards that deliver some records twice. */
  const createScenario = async (generated: LogEntry[]): Promise<Scenario> => {
    const caller = await reports.newCaller({ logShards });
    const entries = generated.map((entry) => ({
      ...entry,
      id: createLogId(timestampOfLogId(entry.id), shardOfLogId(entry.id)),
      organization_id: caller.organizationId,
    }));
    const records = entries.map((entry, index) => streamRecord(entry, index + 1));
    await Promise.all(
      streamShards.map(async (shardId, shard) => {
        const shardRecords = records.filter((_, index) => index % streamShards.length === shard);
        for (const [from, to] of [
          [0, 12],
          [6, 20],
          [20, shardRecords.length],
        ])
          await reports.rollupHandler({ shardId, Records: shardRecords.slice(from, to) });
      }),
    );
    return { caller, entries };
  };
  const getCosts = async (caller: Caller, parameters: CostParameters) => {
    Object.assign(reads, { sums: 0, entries: 0 });
    const { status, text } = await reports.get('costs', { caller, query: toQueryString(parameters) });
    expect(status).toBe(200);
    return parseCosts(text);
  };

  it('returns the sums of the entries for random windows, groups, filters and series, within the read limits', async () => {
    await fc.assert(
      fc.asyncProperty(entryLists, parameterLists, async (generated, queries) => {
        const { caller, entries } = await createScenario(generated);
        await reports.write(...entries);
        // The latest time without expired entries: expiry is in whole seconds, so up to a second early.
        const now = new Date(minTimeMs + retentionDays * dayMs - 1000);
        reports.setTime(now);
        for (const parameters of queries) {
          const window = expectedWindow({ entries, expired: new Set(), now }, parameters);
          expect(await getCosts(caller, parameters)).toEqual(expectedCosts(entries, parameters, window));
          const isCompared = parameters.compare !== null || parameters.compare_start !== null;
          if (parameters.interval !== null || isCompared || isByCode(parameters)) continue;
          const max = maxReads({ entries, logShards }, parameters);
          expect(reads.sums).toBeLessThanOrEqual(max.rollupRows);
          expect(reads.entries).toBeLessThanOrEqual(max.entries);
        }
      }),
      { numRuns: byTestForm({ short: 1, long: 12 }), endOnFailure: true },
    );
  });

  it('returns the sums of the entries in the reported window when some have expired', async () => {
    const someNow = edgeCaseTime.map((time) => new Date(time + retentionDays * dayMs));
    const isDeleted = fc.func(fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        entryLists,
        parameterLists,
        fc.tuple(someNow, isDeleted),
        async (generated, queries, [now, deleted]) => {
          const { caller, entries } = await createScenario(generated);
          const expiresAtMs = (entry: LogEntry) =>
            Math.floor(timestampOfLogId(entry.id) / 1000) * 1000 + retentionDays * dayMs;
          const expired = new Set(entries.filter((entry) => expiresAtMs(entry) <= now.getTime()));
          await reports.write(
            ...entries.filter((entry) => !expired.has(entry) || !deleted(entry.created_at)),
          );
          reports.setTime(now);
          for (const parameters of queries) {
            const window = expectedWindow({ entries, expired, now }, parameters);
            expect(await getCosts(caller, parameters)).toEqual(expectedCosts(entries, parameters, window));
          }
        },
      ),
      { numRuns: byTestForm({ short: 1, long: 12 }), endOnFailure: true },
    );
  });

  it('returns adjacent windows without gap or overlap, before and after the expiry time', async () => {
    const bounds = fc.uniqueArray(edgeCaseTime, { minLength: 8, maxLength: 8 });
    const groupBy = fc.constantFrom(null, 'provider', 'session_id', 'api_key');
    await fc.assert(
      fc.asyncProperty(
        entryLists,
        fc.tuple(bounds, groupBy, edgeCaseTime),
        async (generated, [times, group_by, time]) => {
          const { caller, entries } = await createScenario(generated);
          await reports.write(...entries);
          reports.setTime(new Date(time + retentionDays * dayMs));
          let sum = { requests: 0, cost: '0' };
          let previousEnd: unknown = null;
          const sortedTimes = times.toSorted((one, other) => one - other);
          for (const [index, end] of [...sortedTimes, null].entries()) {
            const start = sortedTimes[index - 1] ?? null;
            const response = await getCosts(caller, { ...noParameters, start, end, group_by });
            const window = response.window as Record<string, unknown>;
            expect(window.start).toBe(previousEnd);
            previousEnd = window.end;
            sum = {
              requests: sum.requests + Number(response.total_requests),
              cost: addUsd(sum.cost, String(response.total_cost_usd)),
            };
          }
          const all = expectedCosts(entries, noParameters, { start: null, end: null, roundedTo: null });
          expect(sum).toEqual({ requests: all.total_requests, cost: all.total_cost_usd });
        },
      ),
      { numRuns: byTestForm({ short: 1, long: 12 }), endOnFailure: true },
    );
  });
});
