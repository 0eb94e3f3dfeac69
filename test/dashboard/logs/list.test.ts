import { describe, expect, it } from 'vitest';
import { addToTail, emptyTail, hasGap, mergeEntries, tailStart } from '#dashboard/logs/list/tail.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { firstLogIdAt } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';

const nowMs = Date.UTC(2026, 10, 23, 12);

/** An entry of a request received that many seconds before now. */
function entry(secondsAgo: number, fields: Partial<ListedLogEntry> = {}): ListedLogEntry {
  return { ...logEntry({ id: firstLogIdAt(nowMs - secondsAgo * 1000) }), ...fields };
}

describe('mergeEntries', () => {
  it('sorts two lists into one, the newest first, with the newer version of an entry in both', () => {
    const ended = entry(20, { outcome: 'completed' });
    const interrupted = entry(20, { outcome: 'interrupted' });

    expect(mergeEntries([entry(5), ended], [entry(10), interrupted, entry(30)])).toEqual([
      entry(5),
      entry(10),
      ended,
      entry(30),
    ]);
  });
});

describe('addToTail', () => {
  const listedIds = new Set([entry(60).id]);

  it('counts an entry once, also one of a long request between older ones', () => {
    const first = addToTail(emptyTail(nowMs), [entry(1), entry(60)], listedIds, nowMs);
    const second = addToTail(first, [entry(1), entry(40), entry(60)], listedIds, nowMs + 2000);

    expect(first.arrived).toBe(1);
    expect(second.arrived).toBe(2);
    expect(second.entries).toEqual([entry(1), entry(40), entry(60)]);
  });

  it('highlights entries for five seconds', () => {
    const first = addToTail(emptyTail(nowMs), [entry(1)], listedIds, nowMs);
    expect([...addToTail(first, [entry(1)], listedIds, nowMs + 4999).arrivals.keys()]).toEqual([entry(1).id]);
    expect(addToTail(first, [entry(1)], listedIds, nowMs + 5000).arrivals.size).toBe(0);
  });
});

describe('hasGap', () => {
  it('is true if the page ends before a known entry and more follow', () => {
    const data = [entry(1), entry(2)];
    expect(hasGap({ data, has_more: true }, entry(3).id)).toBe(true);
    expect(hasGap({ data, has_more: true }, entry(2).id)).toBe(false);
    expect(hasGap({ data, has_more: false }, entry(3).id)).toBe(false);
    expect(hasGap({ data, has_more: true }, null)).toBe(false);
  });
});

describe('tailStart', () => {
  it('goes back 16 minutes from the last read, but not before the range', () => {
    expect(tailStart(new Date('2026-11-01'), nowMs).toISOString()).toBe('2026-11-23T11:44:00.000Z');
    expect(tailStart(new Date('2026-11-23T11:50:00Z'), nowMs).toISOString()).toBe('2026-11-23T11:50:00.000Z');
  });
});
