import { describe, expect, it } from 'vitest';
import { readReportedCost } from '#lambdas/inference/providers/reported-cost.ts';

describe('readReportedCost', () => {
  // https://openrouter.ai/docs/use-cases/usage-accounting
  it.each([
    ['a decimal cost', { cost: 0.00011018 }, '0.00011018'],
    ['a cost in exponent notation', { cost: 2.05e-7 }, '0.000000205'],
    ['a cost of zero', { cost: 0 }, '0'],
    [
      'an upstream cost that the cost includes',
      { cost: 0.0001, is_byok: false, cost_details: { upstream_inference_cost: 0.0001 } },
      '0.0001',
    ],
    [
      'a fee plus the upstream cost with BYOK',
      { cost: 0.0018, is_byok: true, cost_details: { upstream_inference_cost: 0.0360795 } },
      '0.0378795',
    ],
    [
      'a BYOK fee with an unknown upstream cost',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: null } },
      null,
    ],
    ['a BYOK fee without cost details', { cost: 0, is_byok: true }, null],
    ['a cost that is a string', { cost: '0.1' }, null],
    ['a negative cost', { cost: -1 }, null],
    ['an implausible cost', { cost: 1e22 }, null],
    [
      'an implausible upstream cost with BYOK',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 1e22 } },
      null,
    ],
    ['usage without a cost', { prompt_tokens: 1 }, null],
  ])('reads %s in dollars', (_case, usage, expected) => {
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
  ])('reads %s ticks as %s dollars', (cost_in_usd_ticks, expected) => {
    expect(readReportedCost({ cost_in_usd_ticks }, 'cost_in_usd_ticks')).toBe(expected);
  });

  it('returns null without a cost field or usage', () => {
    expect(readReportedCost({ cost: 1, cost_in_usd_ticks: 1 }, null)).toBeNull();
    expect(readReportedCost(null, 'cost')).toBeNull();
  });
});
