import { describe, expect, it } from 'vitest';
import { readLogList } from '#lambdas/reports/logs/list.ts';
import { maxScannedItems } from '#lambdas/reports/logs/scan.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/reports/memory-log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);

const entryAt = (second: number, fields: Partial<LogEntry>) =>
  logEntry({ id: createLogId(startMs + second * 1000), ...fields });

const dayMs = 86_400_000;

const itemWeight = 4;

/** Counted, and long ago. Each entry is as many items. */
function countedListOf(entries: LogEntry[], parameters: Record<string, string>) {
  const { reader } = memoryLogEntries(entries);
  const weighted: typeof reader = {
    async readPage(range, after, pageSize) {
      const page = await reader.readPage(range, after, Math.ceil(pageSize / itemWeight));
      return { ...page, scannedCount: itemWeight * page.scannedCount };
    },
  };
  return listFrom(memoryRollups({ entries, nowMs: startMs + 40 * dayMs }), weighted, parameters);
}

function listOf(entries: LogEntry[], parameters: Record<string, string>) {
  return listFrom(
    memoryRollups({ uncounted: entries, nowMs: startMs + 3_600_000 }),
    memoryLogEntries(entries).reader,
    parameters,
  );
}

function listFrom(
  rollups: ReturnType<typeof memoryRollups>,
  logEntries: ReturnType<typeof memoryLogEntries>['reader'],
  parameters: Record<string, string>,
) {
  const dependencies = {
    ...rollups.dependencies,
    logEntries,
    logAccessOf: async () => ({ shards: 1, cursorKey: 'a2V5' }),
  };
  const raw = Object.entries(parameters).map(([name, value]) => [name, [value]]);
  return readLogList(dependencies, 'org_1', Object.fromEntries(raw), (list) => list);
}

describe('A sorted list', () => {
  it('has the entries by value, and those of the same value newest first', async () => {
    const [one, two, three, four] = [
      entryAt(0, { cost_usd: '0.100000000002' }),
      entryAt(1, { cost_usd: '0.2' }),
      entryAt(2, { cost_usd: '0.100000000001' }),
      entryAt(3, { cost_usd: '0.2' }),
    ];
    const entries = [one, two, three, four];
    const sorted = { searchedEntries: 4, searchedBackToMs: null, hasMoreMatches: false };
    const page = { hasMore: false, nextCursor: null, searchedBackToMs: null };

    expect(await listOf(entries, { sort: 'cost_usd' })).toEqual({
      ...page,
      entries: [four, two, one, three],
      sorted,
    });
    expect(await listOf(entries, { sort: 'cost_usd', order: 'asc', limit: '3' })).toEqual({
      ...page,
      entries: [three, one, four],
      sorted: { ...sorted, hasMoreMatches: true },
    });
  });

  it('leaves out rejected requests, and those without the field, but counts no retries as 0', async () => {
    const rejected = { outcome: 'rejected', total_tokens: null } as const;
    const interrupted = { outcome: 'interrupted', latency_ms: 9 } as const;
    const entries = [
      entryAt(0, { total_tokens: 7, latency_ms: 3, retries: 2 }),
      entryAt(1, { ...rejected, latency_ms: 8 }),
      entryAt(2, { ...interrupted, total_tokens: null, retries: null }),
      entryAt(3, { total_tokens: null, latency_ms: 4, retries: null }),
    ];
    const positions = async (parameters: Record<string, string>) =>
      (await listOf(entries, parameters)).entries.map(({ id }) =>
        entries.findIndex((entry) => entry.id === id),
      );

    expect(await positions({ sort: 'total_tokens' })).toEqual([0]);
    expect(await positions({ sort: 'latency_ms' })).toEqual([3, 0]);
    expect(await positions({ sort: 'latency_ms', outcome: 'interrupted' })).toEqual([2]);
    expect(await positions({ sort: 'latency_ms', outcome: 'rejected' })).toEqual([1]);
    expect(await positions({ sort: 'retries' })).toEqual([0, 3, 2]);
    expect(await positions({ max_retries: '0' })).toEqual([3, 2]);
    expect(await positions({ min_latency_ms: '4' })).toEqual([3]);
  });

  it('has a request that was received before the newest one, ended after it, and has not been counted', async () => {
    // The newest is of another day, whose rows do not show that the day before has a higher value.
    const midnight = 14.5 * 3600;
    const newest = entryAt(midnight + 240, { latency_ms: 1000 });
    const long = entryAt(midnight - 300, { latency_ms: 10 * 60_000 });
    // Four periods are read at the same time: the days of these and of the newest are read before.
    const ofEarlierDays = [1, 2, 3, 4, 5, 6, 7].map((day) => entryAt(-86_400 * day, { latency_ms: 990 }));
    const earlier = [...ofEarlierDays, entryAt(0, { latency_ms: 500 })];
    const rollups = memoryRollups({
      entries: [...earlier, newest],
      uncounted: [long],
      nowMs: startMs + (midnight + 360) * 1000,
    });
    const { reader } = memoryLogEntries([...earlier, long, newest]);

    const { entries, sorted } = await listFrom(rollups, reader, { sort: 'latency_ms', limit: '1' });

    expect(entries).toEqual([long]);
    expect(sorted).toMatchObject({ searchedBackToMs: null });
  });

  it('says since when it is complete if the window has more entries than it reads', async () => {
    // Two in each millisecond but the newest, so that the limit divides a pair: the slowest two.
    const entries = Array.from({ length: maxScannedItems + 1501 }, (_, index) =>
      entryAt(Math.floor(index / 2) / 50, {
        latency_ms: Math.floor(index / 2) === 750 ? 9000 : index % 7000,
      }),
    );

    const { entries: listed, sorted } = await listOf(entries, { sort: 'latency_ms', limit: '2' });

    const searchedFrom = sorted?.searchedBackToMs ?? 0;
    const inTime = entries.filter(({ created_at }) => Date.parse(created_at) >= searchedFrom);
    const first = inTime.toSorted((a, b) => b.latency_ms - a.latency_ms || (a.id < b.id ? 1 : -1));
    expect(listed).toEqual(first.slice(0, 2));
    expect(inTime.length).toBeGreaterThanOrEqual(maxScannedItems - 1);
    expect(sorted).toMatchObject({ hasMoreMatches: true });
    const end = new Date(searchedFrom).toISOString();
    const earlier = await listOf(entries, { sort: 'latency_ms', limit: '1000', end });
    expect(earlier.sorted).toEqual({
      searchedEntries: entries.length - inTime.length,
      searchedBackToMs: null,
      hasMoreMatches: true,
    });
  });
});

