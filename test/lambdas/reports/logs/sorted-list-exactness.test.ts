/** Compares sorted lists with plain sorting, while they may read few entries, and the rollups have counted all or some. */
import { describe, expect, it } from 'vitest';
import { type LogEntryList, readLogList } from '#lambdas/reports/logs/list.ts';
import type { LogEntryReader } from '#lambdas/reports/logs/read.ts';
import { maxScannedItems } from '#lambdas/reports/logs/scan.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/reports/memory-log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';
import { byTestForm } from '#test/support/test-form.ts';
import {
  conditions,
  type EntrySpec,
  entrySpec,
  matches,
  type NumberField,
  nowMs,
  numberOf,
} from './filter-arbitraries.ts';

const hourMs = 3_600_000;

const queries = fc.record({
  conditions,
  sort: fc.constantFrom<NumberField[]>(
    'cost_usd',
    'latency_ms',
    'latency_ms',
    'time_to_first_token_ms',
    'total_tokens',
    'retries',
  ),
  order: fc.constantFrom('desc', 'desc', 'desc', 'asc'),
  limit: fc.constantFrom(1, 2, 5, 1000),
});
type Query = typeof queries extends fc.Arbitrary<infer Value> ? Value : never;

const scenarios = fc.record({
  /** At different times: a page has at least two, so a list that is continued always gets to an earlier millisecond. */
  specs: fc.uniqueArray(entrySpec, {
    minLength: 10,
    maxLength: 60,
    size: 'max',
    selector: ({ age }) => age,
  }),
  logShards: fc.constantFrom(1, 1, 2, 9),
  /** How long ago entries were last counted. */
  lagMs: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 0, max: 100 * hourMs })),
  /** Each item counts as many, so that few reach the limit of a list. */
  itemWeight: fc.constantFrom(1, 1, maxScannedItems / 10, maxScannedItems / 40),
  queries: fc.array(queries, { minLength: 8, maxLength: 8 }),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;

interface Stored {
  entries: LogEntry[];
  lists(query: Query): Promise<LogEntryList>;
}

function store({ specs, logShards, lagMs, itemWeight }: Scenario): Stored {
  const toEntry = ({ age, shardSeed, durationMs, fields }: EntrySpec) => {
    const id = createLogId(nowMs - age, shardSeed % logShards);
    return logEntry({ id, latency_ms: durationMs, ...fields });
  };
  const written = specs.map((spec) => ({ entry: toEntry(spec), storage: spec.storage }));
  const ended = written.filter(({ entry }) => writtenAtMs(entry) <= nowMs);
  const stored = ended.flatMap(({ entry, storage }) => (storage === 'stored' ? [entry] : []));
  const expired = ended.flatMap(({ entry, storage }) => (storage === 'stored' ? [] : [entry]));
  const uncounted = stored.filter((entry) => writtenAtMs(entry) > nowMs - lagMs);
  const counted = stored.filter((entry) => !uncounted.includes(entry));
  const { dependencies } = memoryRollups({ entries: counted, expired, uncounted, nowMs });
  const list = {
    ...dependencies,
    logEntries: weightedReader(stored, itemWeight),
    logAccessOf: async () => ({ shards: logShards, cursorKey: 'a2V5' }),
  };
  return {
    entries: stored,
    lists({ conditions: applied, ...order }) {
      const raw = Object.entries({ ...applied, ...order }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, [String(value)]]],
      );
      return readLogList(list, 'org_AAAAAAAAAAAAAAAA', Object.fromEntries(raw), (result) => result);
    },
  };
}

function writtenAtMs({ created_at, latency_ms }: LogEntry): number {
  return Date.parse(created_at) + latency_ms;
}

function weightedReader(entries: LogEntry[], weight: number): Pick<LogEntryReader, 'readPage'> {
  const { reader } = memoryLogEntries(entries);
  return {
    async readPage(range, after, pageSize) {
      const page = await reader.readPage(range, after, Math.max(2, Math.ceil(pageSize / weight)));
      return { ...page, scannedCount: page.scannedCount * weight };
    },
  };
}

function sortedBy(entries: LogEntry[], { sort, order }: Query): LogEntry[] {
  const sign = order === 'asc' ? 1 : -1;
  return entries.toSorted(
    (one, other) =>
      sign * ((numberOf(one, sort) ?? 0) - (numberOf(other, sort) ?? 0)) || (one.id < other.id ? 1 : -1),
  );
}

/** Expects the first entries of the part that the list covers; then of the part before, and so on. */
async function expectLists({ entries, lists }: Stored, query: Query): Promise<void> {
  const { entries: listed, sorted } = await lists(query);
  const ids = listed.map(({ id }) => id);
  const { searchedBackToMs = null, hasMoreMatches } = sorted ?? {};
  const all = entries.filter((entry) => matches(entry, query.conditions, query.sort));
  const covered = all.filter((entry) => Date.parse(entry.created_at) >= (searchedBackToMs ?? 0));
  const expected = sortedBy(covered, query).map(({ id }) => id);
  const isWhole = searchedBackToMs === null && hasMoreMatches && ids.length < query.limit;
  // The first of the whole window can be fewer than the limit, but there is at least one.
  expect(isWhole ? ids.length > 0 : true).toBe(true);
  expect([query, ids]).toEqual([query, expected.slice(0, isWhole ? ids.length : query.limit)]);
  expect(hasMoreMatches).toBe(hasMoreMatches || expected.length > ids.length);
  if (!isWhole && searchedBackToMs !== null) {
    const end = new Date(searchedBackToMs).toISOString();
    expect(end < (query.conditions.end ?? '~')).toBe(true);
    const { start = '' } = query.conditions;
    if (start < end)
      await expectLists({ entries, lists }, { ...query, conditions: { ...query.conditions, end } });
  }
}

describe('Sorted lists', () => {
  it('have the first entries of what they cover, in the order of values, then the newest first', async () => {
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      const stored = store(scenario);
      for (const query of scenario.queries) await expectLists(stored, query);
    });
    await fc.assert(property, { numRuns: byTestForm({ short: 60, long: 3000 }) });
  });
});
