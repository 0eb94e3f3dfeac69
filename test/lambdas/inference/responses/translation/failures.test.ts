/** Failures of providers without the Responses API, as its callers see them before a response has begun. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { findUndocumented } from '#test/support/openapi.ts';
import { hangBeforeHeaders, jsonResponse, type Respond } from '#test/support/providers/upstream-responses.ts';

let gateways: TranslatedGateways;
const byProvider: Record<string, TranslatedGateway> = {};
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
  const settings = { vllm: { operations: { responses: false } } } as const;
  for (const name of ['vllm', 'anthropic', 'google', 'bedrock'])
    byProvider[name] = await gateways.start(name, { settings });
});
afterAll(() => gateways.stop());

const models: Readonly<Record<string, string>> = {
  vllm: 'vllm/qwen3',
  anthropic: 'anthropic/claude-haiku-4-5',
  google: 'google/gemini-3.5-flash',
  bedrock: 'bedrock/us.amazon.nova-2-lite-v1:0',
};

type Headers = Record<string, string>;
const vllm = (code: number, message: string, headers: Headers = {}) =>
  jsonResponse({ error: { message, type: 'Error', param: null, code } }, { status: code, headers });
const anthropic = (status: number, type: string, message: string, headers: Headers = {}) =>
  jsonResponse({ type: 'error', error: { type, message }, request_id: 'req_1' }, { status, headers });
const google = (code: number, status: string, message: string) =>
  jsonResponse({ error: { code, status, message } }, { status: code });
const bedrock = (status: number, type: string, message: string, headers: Headers = {}) =>
  jsonResponse({ message }, { status, headers: { 'x-amzn-errortype': `${type}:x`, ...headers } });

const rejected = (provider: string) =>
  [
    502,
    'api_error',
    'provider_authentication_failed',
    `The provider ${provider} rejected the gateway's credentials; the gateway's operator must replace them`,
  ] as const;
const overflow = (message: string) =>
  [400, 'invalid_request_error', 'context_length_exceeded', message, 'input'] as const;

const invalid = 'The field is invalid';
const limited = 'Rate limit reached';
const overloaded = 'Overloaded';
const vllmOverflow =
  "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens in the messages.";
const claudeOverflow = 'prompt is too long: 216051 tokens > 200000 maximum';
const geminiOverflow =
  'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).';
const novaOverflow = 'Input is too long for requested model.';

type Expected = readonly [status: number, type: string, code: string, message: string, param?: string];

describe('An error of', () => {
  it.each<[string, string, Respond, Expected, Headers?]>([
    ['vllm', 'for a field', vllm(400, invalid), [400, 'invalid_request_error', 'Error', invalid]],
    ['vllm', 'for the credential', vllm(401, 'Unauthorized'), rejected('vllm')],
    [
      'vllm',
      'for an unknown model',
      vllm(404, 'The model `qwen3` does not exist.'),
      [
        400,
        'invalid_request_error',
        'model_not_found',
        'The provider vllm has no model qwen3: The model `qwen3` does not exist.',
        'model',
      ],
    ],
    [
      'vllm',
      'for a large body',
      vllm(413, 'Too large'),
      [413, 'invalid_request_error', 'Error', 'Too large'],
    ],
    [
      'vllm',
      'for its rate limit',
      vllm(429, limited, { 'retry-after': '17' }),
      [429, 'rate_limit_error', 'Error', limited],
      { 'retry-after': '17' },
    ],
    ['vllm', 'of its own', vllm(500, 'Internal error'), [502, 'api_error', 'Error', 'Internal error']],
    ['vllm', 'for a long prompt', vllm(400, vllmOverflow), overflow(vllmOverflow)],
    [
      'anthropic',
      'for a field',
      anthropic(400, 'invalid_request_error', invalid),
      [400, 'invalid_request_error', 'invalid_request_error', invalid],
    ],
    ['anthropic', 'for the credential', anthropic(401, 'authentication_error', 'x'), rejected('anthropic')],
    [
      'anthropic',
      'for its rate limit',
      anthropic(429, 'rate_limit_error', limited, { 'retry-after': '31' }),
      [429, 'rate_limit_error', 'rate_limit_error', limited],
      { 'retry-after': '31' },
    ],
    [
      'anthropic',
      'of overload',
      anthropic(529, 'overloaded_error', overloaded),
      [503, 'api_error', 'overloaded_error', overloaded],
    ],
    [
      'anthropic',
      'for a long prompt',
      anthropic(400, 'invalid_request_error', claudeOverflow),
      overflow(claudeOverflow),
    ],
    [
      'google',
      'for the credential',
      google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
      rejected('google'),
    ],
    [
      'google',
      'for its rate limit',
      google(429, 'RESOURCE_EXHAUSTED', limited),
      [429, 'rate_limit_error', 'RESOURCE_EXHAUSTED', limited],
    ],
    [
      'google',
      'of overload',
      google(503, 'UNAVAILABLE', overloaded),
      [503, 'api_error', 'UNAVAILABLE', overloaded],
    ],
    [
      'google',
      'for a long prompt',
      google(400, 'INVALID_ARGUMENT', geminiOverflow),
      overflow(geminiOverflow),
    ],
    [
      'bedrock',
      'for a field',
      bedrock(400, 'ValidationException', invalid),
      [400, 'invalid_request_error', 'ValidationException', invalid],
    ],
    [
      'bedrock',
      'for its rate limit',
      bedrock(429, 'ThrottlingException', limited),
      [429, 'rate_limit_error', 'ThrottlingException', limited],
    ],
    [
      'bedrock',
      'for a long prompt',
      bedrock(400, 'ValidationException', novaOverflow),
      overflow(novaOverflow),
    ],
  ])(
    '%s %s is in the format of OpenAI',
    async (provider, _, respond, [status, type, code, message, param = null], expectedHeaders = {}) => {
      const { ask } = byProvider[provider] ?? expect.fail();
      for (const stream of [false, true]) {
        const { entry, ...response } = await ask({ model: models[provider], stream }, respond);
        const { headers } = response;

        expect([response.status, response.body]).toEqual([status, { error: { type, code, message, param } }]);
        expect(findUndocumented('/ai/responses', response)).toEqual([]);
        expect(headers).toMatchObject({
          'x-request-id': entry.id,
          'content-type': 'application/json',
          ...expectedHeaders,
        });
        expect(entry).toMatchObject({
          operation: 'responses',
          outcome: 'provider_error',
          status,
          cost_usd: '0',
        });
      }
    },
  );
});

describe('A provider that does not respond', () => {
  it('is an error of the gateway, if it cannot be reached', async () => {
    const { handler } = await gateways.start('bare', {
      name: 'lmstudio',
      settings: { lmstudio: { baseUrl: await unreachableEndpoint() } },
    });

    const { status, text } = await handler.post({ model: 'lmstudio/m', input: 'Hi' });

    const message = 'The provider could not be reached (ECONNREFUSED)';
    expect([status, JSON.parse(text)]).toMatchObject([502, { error: { type: 'api_error', message } }]);
    expect(await handler.entries()).toMatchObject([{ operation: 'responses', outcome: 'provider_error' }]);
  });

  it('is a timeout', async () => {
    const { ask } = await gateways.start('google', { limits: { firstByteMs: 500 } });

    const { status, body, entry } = await ask({ model: models.google }, hangBeforeHeaders);

    expect([status, body]).toMatchObject([504, { error: { code: 'provider_timeout' } }]);
    expect(entry).toMatchObject({ operation: 'responses', outcome: 'timeout', status: 504 });
  });
});
