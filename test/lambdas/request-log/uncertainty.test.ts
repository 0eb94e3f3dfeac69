import { describe, expect, it } from 'vitest';
import { priceSources } from '#lambdas/pricing/price-context.ts';
import {
  uncertainCosts,
  uncertainRequests,
  uncertainShare,
  uncertaintyOf,
} from '#lambdas/request-log/uncertainty.ts';

const usageSources = ['provider', 'incomplete', 'estimated', 'missing'] as const;

describe('uncertaintyOf', () => {
  it.each([
    ['provider', [null, null, null, null]],
    ['configuration', [null, 'estimated', 'estimated', 'estimated']],
    ['table', [null, 'estimated', 'estimated', 'estimated']],
    ['assumed', ['assumed', 'assumed', 'assumed', 'assumed']],
    ['unknown', ['unpriced', 'unpriced', 'unpriced', 'unpriced']],
    [null, [null, null, null, null]],
  ] as const)('of the price source %s depends on the usage only at a certain price', (pricing, expected) => {
    expect(usageSources.map((usage_source) => uncertaintyOf({ pricing, usage_source }))).toEqual(expected);
  });

  it('counts a request once', () => {
    const counts = [...priceSources, null].flatMap((pricing) =>
      usageSources.map((usage_source) => {
        const uncertainty = uncertaintyOf({ pricing, usage_source });
        const requests = Object.values(uncertainRequests(uncertainty)).reduce((sum, one) => sum + one, 0);
        return [requests, uncertainty === null ? 0 : 1];
      }),
    );

    expect(counts.map(([counted]) => counted)).toEqual(counts.map(([, expected]) => expected));
  });
});

describe('uncertainShare', () => {
  it.each([
    ['1', '0', '0', 0],
    ['3', '1', '1', 0.6667],
    ['0.000000000003', '0.000000000001', '0', 0.3333],
    ['0.3', '0', '0.3', 1],
    ['0', '0', '0', null],
  ])('of $%s with $%s assumed and $%s estimated is %s', (cost_usd, assumed, estimated, share) => {
    const amounts = { assumed_cost_usd: assumed, estimated_cost_usd: estimated };
    expect(uncertainShare({ cost_usd, ...amounts })).toBe(share);
  });

  it('includes no cost of an unpriced request, which is not known', () => {
    expect(uncertainCosts('unpriced', '0')).toEqual({ assumed_cost_usd: '0', estimated_cost_usd: '0' });
  });
});
