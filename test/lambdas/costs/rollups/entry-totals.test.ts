import { describe, expect, it } from 'vitest';
import { entryTotals } from '#lambdas/costs/rollups/entry-totals.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { logEntry } from '#test/support/log-entries.ts';

const withHistograms = { withHistograms: true };

describe('entryTotals', () => {
  it('counts tokens, cost and durations of a completed request', () => {
    const entry = logEntry({
      ...{ input_tokens: 1200, output_tokens: 300, cached_input_tokens: 1000, cache_write_input_tokens: 50 },
      ...{ reasoning_tokens: 70, cost_usd: '0.25', pricing: 'assumed' },
      ...{ latency_ms: 900, overhead_ms: 3, time_to_first_token_ms: 0 },
    });
    const sums = {
      ...{ requests: 1, input_tokens: 1200, output_tokens: 300, cached_input_tokens: 1000 },
      ...{ cache_write_input_tokens: 50, reasoning_tokens: 70, cost_usd: '0.25', assumed_requests: 1 },
      ...{ assumed_cost_usd: '0.25', latency_ms: 900, overhead_ms: 3 },
    };
    expect(entryTotals(entry, withHistograms)).toEqual({
      ...noTotals,
      ...sums,
      histograms: { l40: 1, f00: 1 },
    });
    expect(entryTotals(entry, { withHistograms: false })).toEqual({ ...noTotals, ...sums });
  });

  it.each([
    ['provider_error', { provider_error_requests: 1 }],
    ['timeout', { timeout_requests: 1 }],
    ['client_closed', { client_closed_requests: 1 }],
    ['completed', {}],
  ] as const)('counts a request with the outcome %s', (outcome, sums) => {
    const entry = logEntry({
      ...{ outcome, input_tokens: null, output_tokens: null, cost_usd: '0', pricing: 'unknown' },
      ...{ cached_input_tokens: null, cache_write_input_tokens: null, reasoning_tokens: null },
      ...{ latency_ms: 1, overhead_ms: null, time_to_first_token_ms: null },
    });
    expect(entryTotals(entry, withHistograms)).toEqual({
      ...noTotals,
      ...{ requests: 1, unpriced_requests: 1, latency_ms: 1, histograms: { l01: 1 } },
      ...sums,
    });
  });

  it('counts no durations of an interrupted request, whose end is unknown', () => {
    const entry = logEntry({
      outcome: 'interrupted',
      latency_ms: 7,
      overhead_ms: 7,
      time_to_first_token_ms: 7,
    });
    expect(entryTotals(entry, withHistograms)).toMatchObject({
      ...{ requests: 1, interrupted_requests: 1, latency_ms: 0, overhead_ms: 0, histograms: {} },
    });
  });
});
