import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { pageBudget, readLogPage } from '#lambdas/request-log/report/page.ts';
import { type LogQuery, parseLogQuery } from '#lambdas/request-log/report/query.ts';
import type { LogEntryReader } from '#lambdas/request-log/report/read.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/memory-log-entries.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);

const query = (parameters: Record<string, string | number>) =>
  parseLogQuery(
    'org_1',
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [String(value)]])),
  );

const readPage = (
  asked: LogQuery,
  { reader, shards }: { reader: Pick<LogEntryReader, 'readPage'>; shards: number },
) => readLogPage(reader, asked, { cursorKey: 'a2V5', shards });

interface Spread {
  count: number;
  shardOf?: (index: number) => number;
  fieldsOf?: (index: number) => Partial<LogEntry>;
}

/** Newest first. */
function entriesOf({ count, shardOf = () => 0, fieldsOf = () => ({}) }: Spread): LogEntry[] {
  const entries = Array.from({ length: count }, (_, index) =>
    logEntry({ id: createLogId(startMs + index, shardOf(index)), ...fieldsOf(index) }),
  );
  return entries.toReversed();
}

/** As by chance, but the same each time. */
const scattered = (shards: number) => (index: number) =>
  createHash('sha256').update(String(index)).digest().readUInt32BE() % shards;

const evaluatedIn = (reads: { evaluated: number }[]) =>
  reads.reduce((sum, { evaluated }) => sum + evaluated, 0);

describe('a page of log entries', () => {
  it('of one shard takes one read, of one entry more than it shows', async () => {
    const entries = entriesOf({ count: 300 });
    const { reader, reads } = memoryLogEntries(entries);
    const page = await readPage(query({ limit: 100 }), { reader, shards: 1 });
    expect(page).toEqual({
      entries: entries.slice(0, 100),
      hasMore: true,
      nextCursor: expect.any(String),
    });
    expect(reads.map(({ evaluated }) => evaluated)).toEqual([101]);
  });

  it('says that nothing follows when it holds the last entry', async () => {
    for (const shards of [1, 3, 16]) {
      const entries = entriesOf({ count: 48, shardOf: scattered(shards) });
      const { reader } = memoryLogEntries(entries);
      const whole = await readPage(query({ limit: 48 }), { reader, shards });
      expect(whole).toEqual({ entries, hasMore: false, nextCursor: null });
      const short = await readPage(query({ limit: 47 }), { reader, shards });
      expect([short.entries, short.hasMore]).toEqual([entries.slice(0, 47), true]);
      const rest = await readPage(query({ limit: 1, cursor: short.nextCursor ?? '' }), { reader, shards });
      expect(rest).toEqual({ entries: entries.slice(47), hasMore: false, nextCursor: null });
    }
  });

  it('is empty where there are no entries', async () => {
    const { reader, reads } = memoryLogEntries([]);
    const page = await readPage(query({ offset: 10 }), { reader, shards: 4 });
    expect(page).toEqual({ entries: [], hasMore: false, nextCursor: null });
    expect(reads).toHaveLength(4);
  });

  it.each([4, 16, 64, 256])('of 1,000 entries from %i shards does not read 1,000 of each', async (shards) => {
    const entries = entriesOf({ count: 12_000, shardOf: scattered(shards) });
    const { reader, reads } = memoryLogEntries(entries);
    const page = await readPage(query({ limit: 1000 }), { reader, shards });
    expect(page.entries).toEqual(entries.slice(0, 1000));
    expect(evaluatedIn(reads)).toBeLessThan(1001 + 2.5 * Math.sqrt(1001 * shards));
    expect(reads.length).toBeLessThan(shards + 2 + shards / 8);
  });

  it.each([1, 2, 16, 256])('at the highest offset is whole, from %i shards too', async (shards) => {
    const entries = entriesOf({ count: 11_500, shardOf: scattered(shards) });
    const { reader, reads } = memoryLogEntries(entries);
    const page = await readPage(query({ offset: 10_000, limit: 1000 }), { reader, shards });
    expect(page.entries).toEqual(entries.slice(10_000, 11_000));
    expect(evaluatedIn(reads)).toBeLessThan(1.4 * 11_001);
  });

  it('of old entries, which lie in the first shard alone, takes few reads more after the shards were raised', async () => {
    const entries = entriesOf({ count: 2000 });
    const { reader, reads } = memoryLogEntries(entries);
    const page = await readPage(query({ limit: 1000 }), { reader, shards: 64 });
    expect(page.entries).toEqual(entries.slice(0, 1000));
    const inFirst = reads.filter(({ shard }) => shard === 0);
    expect(inFirst.length).toBeLessThanOrEqual(3);
    expect(evaluatedIn(inFirst)).toBeLessThan(1100);
    expect(reads).toHaveLength(inFirst.length + 63);
  });
});

