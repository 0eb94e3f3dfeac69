import { describe, expect, it } from 'vitest';
import {
  describeGaps,
  describeMissingBreakdown,
  describePricing,
  describeUsage,
  describeVersion,
  uncertaintyOf,
} from '#dashboard/logs/entry/certainty.ts';
import { entryRange } from '#dashboard/logs/entry/entry-range.ts';
import { describeMainCharge } from '#dashboard/logs/entry/main-charge.ts';
import { priceUnit } from '#dashboard/logs/entry/price-unit.ts';
import { describeTime, phasesOf } from '#dashboard/logs/entry/timeline.ts';
import { tokenFacts } from '#dashboard/logs/entry/token-facts.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import { logEntry } from '#test/support/log-entries.ts';

function details(fields: Partial<LogEntryDetails> = {}): LogEntryDetails {
  return { ...logEntry(), cost_breakdown: null, ...fields };
}

const durationsOf = (entry: LogEntryDetails) =>
  Object.fromEntries(phasesOf(entry).map(({ name, durationMs }) => [name, durationMs]));

describe('phasesOf', () => {
  it('divides the latency of a stream at its first token', () => {
    expect(durationsOf(details())).toEqual({ gateway: 7, first_token: 473, generation: 4640 });
  });

  it('has one phase of the provider without a first token', () => {
    expect(durationsOf(details({ time_to_first_token_ms: null }))).toEqual({ gateway: 7, provider: 5113 });
  });

  it('has the gateway alone if no provider was called', () => {
    expect(durationsOf(details({ overhead_ms: null, time_to_first_token_ms: null, latency_ms: 3 }))).toEqual({
      gateway: 3,
    });
  });

  it('adds up to the latency when the gateway’s share passes the first token', () => {
    expect(durationsOf(details({ overhead_ms: 500 }))).toEqual({
      gateway: 500,
      first_token: 0,
      generation: 4620,
    });
  });
});

describe('describeTime', () => {
  it('says who took the time', () => {
    expect(describeTime(details({ latency_ms: 1000, overhead_ms: 20 }))).toBe(
      'The provider took 98% of the time.',
    );
    expect(describeTime(details({ latency_ms: 10, overhead_ms: 8 }))).toBe(
      'The gateway took 80% of the time.',
    );
    expect(describeTime(details({ latency_ms: 10_000, overhead_ms: 1 }))).toBe(
      'The provider took more than 99.9% of the time.',
    );
    expect(describeTime(details({ overhead_ms: null, outcome: 'rejected' }))).toBe(
      'The gateway rejected the request before a provider was called.',
    );
  });
});

describe('describeMainCharge', () => {
  const charge = (type: string, cost_usd: string) => ({ type, count: 1, price_usd: '1', per: 1, cost_usd });
  const described = (...parts: { model: string; charges: ReturnType<typeof charge>[]; cost_usd: string }[]) =>
    describeMainCharge(details({ cost_usd: '0.5', cost_breakdown: parts }));

  it('names the charge that costs the most, and its model among several', () => {
    const charges = [charge('uncached_text_input_tokens', '0.09'), charge('text_output_tokens', '0.41')];
    expect(described({ model: 'a', charges, cost_usd: '0.5' })).toBe('82% is for output.');
    expect(
      described({ model: 'a', charges, cost_usd: '0.5' }, { model: 'b', charges: [], cost_usd: '0' }),
    ).toBe('82% is for output of a.');
  });

  it('is nothing without charges to compare', () => {
    expect(describeMainCharge(details())).toBeNull();
    expect(described({ model: 'a', charges: [charge('requests', '0.5')], cost_usd: '0.5' })).toBeNull();
  });
});

describe('The certainty of a cost', () => {
  it('is a word for what the invoice may differ by', () => {
    expect(uncertaintyOf(details())).toBeNull();
    expect(uncertaintyOf(details({ pricing: 'unknown' }))).toBe('Unpriced');
    expect(uncertaintyOf(details({ pricing: 'assumed' }))).toBe('Assumed price');
    expect(uncertaintyOf(details({ pricing: 'assumed', pricing_version: null }))).toBe('Reserved amount');
    expect(uncertaintyOf(details({ usage_source: 'estimated' }))).toBe('Estimated usage');
    expect(uncertaintyOf(details({ usage_source: 'incomplete', pricing: 'assumed' }))).toBe('Incomplete');
    expect(uncertaintyOf(details({ pricing_gaps: ['code_execution'] }))).toBe('Incomplete');
  });

  it('is explained in sentences', () => {
    expect(describePricing(details())).toBe('Calculated with the built-in prices of this model and tier.');
    expect(describeGaps(details({ pricing_gaps: ['code_execution', 'maps_grounding'] }))).toBe(
      'Not included: code execution and grounding with maps. The provider charges for it, but the response does not show the amount.',
    );
    const incomplete = details({
      usage_source: 'incomplete',
      missing_usage: ['input_tokens', 'web_searches'],
    });
    expect(describeUsage(incomplete)).toBe(
      'The provider did not report input tokens and web searches, or the counts could not be read. They count as 0.',
    );
    expect(describeMissingBreakdown(details({ pricing: 'assumed', pricing_version: null }))).toBe(
      'A reserved amount has no breakdown.',
    );
    expect(describeMissingBreakdown(details({ pricing: 'provider' }))).toBe(
      'The provider states the cost as a whole, so there is no breakdown.',
    );
  });

  it('includes who set the price', () => {
    expect(describeVersion(details())).toBe('genai-prices 0.1.8+1a2b3c4');
    expect(describeVersion(details({ pricing_version: 'all@2026-11-01T00:00:00Z' }))).toBe(
      'Set for all organizations, since 2026-11-01T00:00:00Z',
    );
  });
});

describe('priceUnit', () => {
  it('names what is counted', () => {
    expect(priceUnit({ type: 'text_output_tokens', per: 1_000_000 })).toBe('per 1M tokens');
    expect(priceUnit({ type: 'web_searches', per: 1000 })).toBe('per 1,000');
    expect(priceUnit({ type: 'requests', per: 1 })).toBe('each');
    expect(priceUnit({ type: 'audio_input_seconds', per: 60 })).toBe('per minute');
  });
});

describe('tokenFacts', () => {
  it('lists the counts with their parts, without parts that are 0', () => {
    expect(tokenFacts(details()).map(({ title, isPart, text }) => [title, isPart, text])).toEqual([
      ['Input tokens', false, '1,200'],
      ['Cached', true, '1,024'],
      ['Output tokens', false, '300'],
      ['Reasoning', true, '128'],
      ['Tokens in total', false, '1,500'],
    ]);
  });
});

describe('entryRange', () => {
  const now = new Date('2026-11-23T12:00:00Z');

  it('is that of the list, or the default, or else the day of an old entry', () => {
    expect(entryRange({ range: '90d', model: 'gpt-4o' }, '2026-10-01T09:00:00.000Z', now)).toEqual({
      range: '90d',
    });
    expect(entryRange({}, '2026-11-20T09:00:00.000Z', now)).toEqual({});
    expect(entryRange({}, '2026-10-01T09:00:00.000Z', now)).toEqual({
      start: '2026-10-01',
      end: '2026-10-02',
    });
  });
});
