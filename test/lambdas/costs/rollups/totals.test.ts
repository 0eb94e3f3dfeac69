import { describe, expect, it } from 'vitest';
import {
  addTotals,
  amountNames,
  countNames,
  entryTotals,
  isZero,
  noTotals,
  subtractTotals,
  sumTotals,
  type Totals,
} from '#lambdas/costs/rollups/totals.ts';
import { logEntry } from '#test/support/log-entries.ts';

/** The value of the nth count is `base` + n. */
function totalsFrom(base: number, rest: Pick<Totals, (typeof amountNames)[number] | 'histograms'>): Totals {
  return {
    ...noTotals,
    ...Object.fromEntries(countNames.map((name, index) => [name, base + index])),
    ...rest,
  };
}

const left = totalsFrom(100, {
  cost_usd: '0.3',
  assumed_cost_usd: '0.2',
  estimated_cost_usd: '0.1',
  histograms: { l07: 2, l08: 1, f01: 1 },
});
const right = totalsFrom(3, {
  cost_usd: '1.25',
  assumed_cost_usd: '0.000000000001',
  estimated_cost_usd: '0.02',
  histograms: { l07: 1, l08: 1, f02: 4 },
});

it('adds and subtracts every field', () => {
  expect(addTotals(left, right)).toEqual({
    ...Object.fromEntries(countNames.map((name, index) => [name, 103 + 2 * index])),
    cost_usd: '1.55',
    assumed_cost_usd: '0.200000000001',
    estimated_cost_usd: '0.12',
    histograms: { l07: 3, l08: 2, f01: 1, f02: 4 },
  });
  expect(subtractTotals(left, right)).toEqual({
    ...Object.fromEntries(countNames.map((name) => [name, 97])),
    cost_usd: '-0.95',
    assumed_cost_usd: '0.199999999999',
    estimated_cost_usd: '0.08',
    histograms: { l07: 1, f01: 1, f02: -4 },
  });
  expect(sumTotals([left, right, right])).toEqual(addTotals(addTotals(left, right), right));
  expect(sumTotals([])).toEqual(noTotals);
  expect(left.histograms).toEqual({ l07: 2, l08: 1, f01: 1 });
});

it('returns true from isZero only when every field is zero', () => {
  expect(isZero(noTotals)).toBe(true);
  expect(isZero(subtractTotals(left, left))).toBe(true);
  for (const field of countNames) expect(isZero({ ...noTotals, [field]: -1 })).toBe(false);
  for (const field of amountNames) expect(isZero({ ...noTotals, [field]: '-0.000000000001' })).toBe(false);
  expect(isZero({ ...noTotals, histograms: { f99: 1 } })).toBe(false);
});

const withHistograms = { withHistograms: true };

describe('entryTotals', () => {
  it('counts tokens, cost and durations of a completed request', () => {
    const entry = logEntry({
      input_tokens: 1200,
      output_tokens: 300,
      cached_input_tokens: 1000,
      cache_write_input_tokens: 50,
      reasoning_tokens: 70,
      cost_usd: '0.25',
      pricing: 'assumed',
      latency_ms: 900,
      overhead_ms: 3,
      time_to_first_token_ms: 0,
    });
    const sums = {
      requests: 1,
      input_tokens: 1200,
      output_tokens: 300,
      cached_input_tokens: 1000,
      cache_write_input_tokens: 50,
      reasoning_tokens: 70,
      cost_usd: '0.25',
      assumed_requests: 1,
      assumed_cost_usd: '0.25',
      latency_ms: 900,
      overhead_ms: 3,
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
      outcome,
      input_tokens: null,
      output_tokens: null,
      cost_usd: '0',
      pricing: 'unknown',
      cached_input_tokens: null,
      cache_write_input_tokens: null,
      reasoning_tokens: null,
      latency_ms: 1,
      overhead_ms: null,
      time_to_first_token_ms: null,
    });
    expect(entryTotals(entry, withHistograms)).toEqual({
      ...noTotals,
      requests: 1,
      unpriced_requests: 1,
      latency_ms: 1,
      histograms: { l01: 1 },
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
      requests: 1,
      interrupted_requests: 1,
      latency_ms: 0,
      overhead_ms: 0,
      histograms: {},
    });
  });
});
