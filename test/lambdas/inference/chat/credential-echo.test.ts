import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sseEvent } from '#lambdas/inference/providers/http/sse.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { readChunks } from '#test/support/http/read-chunks.ts';
import { bedrockFrame, bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';

const credential = 'sk-a/very+secret==key';
const stars = '*'.repeat(credential.length);
const echo = `echo-${credential}`;

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

interface Scripted {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, or as the bytes of a stream. */
  body: object | readonly Buffer[];
}

/** Asserts that neither the response nor the log contains the credential. */
async function send(provider: string, { status = 200, headers = {}, body }: Scripted) {
  const stream = Array.isArray(body);
  const streamType = provider === 'bedrock' ? bedrockStreamType : 'text/event-stream';
  const chunks = stream ? (body as readonly Buffer[]) : [Buffer.from(JSON.stringify(body))];
  const { gateway } = await fixture.setUp({
    settings: { azure: { baseUrl: 'https://azure.test' }, bedrock: { baseUrl: 'https://bedrock.test' } },
    credentials: { [provider]: { api_key: credential } },
    dependencies: {
      transport: async () => ({
        status,
        headers: { 'content-type': stream ? streamType : 'application/json', ...headers },
        read: readChunks(chunks),
      }),
    },
  });
  const response = await gateway.post({
    model: `${provider}/m`,
    messages: [{ role: 'user', content: 'Hi' }],
    stream,
  });
  const entries = await gateway.entries();
  expect(JSON.stringify([response, entries, gateway.lines])).not.toContain(credential);
  return { ...response, entry: entries[0] };
}

const requestIdHeaders: [string, string][] = [
  ['openai', 'x-request-id'],
  ['azure', 'apim-request-id'],
  ['mistral', 'mistral-correlation-id'],
  ['openrouter', 'x-generation-id'],
  ['anthropic', 'request-id'],
];
const openAiError = {
  error: { message: `No quota for ${credential}`, code: `code_${credential}`, param: credential },
};
const anthropicError = { type: 'error', error: { type: 'api_error', message: `No quota for ${credential}` } };
const googleError = { error: { code: 500, message: `No quota for ${credential}`, status: 'INTERNAL' } };
const bedrockError = { message: `No quota for ${credential}` };

const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
const delta = (content: string) => ({ index: 0, delta: { role: 'assistant', content }, finish_reason: null });
const chunk = (more: object) =>
  sseEvent({ id: echo, object: 'chat.completion.chunk', created: 1, model: echo, ...more });
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const openAiStream = [
  chunk({ choices: [delta('H')], system_fingerprint: echo }),
  chunk({ choices: [delta('i')], system_fingerprint: echo }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }),
  Buffer.from('data: [DONE]\n\n'),
];
const anthropicHead = { id: echo, type: 'message', role: 'assistant', model: echo, content: [] };
const anthropicUsage = { input_tokens: 1, output_tokens: 1 };
const anthropicStream = [
  { type: 'message_start', message: { ...anthropicHead, usage: anthropicUsage } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: anthropicUsage },
  { type: 'message_stop' },
].map(sseEvent);
const googleResponse = {
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: echo,
  responseId: echo,
};
const bedrockUsage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const trace = { promptRouter: { invokedModelId: echo } };
const bedrockStream = [
  { messageStart: { role: 'assistant' } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hi' } } },
  { messageStop: { stopReason: 'end_turn' } },
  { metadata: { usage: bedrockUsage, trace } },
].map(bedrockFrame);

describe('Credential echoed by a provider', () => {
  it.each(requestIdHeaders)(
    'redacts an echoed credential in the request id of %s (%s)',
    async (provider, name) => {
      const { headers, entry } = await send(provider, {
        body: { choices: [choice] },
        headers: { [name]: echo },
      });
      expect(headers['x-gateway-provider-request-id']).toBe(`echo-${stars}`);
      expect(entry?.provider_request_id).toBe(`echo-${stars}`);
    },
  );

  it.each<[string, object | Buffer[]]>([
    ['openai', { id: echo, model: echo, system_fingerprint: echo, choices: [choice], usage }],
    ['openai', openAiStream],
    ['anthropic', { ...anthropicHead, content: [{ type: 'text', text: 'Hi' }], usage: anthropicUsage }],
    ['anthropic', anthropicStream],
    ['google', googleResponse],
    ['google', [sseEvent(googleResponse)]],
    [
      'bedrock',
      {
        output: { message: { content: [{ text: 'Hi' }] } },
        stopReason: 'end_turn',
        usage: bedrockUsage,
        trace,
      },
    ],
    ['bedrock', bedrockStream],
  ])(
    'redacts an echoed credential in the id and the model of a response of %s (%#)',
    async (provider, body) => {
      const { status, entry } = await send(provider, { body });
      expect([status, entry?.outcome, entry?.response_model]).toEqual([200, 'completed', `echo-${stars}`]);
    },
  );

  it.each([
    ['a completion', { model: 'm', choices: [{ ...choice, finish_reason: echo }] }],
    [
      'a stream',
      [chunk({ choices: [{ index: 0, delta: {}, finish_reason: echo }] }), Buffer.from('data: [DONE]\n\n')],
    ],
  ])('redacts an echoed credential in the finish reason of %s', async (_, body) => {
    expect((await send('openai', { body })).entry?.finish_reason).toBe(`echo-${stars}`);
  });

  it.each([
    ['a completion', { service_tier: echo, choices: [choice], usage }],
    [
      'a stream',
      [
        chunk({ choices: [delta('Hi')] }),
        chunk({ service_tier: echo, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }),
        Buffer.from('data: [DONE]\n\n'),
      ],
    ],
  ])('redacts an echoed credential in the service tier of %s', async (_, body) => {
    expect((await send('openai', { body })).entry?.service_tier).toBe(`echo-${stars}`);
  });

  it.each<[string, object]>([
    ['openai', openAiError],
    ['anthropic', anthropicError],
    ['google', googleError],
    ['bedrock', bedrockError],
  ])('redacts an echoed credential in an error response of %s', async (provider, body) => {
    const { text } = await send(provider, { status: 500, body });
    expect(JSON.parse(text).error.message).toContain(`No quota for ${stars}`);
  });

  it.each<[string, object]>([
    ['openai', openAiError],
    ['openai', { choices: [{ error: { message: `No quota for ${credential}`, code: 500 } }], usage }],
    ['anthropic', anthropicError],
    ['google', googleError],
  ])('redacts an echoed credential in an error in a 2xx response of %s', async (provider, body) => {
    const { text } = await send(provider, { body });
    expect(JSON.parse(text).error.message).toBe(`No quota for ${stars}`);
  });

  it.each<[string, Buffer[]]>([
    ['openai', [sseEvent(openAiError)]],
    ['openai', [chunk({ choices: [delta('Hi')] }), sseEvent(openAiError)]],
    ['openai', [Buffer.from(`data: ${JSON.stringify(openAiError)}`)]],
    ['anthropic', [sseEvent(anthropicError)]],
    ['google', [sseEvent(googleError)]],
    ['google', [Buffer.from(JSON.stringify(googleError))]],
    ['bedrock', [bedrockFrame({ internalServerException: bedrockError })]],
  ])('redacts an echoed credential in an error in a stream of %s (%#)', async (provider, body) => {
    const { text, entry } = await send(provider, { body });
    expect(text).toContain(`No quota for ${stars}`);
    expect(entry?.outcome).toBe('provider_error');
  });

  it('redacts an echoed credential in an unsupported content encoding', async () => {
    const { gateway, upstream } = await fixture.setUp();
    upstream.script(({ response }) => {
      response.writeHead(200, { 'content-encoding': 'sk-upstream' }).end('{}');
    });
    const { text } = await gateway.post({ model: 'openai/gpt-4o', messages: [] });
    expect(JSON.parse(text).error.message).toBe(
      "The provider's response has an unsupported content encoding: ***********",
    );
  });
});
