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

function listOf(entries: LogEntry[], parameters: Record<string, string>) {
  const dependencies = {
    ...memoryRollups({ uncounted: entries, nowMs: startMs + 3_600_000 }).dependencies,
    logEntries: memoryLogEntries(entries).reader,
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

  it('says since when it is complete if the window has more entries than it reads', async () => {
    const entries = Array.from({ length: maxScannedItems + 1500 }, (_, index) =>
      entryAt(index / 100, { latency_ms: index % 7000 }),
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
