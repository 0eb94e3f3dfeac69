/** What models cost at Amazon Bedrock and at Mistral. */
import type { PriceList } from './price-list.ts';

export const bedrockAndMistral: readonly PriceList[] = [
  {
    provider: 'bedrock',
    source: 'https://aws.amazon.com/bedrock/pricing/',
    requests: [
      {
        shows: 'a geography, a tenth above the global price; an hour in the cache at twice the input price',
        model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        usage: { fresh: 1000, written: 2000, writtenForAnHour: 3000, cached: 4000, output: 500 },
        worked: '1000 × 3.30 + 2000 × 4.125 + 3000 × 6.60 + 4000 × 0.33 + 500 × 16.50',
        cost: '0.04092',
      },
      {
        shows: 'the global price',
        model: 'global.anthropic.claude-opus-5',
        usage: { fresh: 1000, writtenForAnHour: 1000, output: 500 },
        worked: '1000 × 5 + 1000 × 10 + 500 × 25',
        cost: '0.0275',
      },
      {
        shows: 'a published price of an hour in the cache',
        model: 'global.anthropic.claude-opus-5-5',
        usage: { fresh: 1000, writtenForAnHour: 1000, output: 100 },
        worked: '1000 × 4 + 1000 × 8 + 100 × 20',
        cost: '0.014',
      },
      {
        shows: 'an inference profile named by its ARN',
        model: 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5',
        usage: { fresh: 1000, output: 100 },
        worked: '1000 × 5.50 + 100 × 27.50',
        cost: '0.00825',
      },
      {
        shows: 'cached input of a model of Amazon',
        model: 'amazon.nova-pro-v1:0',
        usage: { fresh: 10_000, cached: 5000, output: 1000 },
        worked: '10000 × 0.80 + 5000 × 0.20 + 1000 × 3.20',
        cost: '0.0122',
      },
      {
        shows: 'a model of somebody else',
        model: 'meta.llama3-3-70b-instruct-v1:0',
        usage: { fresh: 1000, output: 500 },
        worked: '1000 × 0.72 + 500 × 0.72',
        cost: '0.00108',
      },
      {
        shows: 'a profile of which only AWS knows what stands behind it',
        model: 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
        usage: { fresh: 1000, output: 500 },
        worked: '0 × 0',
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
        shows: 'an alias, which the provider answers with',
        model: 'mistral-large-latest',
        responseModel: 'mistral-large-latest',
        usage: { fresh: 10_000, output: 2000 },
        worked: '10000 × 0.50 + 2000 × 1.50',
        cost: '0.008',
      },
      {
        shows: 'cached input',
        model: 'mistral-large-2512',
        usage: { fresh: 6000, cached: 4000, output: 1000 },
        worked: '6000 × 0.50 + 4000 × 0.05 + 1000 × 1.50',
        cost: '0.0047',
      },
      {
        shows: 'an alias before it moved to a dearer model',
        model: 'mistral-medium-latest',
        at: '2026-06-15T12:00:00Z',
        usage: { fresh: 1000, output: 1000 },
        worked: '1000 × 0.40 + 1000 × 2',
        cost: '0.0024',
      },
      {
        shows: 'the alias after it has moved',
        model: 'mistral-medium-latest',
        at: '2026-06-16T12:00:00Z',
        usage: { fresh: 1000, output: 1000 },
        worked: '1000 × 1.50 + 1000 × 7.50',
        cost: '0.009',
      },
      {
        shows: 'the small model',
        model: 'mistral-small-latest',
        usage: { fresh: 1000, output: 1000 },
        worked: '1000 × 0.15 + 1000 × 0.60',
        cost: '0.00075',
      },
    ],
  },
];
