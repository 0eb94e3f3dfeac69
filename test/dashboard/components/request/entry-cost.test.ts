import { describe, expect, it } from 'vitest';
import { certaintyOf, costTitle } from '#dashboard/components/request/entry-cost.tsx';
import { logEntry } from '#test/support/log-entries.ts';

const cost_usd = '0.00472';

describe('The cost of a request', () => {
  it.each([
    ['by a price of the table', {}, 'certain', '$0.00472'],
    ['that the provider stated', { pricing: 'provider', usage_source: 'missing' }, 'certain', '$0.00472'],
    ['with an assumed price', { pricing: 'assumed' }, 'assumed', '$0.00472, assumed'],
    [
      'with missing usage',
      { pricing: 'assumed', usage_source: 'incomplete' },
      'assumed',
      '$0.00472, assumed',
    ],
    ['with estimated usage', { usage_source: 'estimated' }, 'estimated', '$0.00472, estimated'],
    ['without a known price', { pricing: 'unknown', cost_usd: '0' }, 'unpriced', 'No known price'],
    [
      'of which the provider reported nothing',
      { pricing: null, usage_source: 'missing', cost_usd: '0', outcome: 'provider_error' },
      'unreported',
      'No cost reported',
    ],
    [
      'that was rejected before a provider was called',
      { pricing: null, usage_source: 'missing', cost_usd: '0', outcome: 'rejected' },
      'certain',
      '$0.00',
    ],
  ] as const)('%s has its certainty', (_case, fields, certainty, title) => {
    const entry = logEntry({ cost_usd, ...fields });

    expect(certaintyOf(entry)).toBe(certainty);
    expect(costTitle(entry)).toBe(title);
  });
});
