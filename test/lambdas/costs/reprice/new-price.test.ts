import { describe, expect, it } from 'vitest';
import { newPriceOf, type Repricing } from '#lambdas/costs/reprice/new-price.ts';
import { priceUsage } from '#lambdas/pricing/price.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { usageFields } from '#lambdas/request-log/entry-usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

const usage = { ...noUsage, freshInputTokens: 1000, outputTokens: 500 };
const unknown = {
  ...usageFields(usage),
  cost_usd: '0',
  pricing: 'unknown',
  pricing_version: 'genai-prices 0.0.1',
} as const;

const newPrice = (fields: Partial<LogEntry>, repricing: Partial<Repricing> = {}) =>
  newPriceOf(logEntry({ ...unknown, ...fields }), {
    entries: 'unknown',
    table: priceTable,
    settings: {},
    ...repricing,
  });

const fromTable = { pricing: 'table', pricing_version: 'genai-prices 0.1.8' };

describe('newPriceOf', () => {
  it('uses the price of the response model, or else of the requested model', () => {
    expect(newPrice({ response_model: 'gpt-4o-2024-05-13' })).toEqual({ cost_usd: '0.0125', ...fromTable });
    expect(newPrice({ response_model: 'ft:unheard-of' })).toEqual({ cost_usd: '0.0075', ...fromTable });
    expect(newPrice({ response_model: null })).toEqual({ cost_usd: '0.0075', ...fromTable });
  });

  it('prefers configured prices', () => {
    const settings = {
      vllm: { prices: { input: 1, output: 2 } },
      openai: { prices: { input: 3, output: 4 } },
    };
    const configured = { pricing: 'table', pricing_version: 'configuration' };
    expect(newPrice({ provider: 'vllm' }, { settings })).toEqual({ cost_usd: '0.002', ...configured });
    expect(newPrice({}, { settings })).toEqual({ cost_usd: '0.005', ...configured });
  });

  it('uses the price at the time of the request', () => {
    // o3 became cheaper on 10 June 2025: https://github.com/pydantic/genai-prices
    const o3 = { model: 'o3', response_model: 'o3' };
    const at = (created_at: string) => newPrice({ ...o3, created_at })?.cost_usd;
    expect([at('2025-06-09T23:59:59.999Z'), at('2025-06-10T00:00:00.000Z')]).toEqual(['0.03', '0.006']);
  });

  it('returns null when there is still no price', () => {
    expect(newPrice({ model: 'unheard-of', response_model: null })).toBe(null);
    expect(newPrice({ provider: 'constructor' })).toBe(null);
  });

  it('returns null for a priced entry without a current price', () => {
    const priced = { ...fromTable, cost_usd: '0.1', pricing: 'table' } as const;
    expect(newPrice({ ...priced, provider: 'vllm' }, { entries: 'all' })).toBe(null);
  });

  it('returns null for priced entries, unless all entries are selected', () => {
    const priced = { ...fromTable, cost_usd: '0.1', pricing: 'table' } as const;
    expect(newPrice(priced)).toBe(null);
    expect(newPrice(priced, { entries: 'all' })).toEqual({ cost_usd: '0.0075', ...fromTable });
  });

  it('returns null when the cost is the same with a newer price table', () => {
    const same = { cost_usd: '0.0075', pricing: 'table', pricing_version: 'genai-prices 0.0.1' } as const;
    expect(newPrice(same, { entries: 'all' })).toBe(null);
  });

  it('returns a zero price for an entry without a price whose model is now free', () => {
    const free = { provider: 'openrouter', model: 'x/y:free', response_model: null };
    const table = { version: 'v', findRates: () => ({ ...rates(0), usdPerMillionRequests: 0 }) };
    expect(newPrice(free, { table })).toEqual({ cost_usd: '0', pricing: 'table', pricing_version: 'v' });
  });

  it('returns null for a provider-reported cost, an entry without usage and one without a provider', () => {
    const all = { entries: 'all' } as const;
    expect(newPrice({ pricing: 'provider', pricing_version: null, cost_usd: '7' }, all)).toBe(null);
    expect(newPrice({ ...usageFields(null), pricing: null, pricing_version: null }, all)).toBe(null);
    expect(newPrice({ provider: null, model: null }, all)).toBe(null);
  });

  it('returns the price that the chat function would, for any usage', () => {
    const count = fc.nat({ max: 2_000_000 });
    const usages = fc.record({
      freshInputTokens: count,
      cachedInputTokens: count,
      cacheWriteInputTokens: count,
      cacheWrite1hInputTokens: count,
      outputTokens: count,
      reasoningTokens: count,
      audioInputTokens: count,
      cachedAudioInputTokens: count,
      audioOutputTokens: count,
      imageOutputTokens: count,
      webSearches: fc.nat({ max: 5 }),
    });
    const models = fc.constantFrom('claude-sonnet-4-5', 'claude-opus-4-1', 'claude-3-5-haiku-latest');
    fc.assert(
      fc.property(usages, models, (used, model) => {
        const entry = { provider: 'anthropic', model, response_model: null, ...usageFields(used) };
        const first = priceUsage(
          {
            provider: 'anthropic',
            model,
            responseModel: null,
            usage: used,
            reportedCostUsd: null,
            at: new Date(logEntry(entry).created_at),
            configuredPrices: null,
          },
          priceTable,
        );
        expect(newPrice(entry)).toEqual(first.pricing === 'unknown' ? null : first);
      }),
    );
  });
});

function rates(usdPerMillion: number) {
  return {
    usdPerMillion: {
      textInput: usdPerMillion,
      audioInput: usdPerMillion,
      cachedTextInput: usdPerMillion,
      cachedAudioInput: usdPerMillion,
      cacheWriteInput: usdPerMillion,
      cacheWrite1hInput: usdPerMillion,
      textOutput: usdPerMillion,
      reasoningOutput: usdPerMillion,
      audioOutput: usdPerMillion,
      imageOutput: usdPerMillion,
    },
  };
}
