import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contributionOf, cutWindow, periods } from '../../../../lambdas/shared/domain/rollup.ts';
import { allTime } from '../../../../lambdas/shared/domain/time-window.ts';
import { logEntry } from '../../../support/log-entries.ts';

const at = (text: string) => Date.parse(text);

describe('cutting a window', () => {
  it('takes whole days from days, and the edges from hours, minutes and entries', () => {
    const window = { startMs: at('2026-01-01T22:58:30.500Z'), endMs: at('2026-01-04T01:01:00.001Z') };
    const parts = cutWindow(window).map(({ source, startMs, endMs }) => [
      source,
      new Date(startMs).toISOString(),
      new Date(endMs).toISOString(),
    ]);
    expect(parts).toEqual([
      ['entries', '2026-01-01T22:58:30.500Z', '2026-01-01T22:59:00.000Z'],
      ['minute', '2026-01-01T22:59:00.000Z', '2026-01-01T23:00:00.000Z'],
      ['hour', '2026-01-01T23:00:00.000Z', '2026-01-02T00:00:00.000Z'],
      ['day', '2026-01-02T00:00:00.000Z', '2026-01-04T00:00:00.000Z'],
      ['hour', '2026-01-04T00:00:00.000Z', '2026-01-04T01:00:00.000Z'],
      ['minute', '2026-01-04T01:00:00.000Z', '2026-01-04T01:01:00.000Z'],
      ['entries', '2026-01-04T01:01:00.000Z', '2026-01-04T01:01:00.001Z'],
    ]);
  });

  it('needs days alone for all of time', () => {
    expect(cutWindow(allTime)).toEqual([{ source: 'day', ...allTime }]);
  });

  it('covers every window without gap or overlap, in few parts', () => {
    const instant = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2026-03-01T00:00:00Z') });
    fc.assert(
      fc.property(instant, instant, (left, right) => {
        const window = { startMs: Math.min(left, right), endMs: Math.max(left, right) };
        const parts = cutWindow(window);
        let reached = window.startMs;
        for (const part of parts) {
          expect(part.startMs).toBe(reached);
          const ms = periods.find(({ name }) => name === part.source)?.ms ?? 1;
          expect([part.startMs % ms, part.endMs % ms]).toEqual([0, 0]);
          reached = part.endMs;
        }
        expect(reached).toBe(window.endMs);
        const length = (source: string) =>
          parts
            .filter((part) => part.source === source)
            .reduce((sum, part) => sum + part.endMs - part.startMs, 0);
        expect(length('entries')).toBeLessThan(2 * 60_000);
        expect(length('minute')).toBeLessThan(2 * 3_600_000);
        expect(length('hour')).toBeLessThan(2 * 86_400_000);
      }),
    );
  });
});

describe('what an entry adds', () => {
  it('goes to its minute, hour and day', () => {
    const entry = logEntry({ created_at: '2026-01-31T09:30:59.999Z', pricing: 'unknown', cost_usd: '0' });
    const contribution = contributionOf(entry);
    expect(contribution?.keys.map(({ period, periodStart }) => [period, periodStart])).toEqual([
      ['day', '2026-01-31'],
      ['hour', '2026-01-31T09'],
      ['minute', '2026-01-31T09:30'],
    ]);
    expect(contribution?.totals).toEqual({
      requests: 1,
      cost_usd: '0',
      input_tokens: 1200,
      output_tokens: 300,
      unpriced_requests: 1,
    });
  });

  it('is nothing when no provider was called', () => {
    expect(contributionOf(logEntry({ outcome: 'rejected' }))).toBeNull();
  });

  it('is a request without tokens when the provider failed', () => {
    const failed = logEntry({
      outcome: 'provider_error',
      input_tokens: null,
      output_tokens: null,
      cost_usd: '0',
    });
    expect(contributionOf(failed)?.totals).toMatchObject({ requests: 1, input_tokens: 0, output_tokens: 0 });
  });
});
