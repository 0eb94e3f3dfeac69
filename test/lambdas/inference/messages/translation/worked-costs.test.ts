/** The costs of translated messages, by the worked table of `docs/pricing.md`: whole and streamed. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import {
  type ProviderResult,
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { buildChunk, deltaChunk } from '#test/support/providers/openai/events.ts';
import { projectRoot } from '#test/support/source/modules.ts';

const document = readFileSync(path.join(projectRoot, 'docs/pricing.md'), 'utf8');
const [, section = ''] = /^## Messages\n(.*?)^## /ms.exec(document) ?? [];
const rows = section
  .split('\n')
  .filter((line) => /^\| (?!Message|---)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', fresh, written, read, output, cost, pricing = '']) => ({
    name,
    tokens: [fresh, written, read, output].map(Number),
    cost,
    pricing: pricing.replaceAll('`', ''),
  }));

const text = 'token '.repeat(700).slice(0, 4000);

interface Case {
  fake: string;
  model: string;
  settings?: ProviderSettings;
  result: ProviderResult;
}

const google = (usageMetadata?: object): Case => {
  const response = (fields: object) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...fields }],
    modelVersion: 'gemini-3.6-flash',
  });
  const whole = { ...response({ finishReason: 'STOP' }), ...(usageMetadata && { usageMetadata }) };
  return { fake: 'google', model: 'google/gemini-3.6-flash', result: { whole, events: [whole] } };
};
const geminiUsage = { promptTokenCount: 10_000, candidatesTokenCount: 400, thoughtsTokenCount: 600 };
const geminiCached = { ...geminiUsage, cachedContentTokenCount: 4000 };

const nova = (counts: object): Case => {
  const usage = { outputTokens: 1000, totalTokens: 11_000, cacheReadInputTokens: 4000, ...counts };
  return {
    fake: 'bedrock',
    model: 'bedrock/us.amazon.nova-2-lite-v1:0',
    result: {
      whole: {
        output: { message: { role: 'assistant', content: [{ text }] } },
        stopReason: 'end_turn',
        usage,
      },
      events: [
        { messageStart: { role: 'assistant' } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { text } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        { messageStop: { stopReason: 'end_turn' } },
        { metadata: { usage, metrics: { latencyMs: 412 } } },
      ],
    },
  };
};

interface ServerCase extends Pick<Case, 'fake' | 'model' | 'settings'> {
  details?: object;
  usage?: object;
  fields?: object;
}

const server = ({
  fake,
  model,
  settings = {},
  details = {},
  usage: extra = {},
  fields = {},
}: ServerCase): Case => {
  const usage = {
    prompt_tokens: 10_000,
    prompt_tokens_details: { cached_tokens: 4000, ...details },
    completion_tokens: 1000,
    completion_tokens_details: { reasoning_tokens: 600 },
    total_tokens: 11_000,
    ...extra,
  };
  const common = { model: model.slice(model.indexOf('/') + 1), service_tier: null, ...fields };
  const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
  return {
    fake,
    model,
    settings,
    result: {
      whole: { ...buildChunk({ object: 'chat.completion', choices: [choice], usage }), ...common },
      events: [
        { ...deltaChunk({ role: 'assistant', content: text }), ...common },
        { ...deltaChunk({}, 'stop'), ...common },
        { ...buildChunk({ usage }), ...common },
        'data: [DONE]',
      ],
    },
  };
};
const sol = (details: object, fields: object = {}) =>
  server({ fake: 'openai', model: 'openai/gpt-6.2-sol', details, fields });
const writes = (ttl_30m_tokens: number, ttl_12h_tokens: number) => ({
  cache_write_tokens: 3000,
  cache_write_tokens_details: { ttl_30m_tokens, ttl_12h_tokens },
});

/** In the order of the table. */
const cases: readonly Case[] = [
  google(geminiUsage),
  google(geminiCached),
  google({ ...geminiCached, serviceTier: 'flex' }),
  nova({ inputTokens: 6000 }),
  nova({ inputTokens: 3000, cacheWriteInputTokens: 3000 }),
  sol({}),
  sol(writes(3000, 0)),
  sol(writes(2000, 1000)),
  sol(writes(2000, 1000), { service_tier: 'priority' }),
  server({
    fake: 'vllm',
    model: 'vllm/a-model',
    settings: { prices: { input: 1, output: 4, cachedInput: 0.5 } },
  }),
  server({ fake: 'xai', model: 'xai/grok-4', usage: { cost_in_usd_ticks: 123_000_000 } }),
  google(),
];

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

describe('A message', () => {
  it.each(rows.map((row, index) => ({ ...row, index })))(
    'costs $cost dollars: $name',
    async ({ tokens: [fresh = 0, written = 0, read = 0, output], cost, pricing, index }) => {
      const { fake, model, settings = {}, result } = cases[index] ?? expect.fail('There is no response');
      const [name = ''] = model.split('/');
      let atMs = Date.parse('2026-11-29T12:00:00Z');
      const now = () => new Date(atMs++);
      const { ask } = await gateways.start(fake, {
        name,
        settings: { [name]: settings },
        dependencies: { now },
      });
      for (const stream of [false, true]) {
        const messages = [{ role: 'user', content: 'x'.repeat(40_000) }];

        const { body, entry } = await ask({ model, stream, messages }, result);

        expect(body.usage).toMatchObject({
          input_tokens: fresh,
          cache_creation_input_tokens: written,
          cache_read_input_tokens: read,
          output_tokens: output,
        });
        expect(entry).toMatchObject({
          input_tokens: fresh + written + read,
          cached_input_tokens: read,
          cache_write_input_tokens: written,
          output_tokens: output,
          cost_usd: cost,
          pricing,
          stream,
        });
      }
    },
  );
});

it('The table has all of the responses', () => {
  expect(rows).toHaveLength(cases.length);
});
