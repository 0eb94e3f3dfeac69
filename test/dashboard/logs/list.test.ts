import { describe, expect, it } from 'vitest';
import { addToTail, emptyTail, mergeEntries } from '#dashboard/logs/list/tail.ts';
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
  const response = (data: ListedLogEntry[], token = '2') => ({ data, has_more: false, tail: token });

  it('counts an entry once, also one of a long request between older ones', () => {
    const first = addToTail(emptyTail('1'), response([entry(1), entry(60)]), listedIds, nowMs);
    const second = addToTail(first, response([entry(1), entry(40)], '3'), listedIds, nowMs + 2000);

    expect([first.arrived, first.token]).toEqual([1, '2']);
    expect([second.arrived, second.token]).toEqual([2, '3']);
    expect(second.entries).toEqual([entry(1), entry(40), entry(60)]);
  });

  it('highlights entries for five seconds', () => {
    const first = addToTail(emptyTail('1'), response([entry(1)]), listedIds, nowMs);
    const arrivals = (atMs: number) => addToTail(first, response([]), listedIds, atMs).arrivals;
    expect([...arrivals(nowMs + 4999).keys()]).toEqual([entry(1).id]);
    expect(arrivals(nowMs + 5000).size).toBe(0);
  });

  it('has a gap if entries are missing, or are too many to keep', () => {
    const missing = { data: [entry(1)], has_more: true, tail: '2' };
    expect(addToTail(emptyTail('1'), missing, listedIds, nowMs)).toEqual({ ...emptyTail('1'), hasGap: true });
    const full = { ...emptyTail('1'), entries: Array.from({ length: 5001 }, () => entry(1)) };
    expect(addToTail(full, response([]), listedIds, nowMs).hasGap).toBe(true);
  });
});
