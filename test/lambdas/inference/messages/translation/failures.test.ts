/** Failures of providers without the Messages API, as its callers see them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { findUndocumented } from '#test/support/openapi.ts';
import { deltaChunk, event } from '#test/support/providers/openai/events.ts';
import {
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

let gateways: TranslatedGateways;
let openai: TranslatedGateway;
let google: TranslatedGateway;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
  [openai, google] = await Promise.all([gateways.start('openai'), gateways.start('google')]);
});
afterAll(() => gateways.stop());

const gpt = { model: 'openai/gpt-5.5' };
const gemini = { model: 'google/gemini-3.5-flash' };
const openAiError = (status: number, error: object, headers: Record<string, string> = {}) =>
  jsonResponse({ error }, { status, headers });
const googleError = (code: number, status: string, message: string) =>
  jsonResponse({ error: { code, status, message } }, { status: code });

const rejectedKey = (provider: string) =>
  `The provider ${provider} rejected the gateway's credentials; the gateway's operator must replace them`;

describe("An error of OpenAI's", () => {
  it.each<[string, Respond, [number, string, string], Record<string, string | undefined>]>([
    [
      'for an invalid field',
      openAiError(400, { message: "Invalid 'temperature'", param: 'temperature', code: null }),
      [400, 'invalid_request_error', "Invalid 'temperature'"],
      {},
    ],
    [
      'for the credential',
      openAiError(401, { message: 'Incorrect API key provided: sk-u', code: 'invalid_api_key' }),
      [502, 'api_error', rejectedKey('openai')],
      { 'x-should-retry': 'false' },
    ],
    [
      'for an unknown model',
      openAiError(404, { message: 'The model `gpt-5.5` does not exist', code: 'model_not_found' }),
      [
        404,
        'not_found_error',
        'The provider openai has no model gpt-5.5: The model `gpt-5.5` does not exist',
      ],
      {},
    ],
    [
      'for a body that is too large',
      openAiError(413, { message: 'Request too large' }),
      [413, 'request_too_large', 'Request too large'],
      {},
    ],
    [
      'for its rate limit',
      openAiError(
        429,
        { message: 'Rate limit reached', code: 'rate_limit_exceeded' },
        { 'retry-after': '17' },
      ),
      [429, 'rate_limit_error', 'Rate limit reached'],
      { 'retry-after': '17' },
    ],
    [
      'of its own',
      openAiError(500, { message: 'The server had an error', type: 'server_error' }),
      [500, 'api_error', 'The server had an error'],
      {},
    ],
    [
      'when it is overloaded',
      openAiError(503, { message: 'The engine is overloaded' }, { 'retry-after': '31' }),
      [529, 'overloaded_error', 'The engine is overloaded'],
      { 'retry-after': '31' },
    ],
    [
      'of a gateway in front of it',
      jsonResponse('<html>Bad gateway</html>', { status: 502, headers: { 'content-type': 'text/html' } }),
      [500, 'api_error', 'The provider openai returned status 502'],
      {},
    ],
    [
      'for a prompt that is too long',
      openAiError(400, {
        message:
          "This model's maximum context length is 400000 tokens. However, your messages resulted in 400123 tokens. Please reduce the length of the messages.",
        code: 'context_length_exceeded',
        param: 'messages',
      }),
      [
        400,
        'invalid_request_error',
        "prompt is too long: 400123 tokens > 400000 maximum (This model's maximum context length is 400000 tokens. However, your messages resulted in 400123 tokens. Please reduce the length of the messages.)",
      ],
      {},
    ],
  ])('%s is in the format of Anthropic', async (_, respond, [status, type, message], expectedHeaders) => {
    const { entry, ...response } = await openai.ask(gpt, respond);
    const { headers } = response;

    expect([response.status, response.body]).toEqual([
      status,
      { type: 'error', error: { type, message }, request_id: entry.id },
    ]);
    expect(findUndocumented('/ai/messages', response)).toEqual([]);
    expect(headers).toMatchObject({ 'request-id': entry.id, 'content-type': 'application/json' });
    expect({ 'retry-after': headers['retry-after'], 'x-should-retry': headers['x-should-retry'] }).toEqual({
      'retry-after': undefined,
      'x-should-retry': undefined,
      ...expectedHeaders,
    });
    expect(entry).toMatchObject({ operation: 'messages', outcome: 'provider_error', cost_usd: '0' });
  });
});

describe("An error of Google's", () => {
  it.each<[Respond, [number, string, string]]>([
    [
      googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
      [502, 'api_error', rejectedKey('google')],
    ],
    [
      googleError(404, 'NOT_FOUND', 'models/gemini-3.5-flash is not found for API version v1beta'),
      [
        404,
        'not_found_error',
        'The provider google has no model gemini-3.5-flash: models/gemini-3.5-flash is not found for API version v1beta',
      ],
    ],
    [
      googleError(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota'),
      [429, 'rate_limit_error', 'You exceeded your current quota'],
    ],
    [
      googleError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
      [529, 'overloaded_error', 'The model is overloaded. Please try again later.'],
    ],
    [googleError(504, 'DEADLINE_EXCEEDED', 'Deadline expired'), [504, 'timeout_error', 'Deadline expired']],
    [
      googleError(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
      ),
      [
        400,
        'invalid_request_error',
        'prompt is too long: 1196265 tokens > 1048575 maximum (The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).)',
      ],
    ],
  ])('is in the format of Anthropic, %#', async (respond, [status, type, message]) => {
    for (const stream of [false, true]) {
      const { entry, ...response } = await google.ask({ ...gemini, stream }, respond);

      expect([response.status, response.body]).toEqual([
        status,
        { type: 'error', error: { type, message }, request_id: entry.id },
      ]);
    }
  });
});

describe('A provider that does not respond', () => {
  it('is an error of the gateway, if it cannot be reached', async () => {
    const { handler } = await gateways.start('bare', {
      name: 'vllm',
      settings: { vllm: { baseUrl: await unreachableEndpoint() } },
    });

    const { status, text } = await handler.post({ model: 'vllm/m', messages: [] });

    const message = 'The provider could not be reached (ECONNREFUSED)';
    expect([status, JSON.parse(text)]).toMatchObject([502, { error: { type: 'api_error', message } }]);
    expect(await handler.entries()).toMatchObject([{ operation: 'messages', outcome: 'provider_error' }]);
  });

  it('is a timeout', async () => {
    const { ask } = await gateways.start('openai', { limits: { firstByteMs: 20 } });

    const { status, body, entry } = await ask(gpt, hangBeforeHeaders);

    expect([status, body]).toMatchObject([504, { error: { type: 'timeout_error' } }]);
    expect(entry).toMatchObject({ operation: 'messages', outcome: 'timeout', status: 504 });
  });
});

describe('A stream that has begun', () => {
  const hello = event(deltaChunk({ role: 'assistant', content: 'Hello' }));

  it.each<[string, Respond, object]>([
    [
      "with the provider's words",
      streamResponse([hello, event({ error: { message: 'The server had an error', code: 500 } })]),
      { type: 'api_error', message: 'The server had an error' },
    ],
    [
      'of overload',
      streamResponse([hello, event({ error: { message: 'Overloaded', code: 503 } })]),
      { type: 'overloaded_error', message: 'Overloaded' },
    ],
    [
      'if its end is missing',
      streamResponse([hello], { ending: 'close' }),
      { type: 'api_error', message: "The provider's response was truncated (ECONNRESET)" },
    ],
  ])('ends with an error %s', async (_, respond, error) => {
    const { status, events, entry } = await openai.ask({ ...gpt, stream: true }, respond);

    expect(status).toBe(200);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'error',
    ]);
    expect(events.at(-1)).toEqual({ type: 'error', error, request_id: entry.id });
    expect(entry).toMatchObject({ outcome: 'provider_error', usage_source: 'estimated', output_tokens: 2 });
  });
});
