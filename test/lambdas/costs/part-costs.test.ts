import { describe, expect, it } from 'vitest';
import { partCostsOf } from '#lambdas/costs/part-costs.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { type BilledPart, noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { builtInPrices } from '#test/support/prices.ts';

const input = 100_000;
/** $3 per million input tokens, and $10 per thousand searches. */
const sonnet: BilledPart = { model: null, usage: { ...noUsage, freshInputTokens: input, webSearches: 2 } };
/** $5 per million input tokens. */
const opus: BilledPart = { model: 'claude-opus-4-5', usage: { ...noUsage, freshInputTokens: input } };

function partCosts(parts: BilledPart[], fields: Partial<LogEntry>) {
  const model = 'claude-sonnet-4-5';
  const entry = logEntry({
    provider: 'anthropic',
    model,
    response_model: model,
    ...usageFields(parts, model),
    pricing: 'table',
    ...fields,
  });
  return partCostsOf(entry, builtInPrices).map(({ model: served, costUsd, unitsUsd }) => [
    served,
    costUsd,
    unitsUsd,
  ]);
}

describe('Costs of billed parts', () => {
  it('are those of the current prices, with charges for searches apart', () => {
    expect(partCosts([sonnet, opus], { cost_usd: '0.82' })).toEqual([
      ['claude-sonnet-4-5', '0.32', '0.02'],
      ['claude-opus-4-5', '0.5', '0'],
    ]);
    expect(partCosts([sonnet], { cost_usd: '0.32' })).toEqual([['claude-sonnet-4-5', '0.32', '0.02']]);
  });

  it('are in proportion to the current prices when the entry was priced otherwise', () => {
    const halved = partCosts([sonnet, opus], { cost_usd: '0.41' });
    expect(halved).toEqual([
      ['claude-sonnet-4-5', '0.16', '0.01'],
      ['claude-opus-4-5', '0.25', '0'],
    ]);
    const indivisible = partCosts([sonnet, opus], { cost_usd: '0.000000000001' });
    expect(indivisible.map(([, cost = '0']) => cost).reduce(addUsd)).toBe('0.000000000001');
  });

  it('are all in the first part when a part has no current price', () => {
    const unknown = { ...opus, model: 'unheard-of' };
    expect(partCosts([sonnet, unknown], { cost_usd: '7', pricing: 'provider' })).toEqual([
      ['claude-sonnet-4-5', '7', '0'],
      ['unheard-of', '0', '0'],
    ]);
    expect(partCosts([sonnet, unknown], { cost_usd: '0', pricing: 'unknown' })).toEqual([
      ['claude-sonnet-4-5', '0', '0'],
      ['unheard-of', '0', '0'],
    ]);
  });

  it('are the cost of the entry when it has no usage', () => {
    expect(partCosts([], { cost_usd: '0', pricing: null })).toEqual([['claude-sonnet-4-5', '0', '0']]);
  });
});
