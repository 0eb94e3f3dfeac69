/** Prices of the providers that mostly serve open models. */
import type { PriceList } from './price-list.ts';

export const openModels: readonly PriceList[] = [
  {
    provider: 'groq',
    source: 'https://console.groq.com/docs/models',
    requests: [
      {
        scenario: 'cached input and reasoning',
        model: 'openai/gpt-oss-120b',
        usage: { fresh: 8000, cached: 2000, output: 1000, reasoning: 400 },
        calculation: '8000 × 0.15 + 2000 × 0.075 + 1000 × 0.60',
        cost: '0.00195',
      },
      {
        scenario: 'a cost with eight decimals',
        model: 'llama-3.3-70b-versatile',
        usage: { fresh: 1234, output: 567 },
        calculation: '1234 × 0.59 + 567 × 0.79',
        cost: '0.00117599',
      },
    ],
  },
  {
    provider: 'together',
    source: 'https://www.together.ai/pricing',
    requests: [
      {
        scenario: 'the same price for input and output',
        model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
        usage: { fresh: 1000, output: 1000 },
        calculation: '1000 × 0.88 + 1000 × 0.88',
        cost: '0.00176',
      },
      {
        scenario: 'different prices for input and output',
        model: 'meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8',
        usage: { fresh: 1000, output: 1000 },
        calculation: '1000 × 0.27 + 1000 × 0.85',
        cost: '0.00112',
      },
    ],
  },
  {
    provider: 'fireworks',
    source: 'https://docs.fireworks.ai/serverless/pricing',
    requests: [
      {
        scenario: 'cached input',
        model: 'accounts/fireworks/models/kimi-k2p6',
        usage: { fresh: 5000, cached: 5000, output: 1000 },
        calculation: '5000 × 0.95 + 5000 × 0.16 + 1000 × 4',
        cost: '0.00955',
      },
      {
        scenario: 'cached input of a model that only the row of the folder `prices` discounts',
        model: 'accounts/fireworks/models/glm-4p7',
        usage: { fresh: 1000, cached: 1000, output: 1000 },
        calculation: '1000 × 0.60 + 1000 × 0.30 + 1000 × 2.20',
        cost: '0.0031',
      },
      {
        scenario: 'cached input of a model without a discount',
        model: 'accounts/fireworks/models/llama-v3p1-8b-instruct',
        usage: { fresh: 1000, cached: 1000, output: 1000 },
        calculation: '1000 × 0.20 + 1000 × 0.20 + 1000 × 0.20',
        cost: '0.0006',
      },
      {
        scenario: 'cached input at a price with three decimals',
        model: 'accounts/fireworks/models/deepseek-v4-pro',
        usage: { fresh: 1000, cached: 1000, output: 1000 },
        calculation: '1000 × 1.74 + 1000 × 0.145 + 1000 × 3.48',
        cost: '0.005365',
      },
    ],
  },
  {
    provider: 'deepseek',
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    requests: [
      {
        scenario: 'a price with six decimals before an increase',
        model: 'deepseek-v4-pro',
        at: '2026-08-03T12:00:00Z',
        usage: { fresh: 1000, cached: 1000, output: 1000 },
        calculation: '1000 × 0.435 + 1000 × 0.003625 + 1000 × 0.87',
        cost: '0.001308625',
      },
      {
        scenario: 'off-peak hours',
        model: 'deepseek-v4-pro',
        at: '2026-09-01T12:00:00Z',
        usage: { fresh: 1000, cached: 1000, output: 1000 },
        calculation: '1000 × 0.66 + 1000 × 0.022 + 1000 × 1.98',
        cost: '0.002662',
      },
      {
        scenario: 'peak hours, at twice the off-peak price',
        model: 'deepseek-v4-pro',
        at: '2026-09-01T02:00:00Z',
        usage: { fresh: 1000, cached: 1000, output: 1000 },
        calculation: '1000 × 1.32 + 1000 × 0.044 + 1000 × 3.96',
        cost: '0.005324',
      },
    ],
  },
  {
    provider: 'cerebras',
    source: 'https://inference-docs.cerebras.ai/models/openai-oss',
    requests: [
      {
        scenario: 'cached input at the price of other input',
        model: 'gpt-oss-120b',
        usage: { fresh: 400, cached: 600, output: 1000 },
        calculation: '1000 × 0.35 + 1000 × 0.75',
        cost: '0.0011',
      },
    ],
  },
  {
    provider: 'cohere',
    source: 'https://cohere.com/pricing',
    requests: [
      {
        scenario: 'embedded texts',
        model: 'embed-v4.0',
        usage: { fresh: 512_000 },
        calculation: '512000 × 0.12',
        cost: '0.06144',
      },
      {
        scenario: 'texts embedded by an older model',
        model: 'embed-multilingual-light-v3.0',
        usage: { fresh: 512_000 },
        calculation: '512000 × 0.10',
        cost: '0.0512',
        pricing: 'assumed',
      },
      {
        scenario: 'a price with four decimals',
        model: 'command-r7b-12-2024',
        usage: { fresh: 1001, output: 1000 },
        calculation: '1001 × 0.0375 + 1000 × 0.15',
        cost: '0.0001875375',
      },
      {
        scenario: 'a large model',
        model: 'command-a-03-2025',
        usage: { fresh: 1000, output: 200 },
        calculation: '1000 × 2.50 + 200 × 10',
        cost: '0.0045',
      },
    ],
  },
  {
    provider: 'nvidia',
    source: 'https://build.nvidia.com/models',
    requests: [
      {
        scenario: 'a provider without token prices',
        model: 'meta/llama-3.3-70b-instruct',
        usage: { fresh: 1000, output: 1000 },
        calculation: '0 × 0',
        cost: '0',
        pricing: 'unknown',
      },
    ],
  },
];
