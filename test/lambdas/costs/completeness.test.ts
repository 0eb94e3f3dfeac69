import { describe, expect, it } from 'vitest';
import { type CompletenessDependencies, findCompleteUntil } from '#lambdas/costs/completeness.ts';
import type { StoredLogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { shardsOf } from '#lambdas/request-log/table/scan.ts';
import { logEntry } from '#test/support/log-entries.ts';

const nowMs = Date.parse('2026-01-31T12:00:00.000Z');
const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const generation = { generation: 3, cutoverMs: Date.parse('2026-01-02T00:00:00.000Z') };

interface TestEntry {
  shard?: number;
  ageMs: number;
  /** The time from the receipt of the request until its entry was written. */
  durationMs?: number;
  /** See `findCountedUntil`. */
  countedUntilMs?: number | null;
}

interface Restored {
  ageMs: number;
  /** The age of the entry's write. */
  writtenAgeMs: number;
}

async function completeUntil(
  entries: TestEntry[],
  {
    shards = 1,
    restored = [] as Restored[],
    restoredBeforeMs = nowMs,
    restoredUntilMs = nowMs + 1,
    /** See `findOldestUncounted`. */
    oldestUncountedMs = null as number | null,
  } = {},
): Promise<{ time: number; lookups: number; searchedAfterMs: number[] }> {
  const stored = entries.map(({ shard = 0, ageMs, durationMs = 0, countedUntilMs = null }) => ({
    shard,
    countedUntilMs,
    entry: logEntry({ id: createLogId(nowMs - ageMs, shard) }),
    writtenAtMs: nowMs - ageMs + durationMs,
  }));
  const state = { ...generation, restoredUntilMs };
  let lookups = 0;
  const searchedAfterMs: number[] = [];
  const createdMs = ({ entry }: StoredLogEntry) => timestampOfLogId(entry.id);
  const dependencies: CompletenessDependencies = {
    async findNewestEntry({ shard }, beforeMs) {
      lookups += 1;
      const before = stored.filter((each) => each.shard === shard && createdMs(each) < beforeMs);
      return before.sort((one, other) => createdMs(other) - createdMs(one))[0] ?? null;
    },
    async findCountedUntil(used, { entry }) {
      expect(used).toBe(state);
      return stored.find((each) => each.entry.id === entry.id)?.countedUntilMs ?? null;
    },
    async findOldestUncounted({ countedMs, ...search }) {
      expect(search.generation).toBe(state.generation);
      searchedAfterMs.push(countedMs);
      return oldestUncountedMs;
    },
    async findOldestRestored(organizationId, writtenBeforeMs) {
      expect(organizationId).toBe('org');
      const agesMs = restored
        .filter(({ writtenAgeMs }) => nowMs - writtenAgeMs < writtenBeforeMs)
        .map(({ ageMs }) => ageMs);
      return agesMs.length === 0 ? null : nowMs - Math.max(...agesMs);
    },
    now: () => new Date(nowMs),
  };
  const time = await findCompleteUntil(dependencies, state, shardsOf('org', shards), restoredBeforeMs);
  return { time, lookups, searchedAfterMs };
}

describe('findCompleteUntil', () => {
  it('returns the present without entries, and if the newest entry has been counted', async () => {
    const present = { time: nowMs, lookups: 1, searchedAfterMs: [] };
    expect(await completeUntil([])).toEqual(present);
    const newest = { ageMs: hourMs, countedUntilMs: nowMs - hourMs };
    expect(await completeUntil([newest, { ageMs: 2 * hourMs }])).toEqual(present);
  });

  it.each([
    ['5 seconds', 6 * secondMs, 2],
    ['30 seconds', 31 * secondMs, 3],
    ['3 minutes', 4 * minuteMs, 4],
    ['20 minutes', 21 * minuteMs, 5],
    ['2 hours', 3 * hourMs, 6],
    ['12 hours', 13 * hourMs, 7],
  ])('finds the last counted entry that is older than %s', async (_, ageMs, lookups) => {
    const countedUntilMs = nowMs - ageMs + 100;
    const uncounted = [1, 29, 179, 1199, 7199, 43_199].map((seconds) => ({ ageMs: seconds * secondMs }));
    const later = uncounted.filter((each) => each.ageMs < ageMs);
    expect(await completeUntil([...later, { ageMs, countedUntilMs }])).toMatchObject({
      // Entries are written up to 5 seconds after they get their write time.
      time: countedUntilMs - 5 * secondMs,
      lookups,
    });
  });

  it('is no later than the write time of an entry that has not been counted', async () => {
    const counted = { ageMs: 6 * secondMs, countedUntilMs: nowMs };
    const uncounted = { ageMs: 4 * secondMs, durationMs: 3 * secondMs };
    expect((await completeUntil([uncounted, counted])).time).toBe(nowMs - 6 * secondMs);
  });

  it('returns the age up to which it has searched if no entry is older', async () => {
    expect((await completeUntil([{ ageMs: 2 * secondMs }])).time).toBe(nowMs - 5 * secondMs);
    expect((await completeUntil([{ ageMs: 2 * minuteMs, durationMs: minuteMs }])).time).toBe(
      nowMs - 3 * minuteMs,
    );
  });

  it('returns the cutover of the generation if the last counted entry is older than all ages', async () => {
    const counted = { ageMs: 20 * hourMs, countedUntilMs: nowMs - 20 * hourMs };
    expect(await completeUntil([{ ageMs: secondMs }, { ageMs: 13 * hourMs }, counted])).toMatchObject({
      time: generation.cutoverMs,
      lookups: 7,
    });
  });

  it('is the write time of the oldest uncounted entry, if the last counted one is older than ten seconds', async () => {
    const entries = (countedAgeMs: number) => [
      { ageMs: secondMs },
      { ageMs: countedAgeMs, countedUntilMs: nowMs - countedAgeMs },
    ];
    const oldestUncountedMs = nowMs - secondMs;
    expect(await completeUntil(entries(9 * hourMs), { oldestUncountedMs })).toMatchObject({
      time: oldestUncountedMs,
      searchedAfterMs: [nowMs - 9 * hourMs - 5 * secondMs],
    });
    const all = { oldestUncountedMs: Number.POSITIVE_INFINITY };
    expect((await completeUntil(entries(hourMs), all)).time).toBe(nowMs);
    // An entry gets its write time up to 5 seconds before the table has it.
    expect(await completeUntil(entries(5001), { oldestUncountedMs })).toMatchObject({
      time: oldestUncountedMs,
      searchedAfterMs: [nowMs - 10_001],
    });
  });

  it('looks for no oldest uncounted entry if the last counted one is recent', async () => {
    const recent = { ageMs: 5 * secondMs + 1, countedUntilMs: nowMs - 5 * secondMs };
    expect(await completeUntil([{ ageMs: secondMs }, recent])).toMatchObject({
      time: nowMs - 10 * secondMs,
      searchedAfterMs: [],
    });
  });

  it('returns the earliest time of all shards', async () => {
    const entries = [
      { shard: 0, ageMs: secondMs, countedUntilMs: nowMs },
      { shard: 1, ageMs: secondMs },
      { shard: 1, ageMs: 10 * secondMs, countedUntilMs: nowMs - 9 * secondMs },
      { shard: 2, ageMs: secondMs },
      { shard: 2, ageMs: 40 * secondMs, countedUntilMs: nowMs - 39 * secondMs },
    ];
    expect((await completeUntil(entries, { shards: 4 })).time).toBe(nowMs - 44 * secondMs);
    expect((await completeUntil(entries.slice(0, 3), { shards: 4 })).time).toBe(nowMs - 14 * secondMs);
  });

  it('is the receipt of the oldest restored request that has not been counted', async () => {
    const newest = { ageMs: secondMs, countedUntilMs: nowMs };
    const restored = [
      { ageMs: hourMs, writtenAgeMs: 2 * minuteMs },
      { ageMs: 40 * 24 * hourMs, writtenAgeMs: minuteMs },
    ];

    expect((await completeUntil([newest], { restored })).time).toBe(nowMs - 40 * 24 * hourMs);
    const restoredBeforeMs = nowMs - minuteMs;
    expect((await completeUntil([newest], { restored, restoredBeforeMs })).time).toBe(nowMs - hourMs);
    expect((await completeUntil([newest], { restored: [] })).time).toBe(nowMs);
    const restoredUntilMs = nowMs;
    expect((await completeUntil([newest], { restored, restoredUntilMs })).time).toBe(nowMs);
  });
});
