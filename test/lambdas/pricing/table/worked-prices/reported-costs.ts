/** Prices of the providers that also report the cost of each request. */
import type { PriceList } from './price-list.ts';

export const reportedCosts: readonly PriceList[] = [
  {
    provider: 'xai',
    source: 'https://docs.x.ai/docs/models',
    requests: [
      {
        // xAI reported 2,709,000 ticks for this usage: https://github.com/BerriAI/litellm/pull/36281
        scenario: 'the cost that xAI has reported for this usage',
        model: 'grok-4.3',
        usage: { fresh: 6, cached: 192, output: 90 },
        calculation: '6 × 1.25 + 192 × 0.20 + 90 × 2.50',
        cost: '0.0002709',
      },
      {
        scenario: 'just below 200,000 input tokens, in the lower tier',
        model: 'grok-4.3',
        usage: { fresh: 150_000, cached: 49_999, output: 1000 },
        calculation: '150000 × 1.25 + 49999 × 0.20 + 1000 × 2.50',
        cost: '0.1999998',
      },
      {
        scenario: '200,000 input tokens, in the higher tier',
        model: 'grok-4.3',
        usage: { fresh: 150_000, cached: 50_000, output: 1000 },
        calculation: '150000 × 2.50 + 50000 × 0.40 + 1000 × 5',
        cost: '0.4',
      },
      {
        scenario: 'a reported cost, which includes tools',
        model: 'grok-4.3',
        reportedCostUsd: '0.0037756',
        usage: { fresh: 1000, output: 500 },
        calculation: '37756 × 0.10',
        cost: '0.0037756',
        pricing: 'provider',
      },
    ],
  },
  {
    provider: 'openrouter',
    source: 'https://openrouter.ai/models',
    requests: [
      {
        // From a published response, with its `usage.cost`.
        scenario: 'the cost that OpenRouter has reported for this usage',
        model: 'amazon/nova-micro-v1',
        usage: { fresh: 2340, output: 202 },
        calculation: '2340 × 0.035 + 202 × 0.14',
        cost: '0.00011018',
      },
      {
        scenario: 'audio input and output, without a reported cost',
        model: 'openai/gpt-audio',
        usage: { fresh: 1000, audioInput: 800, output: 500, audioOutput: 400 },
        calculation: '200 × 2.50 + 800 × 32 + 100 × 10 + 400 × 64',
        cost: '0.0527',
      },
      {
        scenario: 'audio input of a Gemini model, without a reported cost',
        model: 'google/gemini-2.5-flash',
        usage: { fresh: 1000, audioInput: 800, output: 500 },
        calculation: '200 × 0.30 + 800 × 1 + 500 × 2.50',
        cost: '0.00211',
      },
      {
        scenario: 'a reported cost that differs from the price list',
        model: 'amazon/nova-micro-v1',
        reportedCostUsd: '0.0001',
        usage: { fresh: 2340, output: 202 },
        calculation: '1000 × 0.10',
        cost: '0.0001',
        pricing: 'provider',
      },
      {
        scenario: 'cache writes for five minutes and for an hour',
        model: 'anthropic/claude-opus-5',
        usage: { fresh: 1000, cacheWrite: 1000, cacheWrite1h: 1000, output: 100 },
        calculation: '1000 × 5 + 1000 × 6.25 + 1000 × 10 + 100 × 25',
        cost: '0.02375',
      },
      {
        scenario: 'a free model',
        model: 'deepseek/deepseek-r1:free',
        usage: { fresh: 1000, output: 1000 },
        calculation: '1000 × 0 + 1000 × 0',
        cost: '0',
      },
    ],
  },
];
