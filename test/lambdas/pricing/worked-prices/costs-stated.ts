/** What models cost at the providers that also state the cost of a request themselves. */
import type { PriceList } from './price-list.ts';

export const costsStated: readonly PriceList[] = [
  {
    provider: 'xai',
    source: 'https://docs.x.ai/docs/models',
    requests: [
      {
        // xAI stated 2 709 000 ticks for these counts: https://github.com/BerriAI/litellm/pull/36281
        shows: 'what xAI itself has been seen to charge for these counts',
        model: 'grok-4.3',
        usage: { fresh: 6, cached: 192, output: 90 },
        worked: '6 × 1.25 + 192 × 0.20 + 90 × 2.50',
        cost: '0.0002709',
      },
      {
        shows: 'just below the border of 200 000 input tokens',
        model: 'grok-4.3',
        usage: { fresh: 150_000, cached: 49_999, output: 1000 },
        worked: '150000 × 1.25 + 49999 × 0.20 + 1000 × 2.50',
        cost: '0.1999998',
      },
      {
        shows: 'at the border, which here belongs to the higher price',
        model: 'grok-4.3',
        usage: { fresh: 150_000, cached: 50_000, output: 1000 },
        worked: '150000 × 2.50 + 50000 × 0.40 + 1000 × 5',
        cost: '0.4',
      },
      {
        shows: 'a stated cost, which holds the tools too',
        model: 'grok-4.3',
        reportedCostUsd: '0.0037756',
        usage: { fresh: 1000, output: 500 },
        worked: '37756 × 0.10',
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
        // From an answer that somebody has published, with its `usage.cost`.
        shows: 'what OpenRouter itself has been seen to charge for these counts',
        model: 'amazon/nova-micro-v1',
        usage: { fresh: 2340, output: 202 },
        worked: '2340 × 0.035 + 202 × 0.14',
        cost: '0.00011018',
      },
      {
        shows: 'a stated cost that is not that of the list',
        model: 'amazon/nova-micro-v1',
        reportedCostUsd: '0.0001',
        usage: { fresh: 2340, output: 202 },
        worked: '1000 × 0.10',
        cost: '0.0001',
        pricing: 'provider',
      },
      {
        shows: 'writes of five minutes and of an hour',
        model: 'anthropic/claude-opus-5',
        usage: { fresh: 1000, written: 1000, writtenForAnHour: 1000, output: 100 },
        worked: '1000 × 5 + 1000 × 6.25 + 1000 × 10 + 100 × 25',
        cost: '0.02375',
      },
      {
        shows: 'a model that is free',
        model: 'deepseek/deepseek-r1:free',
        usage: { fresh: 1000, output: 1000 },
        worked: '1000 × 0 + 1000 × 0',
        cost: '0',
      },
    ],
  },
];
