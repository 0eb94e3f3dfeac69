import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readLogPage } from '#lambdas/reports/logs/page.ts';
import { type LogQuery, parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import type { LogEntryReader } from '#lambdas/reports/logs/read.ts';
import { maxScannedItems } from '#lambdas/reports/logs/scan.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/reports/memory-log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);

const query = (parameters: Record<string, string | number>) =>
  parseLogQuery(
    'org_1',
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [String(value)]])),
  );

const readPage = (
  logQuery: LogQuery,
  { reader, shards }: { reader: Pick<LogEntryReader, 'readPage'>; shards: number },
) =>
  readLogPage({ ...memoryRollups({ nowMs: startMs }).dependencies, logEntries: reader }, logQuery, {
    cursorKey: 'a2V5',
    shards,
  });

interface Distribution {
  count: number;
  shardOf?: (index: number) => number;
  fieldsOf?: (index: number) => Partial<LogEntry>;
}

/** Newest first. */
function entriesOf({ count, shardOf = () => 0, fieldsOf = () => ({}) }: Distribution): LogEntry[] {
  const entries = Array.from({ length: count }, (_, index) =>
    logEntry({ id: createLogId(startMs + index, shardOf(index)), ...fieldsOf(index) }),
  );
  return entries.toReversed();
}

/** Pseudo-random, and the same in each run. */
const scattered = (shards: number) => (index: number) =>
  createHash('sha256').update(String(index)).digest().readUInt32BE() % shards;

const evaluatedIn = (reads: { evaluated: number }[]) =>
  reads.reduce((sum, { evaluated }) => sum + evaluated, 0);

describe('readLogPage', () => {
  it('reads one shard with one read of one entry more than the limit', async () => {
    const entries = entriesOf({ count: 300 });
    const { reader, reads } = memoryLogEntries(entries);
    const page = await readPage(query({ limit: 100 }), { reader, shards: 1 });
    expect(page).toEqual({
      entries: entries.slice(0, 100),
      hasMore: true,
      nextCursor: expect.any(String),
      searchedBackToMs: timestampOfLogId(entries[99]?.id ?? ''),
    });
    expect(reads.map(({ evaluated }) => evaluated)).toEqual([101]);
  });

  it('has no next page when the page contains the last entry', async () => {
    for (const shards of [1, 3, 16]) {
      const entries = entriesOf({ count: 48, shardOf: scattered(shards) });
      const { reader } = memoryLogEntries(entries);
      const all = await readPage(query({ limit: 48 }), { reader, shards });
      expect(all).toEqual({ entries, hasMore: false, nextCursor: null, searchedBackToMs: null });
      const first = await readPage(query({ limit: 47 }), { reader, shards });
      expect([first.entries, first.hasMore]).toEqual([entries.slice(0, 47), true]);
      const rest = await readPage(query({ limit: 1, cursor: first.nextCursor ?? '' }), { reader, shards });
      expect(rest).toEqual({
        entries: entries.slice(47),
        hasMore: false,
        nextCursor: null,
        searchedBackToMs: null,
      });
    }
  });

  it('returns an empty page when there are no entries', async () => {
    const { reader, reads } = memoryLogEntries([]);
    const page = await readPage(query({ offset: 10 }), { reader, shards: 4 });
    expect(page).toEqual({ entries: [], hasMore: false, nextCursor: null, searchedBackToMs: null });
    expect(reads).toHaveLength(4);
  });

  it.each([4, 16, 64, 256])(
    'reads little more than 1,000 entries from %i shards for a limit of 1,000',
    async (shards) => {
      const entries = entriesOf({ count: 12_000, shardOf: scattered(shards) });
      const { reader, reads } = memoryLogEntries(entries);
      const page = await readPage(query({ limit: 1000 }), { reader, shards });
      expect(page.entries).toEqual(entries.slice(0, 1000));
      expect(evaluatedIn(reads)).toBeLessThan(1001 + 2.5 * Math.sqrt(1001 * shards));
      expect(reads.length).toBeLessThan(shards + 2 + shards / 8);
    },
  );

  it.each([1, 2, 16, 256])('returns a full page at the maximum offset from %i shards', async (shards) => {
    const entries = entriesOf({ count: 11_500, shardOf: scattered(shards) });
    const { reader, reads } = memoryLogEntries(entries);
    const page = await readPage(query({ offset: 10_000, limit: 1000 }), { reader, shards });
    expect(page.entries).toEqual(entries.slice(10_000, 11_000));
    expect(evaluatedIn(reads)).toBeLessThan(1.4 * 11_001);
  });

  it.each([
    [0, 3],
    [63, 2],
  ])('needs few additional reads if all entries are in shard %i of 64', async (fullShard, expected) => {
    const entries = entriesOf({ count: 2000, shardOf: () => fullShard });
    const { reader, reads } = memoryLogEntries(entries);
    const page = await readPage(query({ limit: 1000 }), { reader, shards: 64 });
    expect(page.entries).toEqual(entries.slice(0, 1000));
    const fullShardReads = reads.filter(({ shard }) => shard === fullShard);
    expect(fullShardReads).toHaveLength(expected);
    expect(evaluatedIn(fullShardReads)).toBeLessThan(1100);
    expect(reads).toHaveLength(fullShardReads.length + 63);
  });
});

