import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import { completionProtocolOf } from '#lambdas/inference/providers/protocols.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { exchange, providerCall } from '#test/support/providers/provider-call.ts';
import { startUpstream, type Upstream } from '#test/support/providers/upstream.ts';
import { jsonResponse } from '#test/support/providers/upstream-responses.ts';

const registry = createProviderRegistry(
  {
    'my-vllm': { baseUrl: 'http://10.0.0.5:8000/v1/', prices: { input: 0.1, output: 0.2 } },
    openai: { baseUrl: 'https://eu.api.openai.com/v1' },
    azure: { baseUrl: 'https://r.openai.azure.com/openai/v1' },
  },
  exampleClientOptions,
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
  return (await exchange(completionProtocolOf(provider), call)).outgoing;
}

describe('createProviderRegistry', () => {
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
  ])("sends %s to the provider's native endpoint %s", async (model, url) => {
    expect((await requestTo(model)).url.href).toBe(url);
  });

  it('forwards only allow-listed caller headers', async () => {
    expect((await requestTo('openai/gpt-4o')).headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-1',
      'content-type': 'application/json',
      'openai-beta': 'assistants=v2',
      'user-agent': 'OpenAI/JS',
    });
  });

  it.each(['mistral', 'cohere'])('requests no usage from %s, which rejects stream_options', async (name) => {
    const { body } = await requestTo(`${name}/m`, true);
    expect(JSON.parse(body)).toEqual({ model: 'm', messages: [], stream: true });
  });

  it('requests usage for a stream even when the caller did not request it', async () => {
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
  ])('throws model_not_found for %j', (model) => {
    expect(() => registry.resolve(model)).toThrow(
      expect.objectContaining({ code: 'model_not_found', status: 400, param: 'model' }),
    );
  });

  it('sends a model without a prefix to the default provider, and any other to its own', () => {
    const settings = { 'my-vllm': { baseUrl: 'http://10.0.0.5:8000/v1' } };
    const { resolve } = createProviderRegistry(settings, exampleClientOptions, 'my-vllm');
    const resolved = ['llama3', 'my-vllm/llama3', 'openai/gpt-4o', 'openrouter/a/b'].map((name) => {
      const { provider, model } = resolve(name);
      return [provider.name, model];
    });
    expect(resolved).toEqual([
      ['my-vllm', 'llama3'],
      ['my-vllm', 'llama3'],
      ['openai', 'gpt-4o'],
      ['openrouter', 'a/b'],
    ]);
  });

  it.each(['', '/gpt-4o', 'openai/', 'meta-llama/llama-3.3-70b', 'OpenAI/gpt-4o'])(
    'throws model_not_found for %j although there is a default provider',
    (model) => {
      const { resolve } = createProviderRegistry({}, exampleClientOptions, 'openai');
      expect(() => resolve(model)).toThrow(
        expect.objectContaining({
          code: 'model_not_found',
          message: expect.stringMatching(/ is not supported: write <provider>\/<model> with one of openai, /),
        }),
      );
    },
  );

  it('names both remedies for a model without a prefix if there is no default provider', () => {
    expect(() => registry.resolve('gpt-4o')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^The model gpt-4o names no provider: write <provider>\/<model> with one of openai, .*, my-vllm, or ask the gateway's operator to set defaultProvider$/,
        ),
      }),
    );
  });

  it('names the missing base URL of the default provider', () => {
    const { resolve } = createProviderRegistry({}, exampleClientOptions, 'ollama');
    expect(() => resolve('llama3')).toThrow(expect.objectContaining({ code: 'provider_not_configured' }));
  });

  it('resolves a provider named constructor', () => {
    const customRegistry = createProviderRegistry(
      { constructor: { baseUrl: 'https://llm.example.com/v1' } },
      exampleClientOptions,
    );
    expect(customRegistry.resolve('constructor/m').provider).toMatchObject({
      name: 'constructor',
      credential: 'optional',
    });
  });

  it('names the missing setting of a provider without a base URL', () => {
    expect(() => registry.resolve('ollama/llama3')).toThrow(
      expect.objectContaining({
        code: 'provider_not_configured',
        message:
          "The provider ollama has no base URL: the gateway's operator must set providers.ollama.baseUrl",
      }),
    );
  });

  it.each([
    ['openai/m', { 'x-request-id': 'r1' }, 'r1'],
    ['deepseek/m', { 'x-ds-trace-id': 'r2', 'x-request-id': 'proxy' }, 'r2'],
    ['mistral/m', { 'mistral-correlation-id': 'r3' }, 'r3'],
    ['azure/m', { 'x-request-id': 'proxy', 'apim-request-id': 'r4' }, 'r4'],
    ['nvidia/m', {}, null],
  ])("reads the request id of %s from the provider's own header", async (name, headers, id) => {
    const { provider, model } = registry.resolve(name);
    const { response } = await exchange(completionProtocolOf(provider), providerCall({ model }), { headers });
    expect(response.requestId).toBe(id);
  });

  it('makes the API key optional when Bedrock is configured, because the role can sign requests', () => {
    const bedrockRegistry = createProviderRegistry(
      { bedrock: { region: 'eu-central-1' } },
      exampleClientOptions,
    );
    expect(bedrockRegistry.resolve('bedrock/m').provider.credential).toBe('optional');
    expect(registry.resolve('bedrock/m').provider.credential).toBe('required');
  });
});

