/** Every header that leaves for each provider, as the provider gets it, whatever the caller sent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createHttpTransport } from '#lambdas/inference/providers/http/client.ts';
import { createDeadlineWatch } from '#lambdas/inference/providers/http/deadlines.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';
import { startUpstream, type Upstream } from '#test/support/providers/upstream.ts';
import { jsonAnswer } from '#test/support/providers/upstream-answers.ts';

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

/** What every request has; the length is of the body, which other tests look at. */
const common = {
  host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  connection: 'keep-alive',
  'content-length': expect.stringMatching(/^\d+$/),
  'content-type': 'application/json',
};
const ofOpenAi = {
  ...common,
  accept: 'application/json',
  'accept-encoding': 'identity',
  'openai-beta': 'assistants=v2',
  'user-agent': 'OpenAI/JS 7.55.0',
};
const ofBedrock = {
  ...common,
  'amz-sdk-invocation-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  'amz-sdk-request': 'attempt=1; max=1',
  'user-agent': 'ai-gateway',
  'x-amz-user-agent': 'ai-gateway',
};
const others: Record<string, object> = {
  anthropic: {
    ...common,
    'accept-encoding': 'identity',
    'anthropic-beta': 'files-api-2025-04-14',
    'anthropic-version': '2023-06-01',
    'user-agent': 'OpenAI/JS 7.55.0',
    'x-api-key': 'sk-1',
  },
  azure: { ...ofOpenAi, 'api-key': 'sk-1' },
  bedrock: { ...ofBedrock, authorization: 'Bearer sk-1' },
  google: {
    ...common,
    'accept-encoding': 'identity',
    'user-agent': 'OpenAI/JS 7.55.0',
    'x-goog-api-key': 'sk-1',
  },
};

describe('what leaves for', () => {
  let upstream: Upstream<null>;
  beforeAll(async () => {
    upstream = await startUpstream({ path: '', answer: () => jsonAnswer({}) }, null);
  });
  afterAll(() => upstream.stop());

  /** The headers as they came in, with a list for each that came twice. */
  async function sentTo(name: string, apiKey: string | null): Promise<Record<string, string>> {
    const settings: ProviderSettingsByName = { [name]: { baseUrl: upstream.baseUrl } };
    const { prepare } = createProviderRegistry(settings, exampleCaller).resolve(`${name}/m`).provider;
    const prepared = await prepare(providerCall({ model: 'm' }, { apiKey, callerHeaders }));
    const watch = createDeadlineWatch({ firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 });
    await createHttpTransport()(prepared.outgoing, watch);
    watch.stop();
    const { rawHeaders } = await upstream.takeRequest();
    const names = rawHeaders.filter((_, at) => at % 2 === 0);
    expect(new Set(names.map((header) => header.toLowerCase())).size).toBe(names.length);
    return Object.fromEntries(
      names.map((header, at) => [header.toLowerCase(), rawHeaders[at * 2 + 1] ?? '']),
    );
  }

  it.each(Object.keys(providerCatalog))('%s', async (name) => {
    expect(await sentTo(name, 'sk-1')).toEqual(others[name] ?? { ...ofOpenAi, authorization: 'Bearer sk-1' });
  });

  it('bedrock, signed by a role', async () => {
    expect(await sentTo('bedrock', null)).toEqual({
      ...ofBedrock,
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$/,
      ),
      'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
      'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
      'x-amz-security-token': 'session',
    });
  });

  it('a server without a credential', async () => {
    expect(await sentTo('vllm', null)).toEqual(ofOpenAi);
  });
});