describe('Conditions that match few entries', () => {
  const matchEvery = (interval: number) => ({
    fieldsOf: (index: number) => ({ user_id: index % interval ? 'a' : 'b' }),
  });

  it('ends a page at the scan limit, and the next page continues from there', async () => {
    const entries = entriesOf({ count: 30_000, ...matchEvery(6000) });
    const { reader, reads } = memoryLogEntries(entries);
    const matching = entries.filter(({ user_id }) => user_id === 'b');
    const sizes: number[] = [];
    const found: LogEntry[] = [];
    let cursor: string | null = null;
    do {
      const logQuery = query({ user_id: 'b', limit: 5, ...(cursor !== null && { cursor }) });
      const page = await readPage(logQuery, { reader, shards: 1 });
      expect(evaluatedIn(reads.splice(0))).toBeLessThanOrEqual(maxScannedItems);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      sizes.push(page.entries.length);
      found.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(found).toEqual(matching);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('returns an empty page with a cursor when nothing was found within the scan limit', async () => {
    const entries = entriesOf({ count: 15_000 });
    const { reader } = memoryLogEntries(entries);
    const first = await readPage(query({ user_id: 'b' }), { reader, shards: 1 });
    expect(first).toEqual({
      entries: [],
      hasMore: true,
      nextCursor: expect.any(String),
      searchedBackToMs: timestampOfLogId(entries[maxScannedItems - 1]?.id ?? ''),
    });
    const second = await readPage(query({ user_id: 'b', cursor: first.nextCursor ?? '' }), {
      reader,
      shards: 1,
    });
    expect(second).toEqual({ entries: [], hasMore: false, nextCursor: null, searchedBackToMs: null });
  });

  it('keeps the rest of the offset in the cursor', async () => {
    const entries = entriesOf({ count: 30_000, ...matchEvery(5000) });
    const { reader } = memoryLogEntries(entries);
    const matching = entries.filter(({ user_id }) => user_id === 'b');
    const first = await readPage(query({ user_id: 'b', offset: 3, limit: 2 }), { reader, shards: 1 });
    expect(first.entries).toEqual([]);
    const cursor = first.nextCursor ?? '';
    const second = await readPage(query({ user_id: 'b', limit: 2, cursor }), { reader, shards: 1 });
    expect(second.entries).toEqual(matching.slice(3, 4));
  });

  it('reads all shards concurrently and in few steps', async () => {
    const entries = entriesOf({ count: 40_000, shardOf: scattered(16) });
    const { reader, reads } = memoryLogEntries(entries);
    await readPage(query({ user_id: 'b', limit: 10 }), { reader, shards: 16 });
    expect(evaluatedIn(reads)).toBeGreaterThanOrEqual(maxScannedItems);
    expect(evaluatedIn(reads)).toBeLessThan(maxScannedItems + 16 * 16);
    const steps = reads.filter(({ concurrentReads }) => concurrentReads === 1).length;
    expect(steps).toBeLessThan(8);
    expect(reads.filter(({ concurrentReads }) => concurrentReads === 16)).toHaveLength(steps);
  });

  it('reads few items when the page is full soon', async () => {
    const { reader, reads } = memoryLogEntries(entriesOf({ count: 20_000, ...matchEvery(4) }));
    const page = await readPage(query({ user_id: 'b', limit: 10 }), { reader, shards: 1 });
    expect([page.entries.length, page.hasMore]).toEqual([10, true]);
    expect(evaluatedIn(reads)).toBeLessThan(100);
  });

  it('scans a limited number of items after a full page to find out whether another entry follows', async () => {
    const fieldsOf = (index: number) => ({ user_id: index >= 19_990 ? 'b' : 'a' });
    const many = memoryLogEntries(entriesOf({ count: 20_000, fieldsOf }));
    const page = await readPage(query({ user_id: 'b', limit: 10 }), { ...many, shards: 1 });
    expect([page.entries.length, page.hasMore]).toEqual([10, true]);
    expect(evaluatedIn(many.reads)).toBeGreaterThanOrEqual(1000);
    expect(evaluatedIn(many.reads)).toBeLessThan(3000);

    const few = memoryLogEntries(entriesOf({ count: 20_000, fieldsOf }).slice(0, 900));
    const last = await readPage(query({ user_id: 'b', limit: 10 }), { ...few, shards: 1 });
    expect([last.entries.length, last.hasMore]).toEqual([10, false]);
  });

  it('does not read items again that the previous page has scanned', async () => {
    const fieldsOf = (index: number) => ({ user_id: index >= 2990 || index < 10 ? 'b' : 'a' });
    const entries = entriesOf({ count: 3000, fieldsOf });
    const { reader, reads } = memoryLogEntries(entries);
    const first = await readPage(query({ user_id: 'b', limit: 10 }), { reader, shards: 1 });
    const cursor = first.nextCursor ?? '';
    const second = await readPage(query({ user_id: 'b', limit: 10, cursor }), { reader, shards: 1 });
    expect(second.entries).toEqual(entries.slice(-10));
    expect(evaluatedIn(reads)).toBe(3000);
  });
});

describe('Filters that rollups help to find', () => {
  const hourMs = 3_600_000;
  const dayMs = 24 * hourMs;
  const nowMs = startMs + 200 * dayMs;

  async function walk(entries: LogEntry[], parameters: Record<string, string | number>, shards = 1) {
    const memory = memoryLogEntries(entries);
    const rollups = memoryRollups({ entries, nowMs });
    const dependencies = { ...rollups.dependencies, logEntries: memory.reader };
    const sizes: number[] = [];
    const found: LogEntry[] = [];
    let cursor: string | null = null;
    do {
      const logQuery = query({ ...parameters, ...(cursor !== null && { cursor }) });
      const page = await readLogPage(dependencies, logQuery, { cursorKey: 'a2V5', shards });
      sizes.push(page.entries.length);
      found.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return { found, sizes, evaluated: evaluatedIn(memory.reads) };
  }

  /** One entry an hour, and one of another key each 40 days. */
  const sparse = Array.from({ length: 150 * 24 }, (_, index) =>
    logEntry({
      id: createLogId(startMs + index * hourMs, index % 3),
      api_key_id: index % (40 * 24) === 0 ? 'key_b' : 'key_a',
    }),
  ).toReversed();
  const matching = sparse.filter(({ api_key_id }) => api_key_id === 'key_b');

  it('scans only the entries of matching hours, and of the last hours', async () => {
    const { found, sizes, evaluated } = await walk(sparse, { api_key_id: 'key_b' }, 3);
    expect([found, sizes]).toEqual([matching, [4]]);
    expect(evaluated).toBeLessThan(2 * matching.length + 4);
  });

  it('returns no entries and reads none for an unknown outcome', async () => {
    expect(await walk(sparse, { outcome: 'unknown' })).toEqual({ found: [], sizes: [0], evaluated: 0 });
  });

  it('ends a page when it has searched enough rollups, and the next page continues from there', async () => {
    const manyShards = sparse.map((entry, index) => ({
      ...entry,
      id: createLogId(Date.parse(entry.created_at), index % 200),
    }));
    const expected = manyShards.filter(({ api_key_id }) => api_key_id === 'key_b');
    const { found, sizes } = await walk(manyShards, { api_key_id: 'key_b' }, 200);
    expect(found).toEqual(expected);
    expect(sizes).toEqual([0, 1, 0, 1, 0, 0, 1, 0, 1]);
  });

  it('lists no empty page after a full one if the search finds another entry soon', async () => {
    const { found, sizes } = await walk(sparse, { api_key_id: 'key_b', limit: 1 });
    expect(found).toEqual(matching);
    expect(sizes).toEqual([1, 1, 1, 1]);
  });
});
