/** The Responses API of each provider that has it: its address, and the gateway's credential. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import {
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { isAuthenticated } from '#test/support/providers/bedrock/authentication.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';
import { exampleRequest, responseFields, startResponsesGateway } from '#test/support/responses/gateway.ts';

let gateways: NativeGateways;
beforeAll(async () => {
  gateways = await startNativeGateways();
});
afterAll(() => gateways.stop());

const startFor = async (
  provider: string,
  settings: ProviderSettings = {},
  apiKey: string | null = providerKey,
) => {
  const gateway = await startResponsesGateway(gateways, {
    settingsOf: (baseUrl) => ({ [provider]: { baseUrl, ...settings } }),
    credentials: apiKey === null ? {} : { [provider]: { api_key: apiKey } },
  });
  const exchange = (model: string, response = jsonResponse(responseFields)) =>
    gateway.exchange(response, { ...exampleRequest, model: `${provider}/${model}` });
  return { ...gateway, exchange };
};

const bearer = { authorization: `Bearer ${providerKey}` };

describe('The Responses API', () => {
  it.each<[string, ProviderSettings, string, object]>([
    ['openai', {}, '/responses', bearer],
    ['azure', {}, '/responses', { 'api-key': providerKey }],
    ['xai', {}, '/responses', bearer],
    ['openrouter', {}, '/responses', bearer],
    ['groq', {}, '/responses', bearer],
    ['fireworks', {}, '/responses', bearer],
    ['deepseek', {}, '/responses', bearer],
    ['ollama', {}, '/responses', bearer],
    ['vllm', {}, '/responses', bearer],
    ['lmstudio', { operations: { responses: '/responses' } }, '/responses', bearer],
  ])('of %s is called with its credential', async (provider, settings, url, credential) => {
    const { exchange } = await startFor(provider, settings);

    const { request, status, entry } = await exchange('some/model');

    expect(status).toBe(200);
    expect([request.url, JSON.parse(request.body.toString()).model]).toEqual([url, 'some/model']);
    const { 'api-key': apiKey, authorization } = request.headers;
    expect({ ...(apiKey && { 'api-key': apiKey }), ...(authorization && { authorization }) }).toEqual(
      credential,
    );
    expect(entry).toMatchObject({ provider, model: 'some/model', operation: 'responses', output_tokens: 5 });
  });

  it.each([
    ['openrouter', { cost: 0.0123, is_byok: false }, '0.0123'],
    ['xai', { cost_in_usd_ticks: 292_331_500 }, '0.02923315'],
  ])('of %s states the cost', async (provider, stated, cost) => {
    const { exchange } = await startFor(provider);
    const usage = { ...responseFields.usage, ...stated };

    const { entry } = await exchange('some/model', jsonResponse({ ...responseFields, usage }));

    expect(entry).toMatchObject({ cost_usd: cost, pricing: 'provider', input_tokens: 19 });
  });

  it.each(['ollama', 'vllm', 'lmstudio'])(
    'of %s is not called without it, but that of chats',
    async (provider) => {
      const { exchange } = await startFor(
        provider,
        provider === 'lmstudio' ? {} : { operations: { responses: false } },
      );
      const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };

      const { request, status, entry } = await exchange(
        'm',
        jsonResponse({ object: 'chat.completion', choices: [choice] }),
      );

      expect([status, request.url]).toEqual([200, '/chat/completions']);
      expect(entry).toMatchObject({ provider, operation: 'responses', finish_reason: 'stop' });
    },
  );
});

describe('The Responses API of Bedrock', () => {
  const model = 'us.openai.gpt-5.6-sol';

  it("is called with the function's signature", async () => {
    const { exchange } = await startFor('bedrock', {}, null);

    const { request, text, entry } = await exchange(model);

    expect(request.url).toBe('/openai/v1/responses');
    expect(JSON.parse(request.body.toString())).toEqual({ ...exampleRequest, model });
    const expectedRole = exampleClientOptions.access.credentials;
    expect(isAuthenticated(request, { expectedRole })).toBe(true);
    expect(text).toBe(JSON.stringify(responseFields));
    expect(entry).toMatchObject({ provider: 'bedrock', model, input_tokens: 19, output_tokens: 5 });
  });

  it('takes a Bedrock API key', async () => {
    const { exchange } = await startFor('bedrock');

    const { request } = await exchange('global.xai.grok-4.6');

    expect(request.headers.authorization).toBe(`Bearer ${providerKey}`);
  });

  it("translates AWS's own errors, also with the status 200", async () => {
    const { exchange } = await startFor('bedrock');
    const headers = { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' };
    const throttled = jsonResponse({ message: 'Too many tokens' }, { status: 429, headers });
    const unknown = jsonResponse({
      Output: { __type: 'com.amazon.coral.service#UnknownOperationException' },
      Version: '1.0',
    });

    const [first, second] = [await exchange(model, throttled), await exchange(model, unknown)];

    expect([first.status, JSON.parse(first.text).error]).toEqual([
      429,
      { type: 'rate_limit_error', code: 'ThrottlingException', message: 'Too many tokens', param: null },
    ]);
    expect([second.status, second.entry.outcome]).toEqual([502, 'provider_error']);
  });

  it.each(['amazon.nova-pro-v1:0', 'openai.gpt-oss-120b-1:0', 'us.anthropic.claude-opus-4-8'])(
    'is not called for %s',
    async (other) => {
      const { exchange } = await startFor('bedrock');
      const output = { message: { role: 'assistant', content: [{ text: 'Hi' }] } };

      const { request, status, entry } = await exchange(
        other,
        jsonResponse({ output, stopReason: 'end_turn', usage: { inputTokens: 2, outputTokens: 3 } }),
      );

      expect([status, request.url]).toEqual([200, `/model/${encodeURIComponent(other)}/converse`]);
      expect(entry).toMatchObject({ operation: 'responses', model: other, output_tokens: 3 });
    },
  );
});
