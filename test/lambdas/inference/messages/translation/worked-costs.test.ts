/** The costs of translated messages, by the worked table of `docs/pricing.md`: whole and streamed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTranslatedGateways,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import {
  gemini,
  geminiCached,
  geminiUsage,
  nova,
  server,
  startWorkedCase,
  type WorkedCase,
  workedRows,
} from '#test/support/translation/worked-costs.ts';

const rows = workedRows('Messages', 'Message');

const sol = (details: object, fields: object = {}) =>
  server({ fake: 'openai', model: 'openai/gpt-6.2-sol', details, fields });
const writes = (ttl_30m_tokens: number, ttl_12h_tokens: number) => ({
  cache_write_tokens: 3000,
  cache_write_tokens_details: { ttl_30m_tokens, ttl_12h_tokens },
});

/** In the order of the table. */
const cases: readonly WorkedCase[] = [
  gemini(geminiUsage),
  gemini(geminiCached),
  gemini({ ...geminiCached, serviceTier: 'flex' }),
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
  gemini(),
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
      const worked = cases[index] ?? expect.fail('There is no response');
      const { model, result } = worked;
      const { ask } = await startWorkedCase(gateways, worked);
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
