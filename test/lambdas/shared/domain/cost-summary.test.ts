import { describe, expect, it } from 'vitest';
import { summarizeCosts } from '../../../../lambdas/shared/domain/cost-summary.ts';

const totals = { requests: 2, cost_usd: '0.1', input_tokens: 10, output_tokens: 5, unpriced_requests: 0 };

describe('a cost summary', () => {
  it('is empty without requests', () => {
    expect(summarizeCosts([])).toEqual({
      total_requests: 0,
      total_cost_usd: '0',
      total_input_tokens: 0,
      total_output_tokens: 0,
      unpriced_requests: 0,
      by_model: {},
    });
  });

  it('adds what providers of the same model have in common, in decimals', () => {
    const summary = summarizeCosts([
      { model: 'llama', totals: { ...totals, cost_usd: '0.2' } },
      { model: 'a', totals: { ...totals, unpriced_requests: 2 } },
      { model: 'llama', totals },
    ]);
    expect(summary).toEqual({
      total_requests: 6,
      total_cost_usd: '0.4',
      total_input_tokens: 30,
      total_output_tokens: 15,
      unpriced_requests: 2,
      by_model: {
        a: { ...totals, unpriced_requests: 2 },
        llama: { requests: 4, cost_usd: '0.3', input_tokens: 20, output_tokens: 10, unpriced_requests: 0 },
      },
    });
    expect(Object.keys(summary.by_model)).toEqual(['a', 'llama']);
  });

  it('has room for a model of any name', () => {
    const summary = summarizeCosts([{ model: '__proto__', totals }]);
    expect(Object.entries(summary.by_model)).toEqual([['__proto__', totals]]);
  });
});
