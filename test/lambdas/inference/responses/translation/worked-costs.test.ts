/** The costs of translated responses, by the worked table of `docs/pricing.md`: whole and streamed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import {
  claude,
  gemini,
  geminiCached,
  geminiUsage,
  nova,
  server,
  startWorkedCase,
  type WorkedCase,
  workedRows,
} from '#test/support/translation/worked-costs.ts';

const rows = workedRows('Translated responses', 'Translated');

const claudeCached = { cache_read_input_tokens: 4000 };
const claudeWrites = (ephemeral_5m_input_tokens: number, ephemeral_1h_input_tokens: number) =>
  claude({
    ...claudeCached,
    input_tokens: 3000,
    cache_creation_input_tokens: 3000,
    cache_creation: { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens },
  });
const withoutApi = { operations: { responses: false } } as const;

/** In the order of the table. */
const cases: readonly WorkedCase[] = [
  claude({ input_tokens: 10_000 }),
  claude({ ...claudeCached, input_tokens: 6000 }),
  claudeWrites(3000, 0),
  claudeWrites(2000, 1000),
  gemini(geminiUsage),
  gemini(geminiCached),
  gemini({ ...geminiCached, serviceTier: 'flex' }),
  nova({ inputTokens: 6000 }),
  nova({ inputTokens: 3000, cacheWriteInputTokens: 3000 }),
  server({ fake: 'mistral', model: 'mistral/mistral-large-latest', details: { cached_tokens: 0 } }),
  server({
    fake: 'vllm',
    model: 'vllm/a-model',
    settings: { ...withoutApi, prices: { input: 1, output: 4, cachedInput: 0.5 } },
  }),
  server({
    fake: 'openrouter',
    model: 'openrouter/qwen/qwen3',
    settings: withoutApi,
    usage: { cost: 0.0123, is_byok: false },
  }),
  gemini(),
];

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

describe('A translated response', () => {
  it.each(rows.map((row, index) => ({ ...row, index })))(
    'costs $cost dollars: $name',
    async ({ tokens: [input = 0, written = 0, read = 0, output = 0], cost, pricing, index }) => {
      const worked = cases[index] ?? expect.fail('There is no response');
      const { model, result } = worked;
      const { ask } = await startWorkedCase(gateways, worked);
      for (const stream of [false, true]) {
        const { body, entry } = await ask({ model, stream, input: 'x'.repeat(40_000) }, result);

        expect(body.usage).toMatchObject({
          input_tokens: input,
          input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
          output_tokens: output,
          total_tokens: input + output,
        });
        expect(entry).toMatchObject({
          operation: 'responses',
          input_tokens: input,
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