describe('a page whose conditions match little', () => {
  const seldom = (every: number) => ({
    fieldsOf: (index: number) => ({ user_id: index % every ? 'a' : 'b' }),
  });

  it('ends thin when its budget is spent, and goes on exactly there', async () => {
    const entries = entriesOf({ count: 30_000, ...seldom(6000) });
    const { reader, reads } = memoryLogEntries(entries);
    const matching = entries.filter(({ user_id }) => user_id === 'b');
    const sizes: number[] = [];
    const found: LogEntry[] = [];
    let cursor: string | null = null;
    do {
      const asked = query({ user_id: 'b', limit: 5, ...(cursor !== null && { cursor }) });
      const page = await readPage(asked, { reader, shards: 1 });
      expect(evaluatedIn(reads.splice(0))).toBeLessThanOrEqual(pageBudget);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      sizes.push(page.entries.length);
      found.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(found).toEqual(matching);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it('comes back empty when nothing was found yet', async () => {
    const { reader } = memoryLogEntries(entriesOf({ count: 15_000 }));
    const first = await readPage(query({ user_id: 'b' }), { reader, shards: 1 });
    expect(first).toEqual({ entries: [], hasMore: true, nextCursor: expect.any(String) });
    const second = await readPage(query({ user_id: 'b', cursor: first.nextCursor ?? '' }), {
      reader,
      shards: 1,
    });
    expect(second).toEqual({ entries: [], hasMore: false, nextCursor: null });
  });

  it('keeps what is left of an offset in its cursor', async () => {
    const entries = entriesOf({ count: 30_000, ...seldom(5000) });
    const { reader } = memoryLogEntries(entries);
    const matching = entries.filter(({ user_id }) => user_id === 'b');
    const first = await readPage(query({ user_id: 'b', offset: 3, limit: 2 }), { reader, shards: 1 });
    expect(first.entries).toEqual([]);
    const cursor = first.nextCursor ?? '';
    const second = await readPage(query({ user_id: 'b', limit: 2, cursor }), { reader, shards: 1 });
    expect(second.entries).toEqual(matching.slice(3, 4));
  });

  it('reads in few steps, all shards at once', async () => {
    const entries = entriesOf({ count: 40_000, shardOf: scattered(16) });
    const { reader, reads } = memoryLogEntries(entries);
    await readPage(query({ user_id: 'b', limit: 10 }), { reader, shards: 16 });
    expect(evaluatedIn(reads)).toBeGreaterThanOrEqual(pageBudget);
    expect(evaluatedIn(reads)).toBeLessThan(pageBudget + 16 * 16);
    const steps = reads.filter(({ atOnce }) => atOnce === 1).length;
    expect(steps).toBeLessThan(8);
    expect(reads.filter(({ atOnce }) => atOnce === 16)).toHaveLength(steps);
  });

  it('reads little when it is filled soon', async () => {
    const { reader, reads } = memoryLogEntries(entriesOf({ count: 20_000, ...seldom(4) }));
    const page = await readPage(query({ user_id: 'b', limit: 10 }), { reader, shards: 1 });
    expect([page.entries.length, page.hasMore]).toEqual([10, true]);
    expect(evaluatedIn(reads)).toBeLessThan(100);
  });

  it('looks a while for another entry when it is full, and otherwise leaves that to the next page', async () => {
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

  it('does not read again what the page before has looked through', async () => {
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
