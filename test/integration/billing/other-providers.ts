/** Rows for the other providers in OpenAI's format. */
import { type BillingExample, openAiForms } from './example.ts';

const peakHours = [1, 2, 3, 6, 7, 8, 9];

/** Weekdays between 01:00 and 04:00 and between 06:00 and 10:00 UTC: https://api-docs.deepseek.com/quick_start/pricing */
function isPeak(at: Date): boolean {
  const isWeekday = at.getUTCDay() !== 0 && at.getUTCDay() !== 6;
  const isHoliday = at.toISOString().startsWith('2027-01-01');
  return isWeekday && !isHoliday && peakHours.includes(at.getUTCHours());
}

export const otherExamples: readonly BillingExample[] = [
  {
    scenario: 'the stated cost in ticks',
    model: 'xai/grok-3-mini',
    ...openAiForms({
      model: 'grok-3-mini',
      usage: {
        prompt_tokens: 12,
        completion_tokens: 1,
        total_tokens: 241,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 228 },
        cost_in_usd_ticks: 1_176_500,
      },
      tier: 'priority',
    }),
    calculation: '10 × 0.3 + 2 × 0.075 + 229 × 0.5',
    pricing: 'provider',
    entry: { service_tier: 'priority' },
  },
  {
    scenario: 'the stated cost',
    model: 'openrouter/some/model',
    ...openAiForms({
      model: 'some/model',
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.0012345 },
    }),
    calculation: '1 × 1234.5',
    pricing: 'provider',
  },
  {
    scenario: "OpenRouter's fee and the cost of the own key",
    model: 'openrouter/some/model',
    ...openAiForms({
      model: 'some/model',
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        cost: 0.0001,
        is_byok: true,
        cost_details: { upstream_inference_cost: 0.002 },
      },
    }),
    calculation: '1 × 100 + 1 × 2000',
    pricing: 'provider',
  },
  {
    scenario: 'cache hits, by the hour and the day of the week',
    model: 'deepseek/deepseek-flash',
    ...openAiForms({
      model: 'deepseek-flash',
      usage: {
        prompt_tokens: 10_000,
        completion_tokens: 1000,
        total_tokens: 11_000,
        prompt_cache_hit_tokens: 8000,
        prompt_cache_miss_tokens: 2000,
      },
    }),
    calculation: (at) =>
      isPeak(at) ? '2000 × 0.3 + 8000 × 0.006 + 1000 × 1.2' : '2000 × 0.15 + 8000 × 0.003 + 1000 × 0.6',
    // The other holidays of 2027 are not known yet.
    pricing: (at) => (isPeak(at) && at.getUTCFullYear() > 2026 ? 'assumed' : 'table'),
  },
  {
    scenario: 'cached tokens outside of the details',
    model: 'mistral/mistral-large-2512',
    ...openAiForms({
      model: 'mistral-large-2512',
      usage: { prompt_tokens: 997, completion_tokens: 100, total_tokens: 1097, num_cached_tokens: 976 },
    }),
    calculation: '21 × 0.5 + 976 × 0.05 + 100 × 1.5',
    pricing: 'table',
  },
  {
    scenario: 'audio by the minute',
    model: 'mistral/voxtral-small-2507',
    ...openAiForms({
      model: 'voxtral-small-2507',
      usage: { prompt_audio_seconds: 36, prompt_tokens: 13, completion_tokens: 151, total_tokens: 164 },
    }),
    // 0.004 dollars per minute are 0.0024 for 36 seconds.
    calculation: '1 × 2400 + 13 × 0.1 + 151 × 0.4',
    pricing: 'assumed',
    entry: { audio_input_seconds: 36 },
  },
  {
    scenario: 'cached tokens and a tier without a surcharge',
    model: 'groq/openai/gpt-oss-120b',
    ...openAiForms({
      model: 'openai/gpt-oss-120b',
      usage: {
        prompt_tokens: 336,
        completion_tokens: 96,
        total_tokens: 432,
        prompt_tokens_details: { cached_tokens: 256 },
      },
      tier: 'on_demand',
    }),
    calculation: '80 × 0.15 + 256 × 0.075 + 96 × 0.6',
    pricing: 'table',
    entry: { service_tier: 'on_demand' },
  },
  {
    scenario: 'the models and searches of Compound',
    model: 'groq/groq/compound',
    ...openAiForms({
      model: 'groq/compound',
      usage: { prompt_tokens: 5296, completion_tokens: 387, total_tokens: 5683 },
      message: { executed_tools: [{ index: 0, type: 'search', arguments: '{}', output: 'Found' }] },
      extra: {
        usage_breakdown: {
          models: [
            {
              model: 'llama-3.3-70b-versatile',
              usage: { prompt_tokens: 138, completion_tokens: 4, total_tokens: 142 },
            },
            {
              model: 'meta-llama/llama-4-scout-17b-16e-instruct',
              usage: { prompt_tokens: 2873, completion_tokens: 161, total_tokens: 3034 },
            },
            {
              model: 'llama-3.3-70b-versatile',
              usage: { prompt_tokens: 2285, completion_tokens: 222, total_tokens: 2507 },
            },
          ],
        },
      },
    }),
    calculation: '2423 × 0.59 + 226 × 0.79 + 2873 × 0.11 + 161 × 0.34 + 1 × 5000',
    pricing: 'assumed',
    entry: { web_searches: 1, input_tokens: 5296, output_tokens: 387 },
  },
  {
    scenario: 'billed units instead of tokens',
    model: 'cohere/command-a-03-2025',
    ...openAiForms({
      model: 'command-a-03-2025',
      usage: {
        prompt_tokens: 2190,
        completion_tokens: 1257,
        total_tokens: 3447,
        billed_units: { input_tokens: 431, output_tokens: 661 },
      },
    }),
    calculation: '431 × 2.5 + 661 × 10',
    pricing: 'table',
  },
  {
    scenario: 'cached tokens at the global address',
    model: 'together/zai-org/GLM-5.3',
    ...openAiForms({
      model: 'zai-org/GLM-5.3',
      usage: {
        prompt_tokens: 10_000,
        completion_tokens: 1000,
        total_tokens: 11_000,
        prompt_tokens_details: { cached_tokens: 4000 },
      },
    }),
    calculation: '6000 × 1.4 + 4000 × 0.26 + 1000 × 4.4',
    pricing: 'assumed',
    entry: { region: null },
  },
];
