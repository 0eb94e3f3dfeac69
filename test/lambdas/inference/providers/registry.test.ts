import { describe, expect, it } from 'vitest';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { exchange, providerCall } from '#test/support/providers/provider-call.ts';

const registry = createProviderRegistry(
  {
    'my-vllm': { baseUrl: 'http://10.0.0.5:8000/v1/', prices: { input: 0.1, output: 0.2 } },
    openai: { baseUrl: 'https://eu.api.openai.com/v1' },
    azure: { baseUrl: 'https://r.openai.azure.com/openai/v1' },
  },
  exampleCaller,
);

const callerHeaders = {
  authorization: 'Bearer pt_live_x',
  'gateway-user-id': 'u',
  'user-agent': 'OpenAI/JS',
  accept: 'application/json',
  cookie: 'c',
  'x-forwarded-for': '192.0.2.1',
  'openai-organization': 'theirs',
  'openai-beta': 'assistants=v2',
  'idempotency-key': 'once',
};

async function requestTo(name: string, stream = false) {
  const { provider, model } = registry.resolve(name);
  const call = providerCall({ model: name, messages: [], stream }, { model, callerHeaders });
  return (await exchange(provider.prepare, call)).outgoing;
}

describe('the provider registry', () => {
  it.each([
    ['openai/gpt-4o', 'https://eu.api.openai.com/v1/chat/completions', 'gpt-4o'],
    ['my-vllm/a/b', 'http://10.0.0.5:8000/v1/chat/completions', 'a/b'],
    ['mistral/m', 'https://api.mistral.ai/v1/chat/completions', 'm'],
    ['groq/m', 'https://api.groq.com/openai/v1/chat/completions', 'm'],
    ['together/m', 'https://api.together.xyz/v1/chat/completions', 'm'],
    ['fireworks/m', 'https://api.fireworks.ai/inference/v1/chat/completions', 'm'],
    ['deepseek/m', 'https://api.deepseek.com/chat/completions', 'm'],
    ['xai/m', 'https://api.x.ai/v1/chat/completions', 'm'],
    ['cerebras/m', 'https://api.cerebras.ai/v1/chat/completions', 'm'],
    [
      'openrouter/meta-llama/llama-3.3-70b',
      'https://openrouter.ai/api/v1/chat/completions',
      'meta-llama/llama-3.3-70b',
    ],
    ['nvidia/m', 'https://integrate.api.nvidia.com/v1/chat/completions', 'm'],
    ['cohere/m', 'https://api.cohere.ai/compatibility/v1/chat/completions', 'm'],
  ])('sends %s to %s as %s', async (model, url, providerModel) => {
    const outgoing = await requestTo(model);
    expect(outgoing.url.href).toBe(url);
    expect(JSON.parse(outgoing.body)).toEqual({ model: providerModel, messages: [], stream: false });
  });

  it.each([
    ['anthropic/m', 'https://api.anthropic.com/v1/messages'],
    ['google/m', 'https://generativelanguage.googleapis.com/v1beta/models/m:generateContent'],
  ])('translates %s for %s', async (model, url) => {
    expect((await requestTo(model)).url.href).toBe(url);
  });

  it('lets only headers on the allow-list leave', async () => {
    expect((await requestTo('openai/gpt-4o')).headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-1',
      'content-type': 'application/json',
      'openai-beta': 'assistants=v2',
      'user-agent': 'OpenAI/JS',
    });
  });

  it.each(['mistral', 'cohere'])('asks %s for no usage, which it refuses to be asked for', async (name) => {
    const { body } = await requestTo(`${name}/m`, true);
    expect(JSON.parse(body)).toEqual({ model: 'm', messages: [], stream: true });
  });

  it('asks the others for usage when a stream did not', async () => {
    const { body } = await requestTo('groq/m', true);
    expect(JSON.parse(body)).toMatchObject({
      stream_options: { include_usage: true },
    });
  });

  it.each([
    'gpt-4o',
    'nosuch/gpt-4o',
    '/gpt-4o',
    'openai/',
    '',
    'constructor/x',
    '__proto__/x',
    'OpenAI/gpt-4o',
  ])('does not know %j', (model) => {
    expect(() => registry.resolve(model)).toThrow(
      expect.objectContaining({ code: 'model_not_found', status: 400, param: 'model' }),
    );
  });

  it('knows a provider that the operator calls constructor', () => {
    const own = createProviderRegistry(
      { constructor: { baseUrl: 'https://llm.example.com/v1' } },
      exampleCaller,
    );
    expect(own.resolve('constructor/m').provider).toMatchObject({
      name: 'constructor',
      credential: 'optional',
    });
  });

  it('says of a provider without an address what its operator has to set', () => {
    expect(() => registry.resolve('ollama/llama3')).toThrow(
      expect.objectContaining({
        code: 'provider_not_configured',
        message: 'The provider ollama has no base URL here: its operator sets providers.ollama.baseUrl',
      }),
    );
  });

  it.each([
    ['openai/m', { 'x-request-id': 'r1' }, 'r1'],
    ['deepseek/m', { 'x-ds-trace-id': 'r2', 'x-request-id': 'proxy' }, 'r2'],
    ['mistral/m', { 'mistral-correlation-id': 'r3' }, 'r3'],
    ['azure/m', { 'x-request-id': 'proxy', 'apim-request-id': 'r4' }, 'r4'],
    ['nvidia/m', {}, null],
  ])("finds the request id of %s in the provider's own header", async (name, headers, id) => {
    const { provider, model } = registry.resolve(name);
    const { reply } = await exchange(provider.prepare, providerCall({ model }), { headers });
    expect(reply.requestId).toBe(id);
  });

  it("takes the function's role for Bedrock once the operator has named it", () => {
    const named = createProviderRegistry({ bedrock: { region: 'eu-central-1' } }, exampleCaller);
    expect(named.resolve('bedrock/m').provider.credential).toBe('optional');
    expect(registry.resolve('bedrock/m').provider.credential).toBe('required');
  });
});
