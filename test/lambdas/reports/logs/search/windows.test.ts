import { describe, expect, it } from 'vitest';
import { allTime } from '#lambdas/platform/time-window.ts';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { createSearchLimit } from '#lambdas/reports/logs/search/hour-search.ts';
import { findEntryWindows, type WindowDependencies } from '#lambdas/reports/logs/search/windows.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, firstLogIdAt } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type MemoryRollupOptions, memoryRollups } from '#test/support/reports/memory-rollups.ts';

const now = '2026-01-31T12:20:00Z';
const forever = new Date(allTime.endMs).toISOString().slice(0, 16);

const entryAt = (time: string, fields: Partial<LogEntry> = {}) =>
  logEntry({ id: createLogId(Date.parse(time)), api_key_id: 'key_b', latency_ms: 1000, ...fields });

const queryOf = (parameters: Record<string, string>) =>
  parseLogQuery(
    'org_1',
    Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]])),
  );

interface Options {
  parameters?: Record<string, string>;
  after?: string;
  remainingReads?: number;
  shards?: number;
}

async function windowsOf(
  dependencies: WindowDependencies,
  { parameters = { api_key_id: 'key_a' }, after, remainingReads = 1000, shards = 1 }: Options = {},
) {
  const range = { query: queryOf(parameters), shards, after };
  const windows = findEntryWindows(dependencies, range, createSearchLimit(remainingReads));
  const found: string[] = [];
  for await (const { startMs, endMs } of windows) {
    found.push([startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(' '));
  }
  return { found, searchEndMs: await windows.findSearchEndMs() };
}

const found = async (stored: Omit<MemoryRollupOptions, 'nowMs'>, options?: Options) => {
  const { dependencies } = memoryRollups({ ...stored, nowMs: Date.parse(now) });
  return (await windowsOf(dependencies, options)).found;
};

/** Without any of the others, so a call throws. */
const clockOnly = { now: () => new Date(now) } as WindowDependencies;

const recent = `2026-01-31T11:00 ${forever}`;

describe('The windows that a page reads', () => {
  it('are the window of the query, read without rollups, if it has no filter that needs them', async () => {
    const parameters = { start: '2026-01-01T00:00:00Z', end: '2026-01-31T00:00:00Z', user_id: 'u' };

    expect((await windowsOf(clockOnly, { parameters })).found).toEqual(['2026-01-01T00:00 2026-01-31T00:00']);
  });

  it('begin with the running hour and the one before, without a read of rollups', async () => {
    const windows = findEntryWindows(
      clockOnly,
      { query: queryOf({ api_key_id: 'key_a' }), shards: 1, after: undefined },
      createSearchLimit(1000),
    );

    const first = await windows[Symbol.asyncIterator]().next();
    expect(first.value).toEqual({
      startMs: Date.parse('2026-01-31T11:00:00Z'),
      endMs: allTime.endMs,
      isLast: false,
    });
    const parameters = { api_key_id: 'key_a', start: '2026-01-31T11:59:00Z', end: '2026-01-31T12:10:00Z' };
    expect((await windowsOf(clockOnly, { parameters })).found).toEqual(['2026-01-31T11:59 2026-01-31T12:10']);
  });

  it('are the last two hours when there are no entries', async () => {
    expect(await found({})).toEqual([recent]);
  });

  it('include only matching hours before', async () => {
    const entries = [
      entryAt('2026-01-31T12:00:00Z'),
      entryAt('2026-01-31T09:30:00Z', { api_key_id: 'key_a' }),
      entryAt('2026-01-31T08:30:00Z'),
      entryAt('2026-01-30T08:30:00Z', { api_key_id: 'key_a' }),
      entryAt('2026-01-29T08:30:00Z'),
    ];

    expect(await found({ entries })).toEqual([
      recent,
      '2026-01-31T09:00 2026-01-31T10:00',
      '2026-01-30T08:00 2026-01-30T09:00',
    ]);
  });

  it('include the hours from the first uncounted entry on, minus the duration of a request', async () => {
    const counted = entryAt('2026-01-30T05:00:00Z');
    const uncounted = entryAt('2026-01-31T08:20:00Z');

    expect(await found({ entries: [counted], uncounted: [uncounted] })).toContain(
      '2026-01-30T05:00 2026-01-31T11:00',
    );
    // Looked up at the ages of 12 and 2 hours: the older one has been counted, and so have entries written before.
    const between = entryAt('2026-01-30T23:17:10Z');
    expect(await found({ entries: [counted, between], uncounted: [uncounted] })).toContain(
      '2026-01-30T23:00 2026-01-31T11:00',
    );
  });

  it('include hours in which a request can have begun before the newest entry and ended after it', async () => {
    const newest = [entryAt('2026-01-31T06:15:59Z'), entryAt('2026-01-31T06:16:00Z')];
    const oldest = entryAt('2026-01-30T00:00:00Z');

    expect(await found({ entries: [oldest, ...newest.slice(0, 1)] })).toContain(
      '2026-01-31T05:00 2026-01-31T11:00',
    );
    expect(await found({ entries: [oldest, ...newest] })).toContain('2026-01-31T06:00 2026-01-31T11:00');
  });

  it('begin at the oldest entry, although rollups are older', async () => {
    const expired = [entryAt('2026-01-20T08:30:00Z', { api_key_id: 'key_a' })];
    const entries = [
      entryAt('2026-01-31T12:00:00Z'),
      entryAt('2026-01-30T08:40:00Z', { api_key_id: 'key_a' }),
    ];
    const { dependencies, reads } = memoryRollups({ entries, expired, nowMs: Date.parse(now) });

    expect((await windowsOf(dependencies)).found).toEqual([recent, '2026-01-30T08:40 2026-01-30T09:00']);
    expect(Math.min(...reads.map(({ window }) => window.startMs))).toBe(Date.parse('2026-01-30T00:00:00Z'));
  });

  it('end at the position of the cursor', async () => {
    const entries = [
      entryAt('2026-01-31T12:00:00Z'),
      ...['2026-01-31T09:30:00Z', '2026-01-31T08:00:00Z', '2026-01-31T07:30:00Z'].map((time) =>
        entryAt(time, { api_key_id: 'key_a' }),
      ),
    ];
    const foundBefore = (after: string) => found({ entries }, { after });

    expect(await foundBefore(firstLogIdAt(Date.parse('2026-01-31T08:00:00Z')))).toEqual([
      '2026-01-31T07:30 2026-01-31T08:00',
    ]);
    expect(await foundBefore(createLogId(Date.parse('2026-01-31T11:30:00Z')))).toEqual([
      '2026-01-31T11:00 2026-01-31T11:30',
      '2026-01-31T07:30 2026-01-31T10:00',
    ]);
  });

  it('end where the search has stopped, unless it has reached the start', async () => {
    const entries = ['2026-01-31T12:00:00Z', '2026-01-30T09:00:00Z', '2026-01-20T09:00:00Z'].map((time) =>
      entryAt(time, { api_key_id: 'key_a' }),
    );
    const { dependencies } = memoryRollups({ entries, nowMs: Date.parse(now) });

    expect(await windowsOf(dependencies, { remainingReads: 4 })).toEqual({
      found: [recent],
      searchEndMs: Date.parse('2026-01-31T00:00:00Z'),
    });
    expect((await windowsOf(dependencies)).searchEndMs).toBeNull();
  });
});
