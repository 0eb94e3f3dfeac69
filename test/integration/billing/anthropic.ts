/**
 * Rows for `anthropic`. Responses with compaction, advisors and fallbacks have the usage of recorded or documented ones:
 * https://github.com/vercel/ai/tree/main/packages/anthropic/src/__fixtures__,
 * https://platform.claude.com/docs/en/about-claude/pricing
 */
import { messageForms, round } from './anthropic-message.ts';
import type { BillingExample } from './example.ts';

const standard = { service_tier: 'standard', inference_geo: 'global', speed: 'standard' };

export const anthropicExamples: readonly BillingExample[] = [
  {
    scenario: 'cache writes for five minutes and an hour, and cache reads',
    model: 'anthropic/claude-opus-5-5',
    ...messageForms({
      model: 'claude-opus-5-5',
      usage: {
        ...standard,
        input_tokens: 100,
        output_tokens: 50,
        cache_read_input_tokens: 4000,
        cache_creation_input_tokens: 3000,
        cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
      },
    }),
    calculation: '100 × 4 + 4000 × 0.2 + 1000 × 5 + 2000 × 8 + 50 × 20',
    pricing: 'table',
    entry: { service_tier: 'standard', speed: 'standard', inference_geo: 'global', billed_parts: null },
  },
  {
    scenario: 'cache reads of Sonnet 5.5',
    model: 'anthropic/claude-sonnet-5-5',
    ...messageForms({
      model: 'claude-sonnet-5-5',
      usage: { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 10_000 },
    }),
    calculation: '10 × 2 + 10000 × 0.1 + 10 × 10',
    pricing: 'table',
  },
  {
    scenario: 'long context, caches included',
    model: 'anthropic/claude-haiku-5-5',
    ...messageForms({
      model: 'claude-haiku-5-5',
      usage: { input_tokens: 60_000, output_tokens: 1000, cache_read_input_tokens: 40_001 },
    }),
    calculation: '60000 × 0.5 + 40001 × 0.05 + 1000 × 2.5',
    pricing: 'table',
  },
  {
    scenario: 'rounds of a server tool loop, each at its own long-context price',
    model: 'anthropic/claude-haiku-5-5',
    ...messageForms({
      model: 'claude-haiku-5-5',
      usage: {
        input_tokens: 240_000,
        output_tokens: 60,
        iterations: [
          round('message', 60_000, 10),
          round('message', 80_000, 20),
          round('message', 100_000, 30),
        ],
      },
    }),
    calculation: '240000 × 0.1 + 60 × 0.5',
    pricing: 'table',
    entry: { input_tokens: 240_000, output_tokens: 60, context_tokens: 100_000, billed_parts: null },
  },
  {
    scenario: 'a server tool loop that crosses the threshold',
    model: 'anthropic/claude-haiku-5-5',
    ...messageForms({
      model: 'claude-haiku-5-5',
      usage: {
        input_tokens: 170_000,
        output_tokens: 30,
        server_tool_use: { web_search_requests: 2 },
        iterations: [round('message', 60_000, 10), round('message', 110_000, 20)],
      },
    }),
    calculation: '60000 × 0.1 + 10 × 0.5 + 110000 × 0.5 + 20 × 2.5 + 2 × 10000',
    pricing: 'table',
    entry: { input_tokens: 170_000, web_searches: 2 },
  },
  {
    scenario: 'compaction with its caches',
    model: 'anthropic/claude-opus-4-6',
    ...messageForms({
      model: 'claude-opus-4-6',
      usage: {
        ...standard,
        input_tokens: 682,
        output_tokens: 1320,
        iterations: [
          round('compaction', 385, 592, {
            cache_read_input_tokens: 50_000,
            cache_creation_input_tokens: 10_000,
          }),
          round('message', 682, 1320),
        ],
      },
    }),
    calculation: '385 × 5 + 50000 × 0.5 + 10000 × 6.25 + 592 × 25 + 682 × 5 + 1320 × 25',
    pricing: 'table',
    entry: { input_tokens: 61_067, output_tokens: 1912, cached_input_tokens: 50_000 },
  },
  {
    scenario: 'an advisor at its own prices',
    model: 'anthropic/claude-sonnet-4-6',
    ...messageForms({
      model: 'claude-sonnet-4-6',
      usage: {
        ...standard,
        input_tokens: 1500,
        output_tokens: 700,
        iterations: [
          round('message', 700, 300),
          round('advisor_message', 1200, 400, { model: 'claude-opus-5' }),
          round('message', 800, 400),
        ],
      },
    }),
    calculation: '1500 × 3 + 700 × 15 + 1200 × 5 + 400 × 25',
    pricing: 'table',
    entry: {
      input_tokens: 2700,
      output_tokens: 1100,
      billed_parts: [
        { model: 'claude-sonnet-4-6', input_tokens: 1500, output_tokens: 700, context_tokens: 800 },
        { model: 'claude-opus-5', input_tokens: 1200, output_tokens: 400 },
      ],
    },
  },
  {
    scenario: 'a fallback, with a declined attempt that is free',
    model: 'anthropic/claude-fable-5-1',
    ...messageForms({
      model: 'claude-opus-5',
      usage: {
        input_tokens: 900,
        output_tokens: 100,
        iterations: [
          round('message', 1000, 0, { model: 'claude-fable-5-1' }),
          round('fallback_message', 900, 100, { model: 'claude-opus-5' }),
        ],
      },
    }),
    calculation: '900 × 5 + 100 × 25',
    pricing: 'table',
    entry: { model: 'claude-fable-5-1', response_model: 'claude-opus-5', billed_parts: null },
  },
  {
    scenario: 'a fallback, with a declined attempt that had output',
    model: 'anthropic/claude-fable-5-1',
    ...messageForms({
      model: 'claude-opus-5',
      usage: {
        input_tokens: 900,
        output_tokens: 100,
        iterations: [
          round('message', 1000, 20, { model: 'claude-fable-5-1' }),
          round('fallback_message', 900, 100, { model: 'claude-opus-5' }),
        ],
      },
    }),
    calculation: '1000 × 10 + 20 × 50 + 900 × 5 + 100 × 25',
    pricing: 'table',
    entry: { input_tokens: 1900, output_tokens: 120 },
  },
  {
    scenario: 'a redeemed fallback credit, whose counts are those that are billed',
    model: 'anthropic/claude-opus-5',
    ...messageForms({
      model: 'claude-opus-5',
      usage: {
        input_tokens: 10,
        output_tokens: 100,
        cache_read_input_tokens: 5000,
        cache_creation_input_tokens: 0,
        fallback_credit: { status: { type: 'redeemed' } },
      },
    }),
    calculation: '10 × 5 + 5000 × 0.5 + 100 × 25',
    pricing: 'table',
  },
  {
    scenario: 'a refusal before any output',
    model: 'anthropic/claude-opus-5',
    ...messageForms({
      model: 'claude-opus-5',
      usage: { input_tokens: 1000, output_tokens: 0 },
      content: [],
      stopReason: 'refusal',
      stopDetails: { type: 'refusal', category: 'cyber', explanation: 'No.' },
    }),
    calculation: '0 × 0',
    pricing: 'provider',
  },
  {
    scenario: 'fast mode in the US, on top of the caches',
    model: 'anthropic/claude-opus-5-5',
    ...messageForms({
      model: 'claude-opus-5-5',
      usage: {
        service_tier: 'standard',
        speed: 'fast',
        inference_geo: 'us',
        input_tokens: 1000,
        output_tokens: 100,
        cache_read_input_tokens: 2000,
        server_tool_use: { web_search_requests: 1 },
      },
    }),
    // Twice the standard price, times 1.1; searches cost the same everywhere.
    calculation: '1000 × 8.8 + 2000 × 0.44 + 100 × 44 + 1 × 10000',
    pricing: 'table',
    entry: { speed: 'fast', inference_geo: 'us' },
  },
  {
    scenario: 'US inference of a model without a surcharge',
    model: 'anthropic/claude-haiku-4-5',
    ...messageForms({
      model: 'claude-haiku-4-5-20251001',
      usage: { inference_geo: 'not_available', input_tokens: 1000, output_tokens: 100 },
    }),
    calculation: '1000 × 1 + 100 × 5',
    pricing: 'table',
    entry: { inference_geo: 'not_available' },
  },
  {
    scenario: 'the priority tier, which is a commitment',
    model: 'anthropic/claude-opus-4-6',
    ...messageForms({
      model: 'claude-opus-4-6',
      usage: { service_tier: 'priority', input_tokens: 1000, output_tokens: 100 },
    }),
    calculation: '1000 × 5 + 100 × 25',
    pricing: 'assumed',
    entry: { service_tier: 'priority' },
  },
  {
    scenario: 'web searches, and free web fetches',
    model: 'anthropic/claude-opus-5',
    ...messageForms({
      model: 'claude-opus-5',
      usage: {
        input_tokens: 1000,
        output_tokens: 100,
        server_tool_use: { web_search_requests: 3, web_fetch_requests: 4 },
      },
    }),
    calculation: '1000 × 5 + 100 × 25 + 3 × 10000',
    pricing: 'table',
  },
  {
    scenario: 'code execution, whose hours no response shows',
    model: 'anthropic/claude-opus-5',
    ...messageForms({
      model: 'claude-opus-5',
      usage: { input_tokens: 1000, output_tokens: 100 },
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'bash_code_execution', input: { command: 'ls' } },
        {
          type: 'bash_code_execution_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: { type: 'bash_code_execution_result' },
        },
        { type: 'text', text: 'Done' },
      ],
    }),
    calculation: '1000 × 5 + 100 × 25',
    pricing: 'table',
    entry: { pricing_gaps: ['code_execution'] },
  },
  {
    scenario: 'a model that is newer than the price table',
    model: 'anthropic/claude-sonnet-5-9',
    ...messageForms({ model: 'claude-sonnet-5-9', usage: { input_tokens: 1000, output_tokens: 100 } }),
    calculation: '1000 × 2 + 100 × 10',
    pricing: 'assumed',
  },
];
