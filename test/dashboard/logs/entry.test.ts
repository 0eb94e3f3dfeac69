import { describe, expect, it } from 'vitest';
import {
  describeGaps,
  describeMissingBreakdown,
  describePricing,
  describeUsage,
  describeUsageWarnings,
  describeVersion,
  uncertaintyTitle,
} from '#dashboard/logs/entry/certainty.ts';
import { describeMainCharge, priceUnit } from '#dashboard/logs/entry/cost-section.tsx';
import { entryRange } from '#dashboard/logs/entry/fact-sections.tsx';
import { describeTime, phasesOf, TimelineSection } from '#dashboard/logs/entry/timeline.tsx';
import { tokenFacts } from '#dashboard/logs/entry/token-facts.ts';
import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { all, renderComponent, textOf } from '../rendering/markup.ts';

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
    expect(uncertaintyTitle(details())).toBeNull();
    expect(uncertaintyTitle(details({ pricing: 'unknown' }))).toBe('Unpriced');
    expect(uncertaintyTitle(details({ pricing: 'assumed' }))).toBe('Assumed price');
    expect(uncertaintyTitle(details({ pricing: 'assumed', pricing_version: null }))).toBe('Reserved amount');
    expect(uncertaintyTitle(details({ usage_source: 'estimated' }))).toBe('Estimated usage');
    expect(uncertaintyTitle(details({ usage_source: 'incomplete', pricing: 'assumed' }))).toBe('Incomplete');
    expect(uncertaintyTitle(details({ pricing_gaps: ['code_execution'] }))).toBe('Incomplete');
    expect(uncertaintyTitle(details({ pricing: 'assumed', usage_warnings: ['total_differs'] }))).toBe(
      'Doubtful usage',
    );
  });

  it.each([
    [null, null],
    [
      ['counts_decreased'],
      'The usage that the provider reported is not credible: a later part of the response had lower counts.',
    ],
    [
      ['output_above_limit'],
      'The usage that the provider reported is not credible: there is more output than the request allowed.',
    ],
    [
      ['total_differs'],
      'The usage that the provider reported is not credible: the total is not the sum of its parts.',
    ],
    [
      ['counts_decreased', 'output_above_limit', 'total_differs'],
      'The usage that the provider reported is not credible: a later part of the response had lower counts, there is more output than the request allowed, and the total is not the sum of its parts.',
    ],
  ] as const)('names what is not credible about the usage: %j', (usage_warnings, sentence) => {
    expect(describeUsageWarnings(details({ usage_warnings }))).toBe(sentence);
  });

  it.each<[string, Partial<LogEntryDetails>, string]>([
    [
      'the request was rejected',
      { outcome: 'rejected', error_code: 'insufficient_quota' },
      'No provider was called, so the request cost nothing.',
    ],
    [
      'the filter blocked the response',
      { outcome: 'completed', finish_reason: 'content_filter' },
      'The provider’s filter blocked the response before any output, and the provider reported neither usage nor a cost. The request counts as $0.',
    ],
    [
      'there was no connection',
      { outcome: 'provider_error', status: 502, error_code: 'provider_unavailable' },
      'The provider could not be reached, so it did not process the request, which counts as $0.',
    ],
    [
      'the provider answered with an error',
      { outcome: 'provider_error', status: 502, error_code: 'provider_error' },
      'The provider answered with an error, and reported neither usage nor a cost. The request counts as $0.',
    ],
    [
      'the provider was overloaded',
      {
        outcome: 'provider_error',
        status: 503,
        error_code: 'provider_unavailable',
        provider_request_id: 'req_1',
      },
      'The provider answered with an error, and reported neither usage nor a cost. The request counts as $0.',
    ],
    [
      'the caller had left before the error',
      { outcome: 'client_closed', status: 499, error_code: 'rate_limit_exceeded' },
      'The provider answered with an error, and reported neither usage nor a cost. The request counts as $0.',
    ],
    [
      'the error may be the provider’s or the connection’s',
      { outcome: 'timeout', status: 504, error_code: 'provider_timeout' },
      'The provider answered with an error, or was not reached. It reported neither usage nor a cost, and the request counts as $0.',
    ],
  ])('says no more than what is known without usage and cost, where %s', (_case, fields, sentence) => {
    const nothing = { pricing: null, pricing_version: null, usage_source: 'missing' } as const;
    const unanswered = { cost_usd: '0', provider_request_id: null, finish_reason: null };
    const entry: LogEntryDetails = { ...details(nothing), ...unanswered, ...fields };

    expect(describeMissingBreakdown(entry)).toBe(sentence);
    expect([describePricing(entry), describeUsage(entry), uncertaintyTitle(entry)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('is explained in sentences', () => {
    expect(describePricing(details())).toBe('Calculated with the built-in prices of this model and tier.');
    expect(describePricing(details({ pricing: 'assumed', usage_warnings: ['total_differs'] }))).toBe(
      'Calculated with the counts that the provider reported, so the cost is assumed.',
    );
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

describe('The time of a request', () => {
  it('has one unit', () => {
    const texts = (latency_ms: number) =>
      all(
        renderComponent(TimelineSection, { entry: details({ latency_ms, time_to_first_token_ms: null }) }),
        'dd',
      ).map(textOf);
    expect(texts(515)).toEqual(['7 ms1.4%', '508 ms98.6%', '515 ms']);
    expect(texts(5120)).toEqual(['0.007 s0.14%', '5.113 s99.9%', '5.120 s']);
  });
});

describe('tokenFacts', () => {
  it('lists the counts with their parts, without parts that are 0', () => {
    expect(tokenFacts(details()).map(({ title, isPart, text }) => [title, isPart, text])).toEqual([
      ['Input tokens', false, '1,200'],
      ['of which cached', true, '1,024'],
      ['Output tokens', false, '300'],
      ['of which reasoning', true, '128'],
      ['Input and output tokens', false, '1,500'],
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
