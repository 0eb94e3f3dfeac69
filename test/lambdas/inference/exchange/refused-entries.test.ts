import { describe, expect, it } from 'vitest';
import { createRefusedEntryLimit } from '#lambdas/inference/exchange/refused-entries.ts';
import type { RateLimitRefusal } from '#lambdas/limits/refusal.ts';
import { type LogEntry, requestsOf } from '#lambdas/request-log/entry.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

const refusal: RateLimitRefusal = {
  by: 'rate_limit',
  owner: 'api_key',
  api_key_id: 'key_1',
  limit: 'requests_per_minute',
  limit_value: 60,
  retry_after_ms: 1000,
};

const refused = (api_key_id = 'key_1', organization_id = 'org_1') =>
  logEntry({ outcome: 'rejected', status: 429, refusal, api_key_id, organization_id });

/** The numbers of requests that the entries stand for; `null` for requests without an entry. */
function counts(limit: ReturnType<typeof createRefusedEntryLimit>, entries: LogEntry[], nowMs = 0) {
  return entries.map((entry) => {
    const written = limit(entry, nowMs);
    return written && requestsOf(written);
  });
}

describe('The entries of requests that rate limits refuse', () => {
  it('are ten a minute for a key, then one for every 50, and the next minute counts the others', () => {
    const limit = createRefusedEntryLimit();
    const flood = counts(limit, Array(139).fill(refused()));

    expect(flood.slice(0, 11)).toEqual([...Array(10).fill(1), null]);
    expect(flood.flatMap((requests, index) => (requests === 50 ? index + 1 : []))).toEqual([60, 110]);
    expect(flood.filter((requests) => requests !== null)).toHaveLength(12);
    expect(counts(limit, [refused(), refused()], 60_000)).toEqual([30, 1]);
  });

  it('are limited for each organization and key', () => {
    const limit = createRefusedEntryLimit();
    counts(limit, Array(11).fill(refused()));

    expect(counts(limit, [refused(), refused('key_2'), refused('key_1', 'org_2')])).toEqual([null, 1, 1]);
  });

  it('have no number if they stand for one request', () => {
    const entry = refused();

    expect(createRefusedEntryLimit()(entry, 0)).toEqual({ ...entry, refused_requests: null });
  });

  it.each<[string, Partial<LogEntry>]>([
    ['of a completed request', { outcome: 'completed', refusal: null }],
    ['of a request that was rejected for another reason', { refusal: null, error_code: 'model_not_found' }],
    ['of a request that a budget refused', { refusal: { by: 'budget' } as LogEntry['refusal'] }],
  ])('do not include that %s, which is always written', (_, fields) => {
    const limit = createRefusedEntryLimit();
    const entry = { ...refused(), ...fields };

    for (let requests = 0; requests < 100; requests++) expect(limit(entry, 0)).toBe(entry);
  });

  it('are limited anew for the key that was refused least recently, if there are too many keys', () => {
    const limit = createRefusedEntryLimit(2);
    counts(limit, [...Array(11).fill(refused('key_1')), ...Array(11).fill(refused('key_2'))]);

    expect(
      counts(
        limit,
        ['key_1', 'key_3', 'key_1', 'key_2'].map((key) => refused(key)),
      ),
    ).toEqual([null, 1, null, 1]);
  });

  it('add up to all refused requests of a key but the last 49, and are few', () => {
    const request = fc.record({
      key: fc.constantFrom('key_1', 'key_2', 'key_3'),
      requests: fc.integer({ min: 1, max: 120 }),
      waitMs: fc.oneof(fc.nat(500), fc.nat(90_000)),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40 }), (bursts) => {
        const limit = createRefusedEntryLimit();
        const sums = new Map<string, { sent: number; counted: number; entries: number }>();
        let nowMs = 0;
        for (const { key, requests, waitMs } of bursts) {
          nowMs += waitMs;
          const sum = sums.get(key) ?? { sent: 0, counted: 0, entries: 0 };
          sums.set(key, sum);
          for (const counted of counts(limit, Array(requests).fill(refused(key)), nowMs)) {
            sum.sent += 1;
            sum.counted += counted ?? 0;
            sum.entries += Number(counted !== null);
            expect(sum.sent - sum.counted).toBeGreaterThanOrEqual(0);
            expect(sum.sent - sum.counted).toBeLessThanOrEqual(49);
          }
        }
        const minutes = Math.floor(nowMs / 60_000) + 1;
        for (const { sent, entries } of sums.values())
          expect(entries).toBeLessThanOrEqual(10 * minutes + sent / 50);
      }),
    );
  });
});
