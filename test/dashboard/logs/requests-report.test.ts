import { describe, expect, it } from 'vitest';
import { chartFilters, chartInterval } from '#dashboard/logs/requests-report.ts';

describe('chartFilters', () => {
  it('answers model, provider and tier together with one value, and names the other filters', () => {
    const filters = {
      model: 'gpt-4o',
      provider: 'openai',
      operation: 'embeddings',
      service_tier: 'priority',
      api_key_id: 'key_1',
      user_id: 'ada',
      status: '429',
      outcome: 'rejected',
      min_cost_usd: '1',
      max_retries: '3',
    };
    expect(chartFilters(filters)).toEqual({
      applied: {
        model: 'gpt-4o',
        provider: 'openai',
        operation: 'embeddings',
        service_tier: 'priority',
        user_id: 'ada',
      },
      omitted: ['api_key_id', 'outcome', 'status', 'cost_usd', 'retries'],
    });
  });
});

describe('chartInterval', () => {
  it('is an hour instead of a minute for one value', () => {
    expect(chartInterval('minute', { model: 'gpt-4o' })).toBe('minute');
    expect(chartInterval('minute', { prompt_id: 'chat' })).toBe('hour');
    expect(chartInterval('day', { prompt_id: 'chat' })).toBe('day');
  });
});
