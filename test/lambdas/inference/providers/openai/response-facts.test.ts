import { describe, expect, it } from 'vitest';
import { readReportedCost } from '#lambdas/inference/providers/openai/response-facts.ts';

describe('the cost that a provider states', () => {
  // https://openrouter.ai/docs/use-cases/usage-accounting
  it.each([
    ['is the cost', { cost: 0.00011018 }, '0.00011018'],
    ['may be very small', { cost: 2.05e-7 }, '0.000000205'],
    ['may be nothing', { cost: 0 }, '0'],
    [
      'is not doubled where the upstream cost is the same money',
      { cost: 0.0001, is_byok: false, cost_details: { upstream_inference_cost: 0.0001 } },
      '0.0001',
    ],
    [
      'has the upstream cost beside the fee with a key of one’s own',
      { cost: 0.0018, is_byok: true, cost_details: { upstream_inference_cost: 0.0360795 } },
      '0.0378795',
    ],
    [
      'is not known by the fee alone',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: null } },
      null,
    ],
    ['is not known by the fee alone, without details', { cost: 0, is_byok: true }, null],
    ['is a number', { cost: '0.1' }, null],
    ['is not below nothing', { cost: -1 }, null],
    ['is not beyond all reason', { cost: 1e22 }, null],
    [
      'is not beyond all reason with a key of one’s own',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 1e22 } },
      null,
    ],
    ['may be missing', { prompt_tokens: 1 }, null],
  ])('in dollars %s', (_case, usage, expected) => {
    expect(readReportedCost(usage, 'cost')).toBe(expected);
  });

  // https://docs.x.ai/developers/cost-tracking
  it.each([
    [37_756_000, '0.0037756'],
    [1, '0.0000000001'],
    [0, '0'],
    [10_000_000_000, '1'],
    [123_456_789_012, '12.3456789012'],
    [1.5, null],
    [-1, null],
    ['1', null],
  ])('in ticks of %s is %s', (cost_in_usd_ticks, expected) => {
    expect(readReportedCost({ cost_in_usd_ticks }, 'cost_in_usd_ticks')).toBe(expected);
  });

  it('is not looked for where the provider states none', () => {
    expect(readReportedCost({ cost: 1, cost_in_usd_ticks: 1 }, null)).toBeNull();
    expect(readReportedCost(null, 'cost')).toBeNull();
  });
});
