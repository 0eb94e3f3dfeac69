import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { itemKey, rollupFromItem, totalsAdditions } from '#lambdas/costs/rollups/item.ts';
import type { RollupKey } from '#lambdas/costs/rollups/rollup.ts';
import { noTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { type OperationName, operations } from '#lambdas/request-log/operation.ts';
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
  operation: 'chat.completions',
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

  it.each<[OperationName, string | null, string]>([
    ['chat.completions', null, '2026-01#p//m'],
    ['chat.completions', 'embeddings', '2026-01#p/10:embeddings/m'],
    ['embeddings', null, '2026-01#p/embeddings//m'],
    ['messages', 'flex', '2026-01#p/messages/4:flex/m'],
    ['responses', 'flex', '2026-01#p/responses/4:flex/m'],
  ])('names the operation %s and the service tier %s in %s', (operation, serviceTier, sk) => {
    const names = { provider: 'p', operation, serviceTier, model: 'm' };
    const monthKey = { ...key, ...names, dimension: 'totals', periodStart: '2026-01', value: null } as const;
    expect(itemKey(0, monthKey).sk).toBe(sk);
    expect(rollupFromItem('totals', { sk })).toMatchObject(names);
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
      operation: 'chat.completions',
      serviceTier: 'flex',
      model: 'openai/gpt-4o',
      value: 'ada#1',
      totals,
    });
  });

  it('parses an item back to its rollup for any value, provider, operation, service tier and model', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('#', ':', '/', '1', 'a', '😀') }),
      fc.constantFrom(...operations.flatMap((operation) => [operation, `${operation}/`, `/${operation}/`])),
    );
    const names = fc.record({
      value: fc.option(text),
      provider: fc.constantFrom('', 'openrouter', ...operations),
      operation: fc.constantFrom(...operations),
      serviceTier: fc.option(text),
      model: text,
    });
    fc.assert(
      fc.property(names, (each) => {
        const dimension = each.value === null ? 'totals' : 'session_id';
        const { sk } = itemKey(0, { ...key, ...each, dimension });
        expect(rollupFromItem(dimension, { sk, ...sums })).toMatchObject(each);
      }),
    );
  });
});
