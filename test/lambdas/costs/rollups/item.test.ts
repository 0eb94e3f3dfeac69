import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { itemKey, rollupFromItem, totalsAdditions } from '#lambdas/costs/rollups/item.ts';
import type { RollupKey } from '#lambdas/costs/rollups/rollup.ts';
import { noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { fc } from '#test/support/fast-check.ts';

const totals: Totals = {
  ...noTotals,
  requests: 2,
  cost_usd: '0.3',
  input_tokens: 5,
  output_tokens: 7,
  unpriced_requests: 1,
  assumed_requests: 1,
  assumed_cost_usd: '0.1',
  estimated_requests: 1,
  estimated_cost_usd: '0.2',
  timeout_requests: 1,
  histograms: { l41: 2, f07: 1 },
};
const { histograms, ...sums } = totals;
const key: RollupKey = {
  organizationId: 'org_1',
  dimension: 'user_id',
  period: 'hour',
  writeShard: 3,
  periodStart: '2026-01-31T09',
  value: 'ada#1',
  provider: 'openrouter',
  serviceTier: 'flex',
  model: 'openai/gpt-4o',
};

describe('totalsAdditions', () => {
  it('adds what is not zero, and always the requests', () => {
    expect(totalsAdditions({ ...noTotals, cost_usd: '-0.1', histograms: { l41: 2 } })).toEqual({
      requests: 0,
      cost_usd: NumberValue.from('-0.1'),
      l41: 2,
    });
  });
});

describe('Cost rollup items', () => {
  it('returns a key with everything except the totals', () => {
    expect(itemKey(2, key)).toEqual({
      pk: 'org_1#2#user_id#hour#3',
      sk: '2026-01-31T09#5:ada#1#openrouter/4:flex/openai/gpt-4o',
    });
    const totalsKey: RollupKey = {
      ...key,
      dimension: 'totals',
      period: 'month',
      periodStart: '2026-01',
      value: null,
      serviceTier: null,
    };
    expect(itemKey(0, totalsKey)).toEqual({
      pk: 'org_1#0#totals#month#3',
      sk: '2026-01#openrouter//openai/gpt-4o',
    });
  });

  it('parses an item back to its rollup, and ignores attributes that it does not know', () => {
    const { sk } = itemKey(0, key);
    const others = { 'w#1': '0210@1', l4: 7, later: 'attribute', l41: 2, f07: 1, f08: 0 };
    expect(
      rollupFromItem('user_id', {
        sk,
        ...sums,
        ...others,
        timeouts: 1,
        est: 1,
        est_usd: '0.2',
      }),
    ).toEqual({
      startMs: Date.UTC(2026, 0, 31, 9),
      provider: 'openrouter',
      serviceTier: 'flex',
      model: 'openai/gpt-4o',
      value: 'ada#1',
      totals,
    });
  });

  it('parses an item back to its rollup for any value, service tier and model', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('#', ':', '/', '1', 'a', '😀') }));
    fc.assert(
      fc.property(fc.option(text), fc.option(text), text, (value, serviceTier, model) => {
        const dimension = value === null ? 'totals' : 'session_id';
        const { sk } = itemKey(0, { ...key, dimension, value, serviceTier, model });
        expect(rollupFromItem(dimension, { sk, ...sums })).toMatchObject({
          provider: 'openrouter',
          serviceTier,
          model,
          value,
        });
      }),
    );
  });
});
