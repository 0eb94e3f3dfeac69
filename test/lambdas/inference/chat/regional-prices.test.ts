/** Requests to regional addresses, which a local run cannot reach: the transport sends them to the fake provider. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { calculate } from '#test/integration/billing/example.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

const usage = {
  prompt_tokens: 10_000,
  completion_tokens: 1000,
  total_tokens: 11_000,
  prompt_tokens_details: { cached_tokens: 4000 },
};

function responseOf(model: string, stream: boolean) {
  const base = { id: 'chatcmpl-1', created: 1, model };
  const content = { role: 'assistant', content: 'Hello' };
  if (!stream) {
    const choices = [{ index: 0, message: content, finish_reason: 'stop' }];
    return jsonResponse({ ...base, object: 'chat.completion', choices, usage });
  }
  const choices = [{ index: 0, delta: content, finish_reason: 'stop' }];
  const chunk = { ...base, object: 'chat.completion.chunk', choices, usage };
  return streamResponse([`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n']);
}

interface Example {
  model: string;
  settings: ProviderSettingsByName[string];
  region: string | null;
  calculation: string;
  pricing: string;
}

describe('A request to a regional address', () => {
  let fixture: ChatFixture;
  beforeAll(async () => {
    fixture = await startChatFixture();
  });
  afterAll(() => fixture.stop());

  const examples: Example[] = [
    {
      model: 'openai/gpt-5.5',
      settings: { baseUrl: 'https://eu.api.openai.com/v1' },
      region: 'eu',
      calculation: '6000 × 5.5 + 4000 × 0.55 + 1000 × 33',
      pricing: 'table',
    },
    {
      model: 'openai/gpt-5.2',
      settings: { baseUrl: 'https://eu.api.openai.com/v1' },
      region: 'eu',
      calculation: '6000 × 1.75 + 4000 × 0.175 + 1000 × 14',
      pricing: 'table',
    },
    {
      model: 'together/zai-org/GLM-5.3',
      settings: { baseUrl: 'https://us-api.together.ai/v1' },
      region: 'us',
      calculation: '6000 × 1.75 + 4000 × 0.325 + 1000 × 5.5',
      pricing: 'assumed',
    },
    {
      model: 'azure/gpt-5.5',
      settings: { baseUrl: 'https://example.openai.azure.com/openai/v1', priceFactor: 1.1 },
      region: null,
      calculation: '6000 × 5.5 + 4000 × 0.55 + 1000 × 33',
      pricing: 'table',
    },
  ];

  it.each(examples.flatMap((example) => [false, true].map((stream) => ({ ...example, stream }))))(
    'to $settings.baseUrl for $model costs $calculation (stream: $stream)',
    async (example) => {
      const { model, settings, region, pricing, stream } = example;
      const cost = calculate(example.calculation);
      const [provider = '', ...name] = model.split('/');
      const send = createHttpTransport();
      const { upstream, gateway } = await fixture.setUp({
        settings: { [provider]: settings },
        credentials: { [provider]: { api_key: 'sk-upstream' } },
        dependencies: {
          transport: (request, watch) => {
            const { pathname } = request.url;
            return send({ ...request, url: new URL(pathname, upstream.baseUrl) }, watch);
          },
        },
      });
      upstream.script(responseOf(name.join('/'), stream));

      await gateway.post({ model, messages: [{ role: 'user', content: 'Hi' }], stream });

      expect(await gateway.entries()).toMatchObject([{ region, cost_usd: cost, pricing }]);
    },
  );
});
