import type { PriceList } from './price-list.ts';

export const bedrockAndMistral: readonly PriceList[] = [
  {
    provider: 'bedrock',
    source: 'https://aws.amazon.com/bedrock/pricing/',
    requests: [
      {
        scenario:
          'a regional profile at 10 % above the global price; cache writes for an hour at twice the input price',
        model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        usage: { fresh: 1000, cacheWrite: 2000, cacheWrite1h: 3000, cached: 4000, output: 500 },
        calculation: '1000 × 3.30 + 2000 × 4.125 + 3000 × 6.60 + 4000 × 0.33 + 500 × 16.50',
        cost: '0.04092',
      },
      {
        scenario: 'a global profile',
        model: 'global.anthropic.claude-opus-5',
        usage: { fresh: 1000, cacheWrite1h: 1000, output: 500 },
        calculation: '1000 × 5 + 1000 × 10 + 500 × 25',
        cost: '0.0275',
      },
      {
        scenario: 'a published price of cache writes for an hour',
        model: 'global.anthropic.claude-opus-5-5',
        usage: { fresh: 1000, cacheWrite1h: 1000, output: 100 },
        calculation: '1000 × 4 + 1000 × 8 + 100 × 20',
        cost: '0.014',
      },
      {
        scenario: 'the ARN of an inference profile',
        model: 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5',
        usage: { fresh: 1000, output: 100 },
        calculation: '1000 × 5.50 + 100 × 27.50',
        cost: '0.00825',
      },
      {
        scenario: 'cached input of an Amazon model',
        model: 'amazon.nova-pro-v1:0',
        usage: { fresh: 10_000, cached: 5000, output: 1000 },
        calculation: '10000 × 0.80 + 5000 × 0.20 + 1000 × 3.20',
        cost: '0.0122',
      },
      {
        scenario: 'a model of another author',
        model: 'meta.llama3-3-70b-instruct-v1:0',
        usage: { fresh: 1000, output: 500 },
        calculation: '1000 × 0.72 + 500 × 0.72',
        cost: '0.00108',
      },
      {
        scenario: 'an application inference profile, whose model is unknown',
        model: 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
        usage: { fresh: 1000, output: 500 },
        calculation: '0 × 0',
        cost: '0',
        pricing: 'unknown',
      },
    ],
  },
  {
    provider: 'mistral',
    source: 'https://mistral.ai/pricing/api',
    requests: [
      {
        scenario: 'an alias that the response contains too',
        model: 'mistral-large-latest',
        responseModel: 'mistral-large-latest',
        usage: { fresh: 10_000, output: 2000 },
        calculation: '10000 × 0.50 + 2000 × 1.50',
        cost: '0.008',
      },
      {
        scenario: 'cached input',
        model: 'mistral-large-2512',
        usage: { fresh: 6000, cached: 4000, output: 1000 },
        calculation: '6000 × 0.50 + 4000 × 0.05 + 1000 × 1.50',
        cost: '0.0047',
      },
      {
        scenario: 'an alias before it moved to a more expensive model',
        model: 'mistral-medium-latest',
        at: '2026-06-15T12:00:00Z',
        usage: { fresh: 1000, output: 1000 },
        calculation: '1000 × 0.40 + 1000 × 2',
        cost: '0.0024',
      },
      {
        scenario: 'an alias after it moved to a more expensive model',
        model: 'mistral-medium-latest',
        at: '2026-06-16T12:00:00Z',
        usage: { fresh: 1000, output: 1000 },
        calculation: '1000 × 1.50 + 1000 × 7.50',
        cost: '0.009',
      },
      {
        scenario: 'the alias of a small model',
        model: 'mistral-small-latest',
        usage: { fresh: 1000, output: 1000 },
        calculation: '1000 × 0.15 + 1000 × 0.60',
        cost: '0.00075',
      },
    ],
  },
];
