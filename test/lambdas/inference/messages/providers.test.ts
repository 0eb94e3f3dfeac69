/** The Messages API of each provider that has it: its address, and the gateway's credential. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import {
  exampleRequest,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { isAuthenticated } from '#test/support/providers/bedrock/authentication.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

let gateways: NativeGateways;
beforeAll(async () => {
  gateways = await startNativeGateways();
});
afterAll(() => gateways.stop());

const message = {
  type: 'message',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'tool_use',
  usage: { input_tokens: 2, output_tokens: 3 },
};

const startFor = async (
  provider: string,
  settings: ProviderSettings = {},
  apiKey: string | null = providerKey,
) => {
  const gateway = await gateways.start({
    settingsOf: (baseUrl) => ({ [provider]: { baseUrl, ...settings } }),
    credentials: apiKey === null ? {} : { [provider]: { api_key: apiKey } },
  });
  const exchange = (model: string, response = jsonResponse(message)) =>
    gateway.exchange(response, { ...exampleRequest, model: `${provider}/${model}` });
  return { ...gateway, exchange };
};

describe('The Messages API', () => {
  it.each<[string, ProviderSettings, string, object]>([
    ['anthropic', {}, '/messages', { 'x-api-key': providerKey }],
    ['openrouter', {}, '/messages', { authorization: `Bearer ${providerKey}` }],
    ['fireworks', {}, '/messages', { authorization: `Bearer ${providerKey}` }],
    ['deepseek', {}, '/anthropic/v1/messages', { authorization: `Bearer ${providerKey}` }],
    [
      'vllm',
      { operations: { messages: '/messages' } },
      '/messages',
      { authorization: `Bearer ${providerKey}` },
    ],
  ])('of %s is called with its credential', async (provider, settings, path, credential) => {
    const { exchange } = await startFor(provider, settings);

    const { request, status, entry } = await exchange('some/model');

    expect(status).toBe(200);
    expect([request.url, JSON.parse(request.body.toString()).model]).toEqual([path, 'some/model']);
    const { 'x-api-key': apiKey, authorization } = request.headers;
    expect({ ...(apiKey && { 'x-api-key': apiKey }), ...(authorization && { authorization }) }).toEqual(
      credential,
    );
    expect(entry).toMatchObject({
      provider,
      model: 'some/model',
      operation: 'messages',
      finish_reason: 'stop',
    });
  });

  it('is priced by the cost that OpenRouter states', async () => {
    const { exchange } = await startFor('openrouter');
    const usage = { ...message.usage, cost: 0.0123, is_byok: false };

    const { entry } = await exchange('anthropic/claude-opus-4.8', jsonResponse({ ...message, usage }));

    expect(entry).toMatchObject({
      cost_usd: '0.0123',
      pricing: 'provider',
      input_tokens: 2,
      output_tokens: 3,
    });
  });
});

describe('The Messages API of Bedrock', () => {
  const model = 'us.anthropic.claude-opus-4-8';

  it("is called with the function's signature, and the caller's headers", async () => {
    const { exchange } = await startFor('bedrock', {}, null);

    const { request, text, entry } = await exchange(model);

    expect(request.url).toBe('/anthropic/v1/messages');
    expect(JSON.parse(request.body.toString())).toEqual({ ...exampleRequest, model });
    expect(request.headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
    expect(request.headers['x-api-key']).toBeUndefined();
    const expectedRole = exampleClientOptions.access.credentials;
    expect(isAuthenticated(request, { expectedRole })).toBe(true);
    expect(text).toBe(JSON.stringify(message));
    expect(entry).toMatchObject({
      provider: 'bedrock',
      model,
      input_tokens: 2,
      output_tokens: 3,
      pricing: 'table',
    });
  });

  it('takes a Bedrock API key', async () => {
    const { exchange } = await startFor('bedrock');

    const { request } = await exchange(model);

    expect(request.headers.authorization).toBe(`Bearer ${providerKey}`);
  });

  it("translates AWS's own errors", async () => {
    const { exchange } = await startFor('bedrock');
    const throttled = jsonResponse(
      { message: 'Too many tokens' },
      { status: 429, headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' } },
    );

    const { status, text, entry } = await exchange(model, throttled);

    expect([status, JSON.parse(text)]).toEqual([
      429,
      {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'Too many tokens' },
        request_id: entry.id,
      },
    ]);
    expect(entry.error_code).toBe('ThrottlingException');
  });
});
