/** Rows for `openai` and `azure`: https://developers.openai.com/api/docs/pricing */
import { type BillingExample, openAiForms } from './example.ts';

const usage = (prompt: number, completion: number, details: { input?: object; output?: object } = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: details.input ?? {},
  completion_tokens_details: details.output ?? {},
});

const citation = {
  type: 'url_citation',
  url_citation: { start_index: 0, end_index: 5, url: 'https://example.com', title: 'T' },
};

export const openAiExamples: readonly BillingExample[] = [
  {
    scenario: 'cached input',
    model: 'openai/gpt-4.1',
    ...openAiForms({
      model: 'gpt-4.1-2025-04-14',
      usage: usage(1000, 500, { input: { cached_tokens: 600 } }),
      tier: 'default',
    }),
    calculation: '400 × 2 + 600 × 0.5 + 500 × 8',
    pricing: 'table',
    entry: { service_tier: 'default', billed_parts: null, pricing_gaps: null, region: null },
  },
  {
    scenario: 'cache writes',
    model: 'openai/gpt-6-sol',
    ...openAiForms({
      model: 'gpt-6-sol',
      usage: usage(11_000, 300, { input: { cached_tokens: 2000, cache_write_tokens: 4000 } }),
      tier: 'default',
    }),
    calculation: '5000 × 2 + 2000 × 0.2 + 4000 × 2.5 + 300 × 10',
    pricing: 'table',
  },
  {
    scenario: 'reasoning and rejected predictions, inside the completion tokens',
    model: 'openai/gpt-5.4',
    ...openAiForms({
      model: 'gpt-5.4-2026-03-05',
      usage: usage(100, 700, { output: { reasoning_tokens: 500, rejected_prediction_tokens: 100 } }),
      tier: 'default',
    }),
    calculation: '100 × 2.5 + 700 × 15',
    pricing: 'table',
  },
  {
    scenario: 'audio in and out',
    model: 'openai/gpt-audio',
    ...openAiForms({
      model: 'gpt-audio-2025-08-28',
      usage: usage(1000, 300, { input: { audio_tokens: 400 }, output: { audio_tokens: 200 } }),
    }),
    calculation: '600 × 2.5 + 400 × 32 + 100 × 10 + 200 × 64',
    pricing: 'table',
    entry: { service_tier: null },
  },
  {
    scenario: 'exactly 272,000 input tokens',
    model: 'openai/gpt-5.5',
    ...openAiForms({ model: 'gpt-5.5', usage: usage(272_000, 10) }),
    calculation: '272000 × 5 + 10 × 30',
    pricing: 'table',
  },
  {
    scenario: 'long context',
    model: 'openai/gpt-5.5',
    ...openAiForms({ model: 'gpt-5.5', usage: usage(300_000, 1000, { input: { cached_tokens: 100_000 } }) }),
    calculation: '200000 × 10 + 100000 × 1 + 1000 × 45',
    pricing: 'table',
  },
  {
    scenario: 'flex',
    model: 'openai/gpt-5.5',
    ...openAiForms({
      model: 'gpt-5.5',
      usage: usage(1000, 100, { input: { cached_tokens: 400 } }),
      tier: 'flex',
    }),
    calculation: '600 × 2.5 + 400 × 0.25 + 100 × 15',
    pricing: 'table',
    entry: { service_tier: 'flex' },
  },
  {
    scenario: 'priority',
    model: 'openai/gpt-5.5',
    ...openAiForms({ model: 'gpt-5.5', usage: usage(1000, 100), tier: 'priority' }),
    calculation: '1000 × 12.5 + 100 × 75',
    pricing: 'table',
    entry: { service_tier: 'priority' },
  },
  {
    scenario: 'priority, named fast',
    model: 'openai/gpt-6-astra',
    ...openAiForms({ model: 'gpt-6-astra', usage: usage(1000, 100), tier: 'fast' }),
    calculation: '1000 × 20 + 100 × 100',
    pricing: 'table',
  },
  {
    scenario: 'ultrafast',
    model: 'openai/gpt-6-astra',
    ...openAiForms({
      model: 'gpt-6-astra',
      usage: usage(1000, 50, { input: { cached_tokens: 200, cache_write_tokens: 100 } }),
      tier: 'ultrafast',
    }),
    calculation: '700 × 60 + 200 × 6 + 100 × 75 + 50 × 300',
    pricing: 'table',
    entry: { service_tier: 'ultrafast' },
  },
  {
    scenario: 'a tier without a price of its own',
    model: 'openai/gpt-5.5',
    ...openAiForms({ model: 'gpt-5.5', usage: usage(1000, 100), tier: 'scale' }),
    calculation: '1000 × 5 + 100 × 30',
    pricing: 'assumed',
  },
  {
    scenario: 'a search',
    model: 'openai/gpt-5-search-api',
    ...openAiForms({
      model: 'gpt-5-search-api-2025-10-14',
      usage: usage(1000, 200),
      message: { annotations: [citation] },
    }),
    calculation: '1000 × 1.25 + 200 × 10 + 1 × 10000',
    pricing: 'assumed',
    entry: { web_searches: 1 },
  },
  {
    scenario: 'a model newer than the package of prices',
    model: 'openai/gpt-6.1-sol',
    ...openAiForms({ model: 'gpt-6.1-sol', usage: usage(1000, 100, { input: { cached_tokens: 500 } }) }),
    calculation: '500 × 2 + 500 × 0.1 + 100 × 10',
    pricing: 'table',
  },
  {
    scenario: 'a count that is not a whole number',
    model: 'openai/gpt-4.1',
    ...openAiForms({
      model: 'gpt-4.1',
      usage: { prompt_tokens: 10.5, completion_tokens: 100, total_tokens: 110 },
    }),
    calculation: '100 × 8',
    pricing: 'assumed',
    entry: { usage_source: 'incomplete', missing_usage: ['input_tokens'], output_tokens: 100 },
  },
  {
    scenario: 'flex at Azure',
    model: 'azure/gpt-5.5',
    ...openAiForms({ model: 'gpt-5.5', usage: usage(1000, 100), tier: 'flex' }),
    calculation: '1000 × 2.5 + 100 × 15',
    pricing: 'table',
  },
];
