import { expect, it } from 'vitest';
import { gatewayCostsOf, noGatewaySums } from '#lambdas/costs/reconcile/gateway-costs.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { builtInPrices } from '#test/support/prices.ts';

const date = '2026-01-31';

it('counts a request in the row of its first model, and its uncertain costs in the rows of all its costs', () => {
  const model = 'claude-sonnet-4-5';
  const parts = [
    { model: null, usage: { ...noUsage, freshInputTokens: 100_000, webSearches: 2 } },
    { model: 'claude-opus-4-5', usage: { ...noUsage, freshInputTokens: 100_000 } },
  ];
  const entry = logEntry({
    provider: 'anthropic',
    model,
    response_model: model,
    ...usageFields(parts, model),
    cost_usd: '0.82',
    pricing: 'assumed',
    pricing_gaps: ['code_execution'],
    outcome: 'interrupted',
  });

  const uncertain = (usd: string) => ({
    gateway_usd: usd,
    assumed_cost_usd: usd,
    gap_cost_usd: usd,
    interrupted_cost_usd: usd,
  });
  const counts = { requests: 1, assumed_requests: 1, gap_requests: 1, interrupted_requests: 1 };
  expect(gatewayCostsOf(entry, builtInPrices)).toEqual([
    { date, model, sums: { ...noGatewaySums, ...uncertain('0.3'), ...counts } },
    { date, model: null, sums: { ...noGatewaySums, ...uncertain('0.02') } },
    { date, model: 'claude-opus-4-5', sums: { ...noGatewaySums, ...uncertain('0.5') } },
  ]);
});

it('has no model for a request whose response names an empty one', () => {
  const entry = logEntry({ response_model: '', cost_usd: '0.5' });

  expect(gatewayCostsOf(entry, builtInPrices)).toEqual([
    { date, model: null, sums: { ...noGatewaySums, requests: 1, gateway_usd: '0.5' } },
  ]);
});

it('counts the cost of an attempt after which another target has served the request, but no request', () => {
  const superseded_by = '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f01';
  const entry = logEntry({ cost_usd: '0.5', pricing: 'assumed', route: 'fast', superseded_by });
  const sums = { fallback_attempts: 1, gateway_usd: '0.5', assumed_cost_usd: '0.5' };

  expect(gatewayCostsOf(entry, builtInPrices)).toEqual([
    { date, model: entry.response_model, sums: { ...noGatewaySums, ...sums } },
  ]);
});
