/** Rows for `bedrock`: https://aws.amazon.com/bedrock/pricing/ */
import type { BillingExample } from './example.ts';

function forms(usage: object, tier?: string) {
  const metadata = {
    usage,
    metrics: { latencyMs: 300 },
    ...(tier !== undefined && { serviceTier: { type: tier } }),
  };
  return {
    plain: {
      output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
      stopReason: 'end_turn',
      ...metadata,
    },
    stream: [
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hello' } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: 'end_turn' } },
      { metadata },
    ],
  };
}

export const bedrockExamples: readonly BillingExample[] = [
  {
    scenario: 'cache writes by duration, at the regional price',
    model: 'bedrock/eu.anthropic.claude-sonnet-5-5',
    ...forms({
      inputTokens: 10,
      outputTokens: 100,
      totalTokens: 6110,
      cacheReadInputTokens: 1000,
      cacheWriteInputTokens: 5000,
      cacheDetails: [
        { ttl: '5m', inputTokens: 2000 },
        { ttl: '1h', inputTokens: 3000 },
      ],
    }),
    calculation: '10 × 2.2 + 1000 × 0.11 + 2000 × 2.75 + 3000 × 4.4 + 100 × 11',
    pricing: 'table',
    entry: { region: 'eu' },
  },
  {
    scenario: 'the global price',
    model: 'bedrock/global.anthropic.claude-sonnet-5-5',
    ...forms({ inputTokens: 1000, outputTokens: 100, totalTokens: 1100 }, 'default'),
    calculation: '1000 × 2 + 100 × 10',
    pricing: 'table',
    entry: { region: 'global', service_tier: 'default' },
  },
  {
    scenario: 'flex',
    model: 'bedrock/qwen.qwen3-32b-v1:0',
    ...forms({ inputTokens: 10_000, outputTokens: 1000, totalTokens: 11_000 }, 'flex'),
    calculation: '10000 × 0.075 + 1000 × 0.3',
    pricing: 'table',
    entry: { service_tier: 'flex', region: 'us-east-1' },
  },
  {
    scenario: 'priority, rounded by AWS',
    model: 'bedrock/mistral.mistral-large-3-675b-instruct',
    ...forms({ inputTokens: 1000, outputTokens: 1000, totalTokens: 2000 }, 'priority'),
    calculation: '1000 × 0.88 + 1000 × 2.63',
    pricing: 'table',
  },
  {
    scenario: "a tier at AWS's multiple",
    model: 'bedrock/us.amazon.nova-pro-v1:0',
    ...forms({ inputTokens: 1000, outputTokens: 500, totalTokens: 3500, cacheReadInputTokens: 2000 }, 'flex'),
    calculation: '1000 × 0.4 + 2000 × 0.1 + 500 × 1.6',
    pricing: 'assumed',
  },
  {
    scenario: 'cached tokens of GPT-5.6, which are counted as input too',
    model: 'bedrock/us.openai.gpt-5.6-luna',
    ...forms({
      inputTokens: 4995,
      outputTokens: 19,
      totalTokens: 10_007,
      cacheReadInputTokens: 0,
      cacheWriteInputTokens: 4993,
    }),
    calculation: '4995 × 0.22 + 4993 × 0.275 + 19 × 1.32',
    pricing: 'assumed',
  },
];