describe('Requests to providers', () => {
  const callerHeaders = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'anthropic-beta': 'files-api-2025-04-14',
    'anthropic-version': '1999-01-01',
    'api-key': 'pt_live_x',
    authorization: 'Bearer pt_live_x',
    connection: 'close, x-api-key',
    'content-length': '7',
    'content-type': 'text/plain',
    cookie: 'session=1',
    expect: '100-continue',
    forwarded: 'for=192.0.2.1',
    'gateway-prompt-id': 'p',
    'gateway-session-id': 's',
    'gateway-user-id': 'u',
    host: 'evil.example.com',
    'idempotency-key': 'once',
    'openai-beta': 'assistants=v2',
    'openai-organization': 'theirs',
    'proxy-authorization': 'Basic eDp5',
    te: 'trailers',
    'transfer-encoding': 'chunked',
    'user-agent': 'OpenAI/JS 7.55.0',
    'x-amz-security-token': 'theirs',
    'x-amzn-trace-id': 'Root=1-2-3',
    'x-api-key': 'pt_live_x',
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-host': 'evil.example.com',
    'x-goog-api-key': 'pt_live_x',
    'x-stainless-lang': 'js',
  };

  const commonHeaders = {
    host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    connection: 'keep-alive',
    'content-length': expect.stringMatching(/^\d+$/),
    'content-type': 'application/json',
  };
  const openaiHeaders = {
    ...commonHeaders,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'openai-beta': 'assistants=v2',
    'user-agent': 'OpenAI/JS 7.55.0',
  };
  const bedrockHeaders = {
    ...commonHeaders,
    'amz-sdk-invocation-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'amz-sdk-request': 'attempt=1; max=1',
    'user-agent': 'ai-gateway',
    'x-amz-user-agent': 'ai-gateway',
  };
  const headersByProvider: Record<string, object> = {
    anthropic: {
      ...commonHeaders,
      'accept-encoding': 'identity',
      'anthropic-beta': 'files-api-2025-04-14',
      'anthropic-version': '2023-06-01',
      'user-agent': 'OpenAI/JS 7.55.0',
      'x-api-key': 'sk-1',
    },
    azure: { ...openaiHeaders, 'api-key': 'sk-1' },
    bedrock: { ...bedrockHeaders, authorization: 'Bearer sk-1' },
    google: {
      ...commonHeaders,
      'accept-encoding': 'identity',
      'user-agent': 'OpenAI/JS 7.55.0',
      'x-goog-api-key': 'sk-1',
    },
  };

  describe('Headers received by the provider', () => {
    let upstream: Upstream<null>;
    beforeAll(async () => {
      upstream = await startUpstream({ path: '', respond: () => jsonResponse({}) }, null);
    });
    afterAll(() => upstream.stop());

    /** Expects no header to be repeated. */
    async function receivedHeaders(name: string, apiKey: string | null): Promise<Record<string, string>> {
      const settings: ProviderSettingsByName = { [name]: { baseUrl: upstream.baseUrl } };
      const { provider } = createProviderRegistry(settings, exampleClientOptions).resolve(`${name}/m`);
      const call = providerCall({ model: 'm' }, { apiKey, callerHeaders });
      const prepared = await completionProtocolOf(provider)(call);
      const watch = createDeadlineWatch({ firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 });
      await createHttpTransport()(prepared.outgoing, watch);
      watch.stop();
      const { rawHeaders } = await upstream.takeRequest();
      const names = rawHeaders.filter((_, index) => index % 2 === 0);
      expect(new Set(names.map((header) => header.toLowerCase())).size).toBe(names.length);
      return Object.fromEntries(
        names.map((header, index) => [header.toLowerCase(), rawHeaders[index * 2 + 1] ?? '']),
      );
    }

    it.each(Object.keys(providerCatalog))('sends %s exactly the expected headers', async (name) => {
      expect(await receivedHeaders(name, 'sk-1')).toEqual(
        headersByProvider[name] ?? { ...openaiHeaders, authorization: 'Bearer sk-1' },
      );
    });

    it('sends Bedrock the headers of a SigV4 signature when there is no API key', async () => {
      expect(await receivedHeaders('bedrock', null)).toEqual({
        ...bedrockHeaders,
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$/,
        ),
        'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
        'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
        'x-amz-security-token': 'session',
      });
    });

    it('sends no credential to a server without an API key', async () => {
      expect(await receivedHeaders('vllm', null)).toEqual(openaiHeaders);
    });
  });
});