describe('A sorted list of a window with more entries than it reads', () => {
  /** A request every four minutes for ten days; one in 241 is slow, one in 373 expensive. */
  const entries = Array.from({ length: 10 * 360 }, (_, index) =>
    entryAt(240 * index, {
      latency_ms: index % 241 === 0 ? 100_000 + 25_000 * (index / 241) : 1000 + ((index * 7919) % 500),
      time_to_first_token_ms: null,
      cost_usd: index % 373 === 0 ? String(10 + index) : '0.001',
      api_key_id: index % 2 === 0 ? 'key_even' : 'key_odd',
    }),
  );
  const highest = (field: 'latency_ms' | 'cost_usd', count: number, from = entries) =>
    from.toSorted((a, b) => Number(b[field]) - Number(a[field]) || (a.id < b.id ? 1 : -1)).slice(0, count);

  it('has the highest values of the whole window after reading the hours that can have them', async () => {
    const slowest = await countedListOf(entries, { sort: 'latency_ms', limit: '5' });
    const topByCost = await countedListOf(entries, { sort: 'cost_usd', limit: '3' });
    const ofKey = await countedListOf(entries, { sort: 'latency_ms', limit: '3', api_key_id: 'key_even' });

    expect(slowest.entries).toEqual(highest('latency_ms', 5));
    expect(slowest.sorted).toMatchObject({ searchedBackToMs: null, hasMoreMatches: true });
    expect(slowest.sorted?.searchedEntries).toBeLessThan(1000);
    expect(topByCost.entries).toEqual(highest('cost_usd', 3));
    expect(topByCost.sorted?.searchedEntries).toBeLessThan(1000);
    const even = entries.filter(({ api_key_id }) => api_key_id === 'key_even');
    expect(ofKey.entries).toEqual(highest('latency_ms', 3, even));
    // A day of the key has few requests, so it is not split.
    expect(ofKey.sorted?.searchedEntries).toBeLessThan((itemWeight * entries.length) / 2);
  });

  it('has fewer entries than the limit if it is certain only of those', async () => {
    const { entries: listed, sorted } = await countedListOf(entries, { sort: 'latency_ms', limit: '1000' });

    expect(listed).toEqual(highest('latency_ms', listed.length));
    expect(listed.length).toBeGreaterThanOrEqual(15);
    expect(listed.length).toBeLessThan(1000);
    expect(sorted).toMatchObject({ searchedBackToMs: null, hasMoreMatches: true });
  });

  it('has the first of the newest entries if it is certain of none', async () => {
    const equal = entries.map((entry, index) => ({ ...entry, latency_ms: 1000 + (index % 3) }));

    const { entries: listed, sorted } = await countedListOf(equal, { sort: 'latency_ms', limit: '1000' });

    const since = equal.filter(({ created_at }) => Date.parse(created_at) >= (sorted?.searchedBackToMs ?? 0));
    const first = since.toSorted((a, b) => b.latency_ms - a.latency_ms || (a.id < b.id ? 1 : -1));
    expect(sorted?.searchedBackToMs).toBeGreaterThan(startMs);
    expect(listed).toEqual(first.slice(0, 1000));
  });

  it('skips hours without the range, in the other order as well', async () => {
    const parameters = { sort: 'latency_ms', order: 'asc', min_latency_ms: '300000' };

    const { entries: listed, sorted } = await countedListOf(entries, parameters);

    expect(listed.map(({ latency_ms }) => latency_ms)).toEqual([
      300_000, 325_000, 350_000, 375_000, 400_000, 425_000, 450_000,
    ]);
    expect(sorted).toMatchObject({ searchedBackToMs: null, hasMoreMatches: false });
    expect(sorted?.searchedEntries).toBeLessThan(1000);
  });
});
