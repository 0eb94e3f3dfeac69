/** Every provider serves an operation with formats of its own, without a change of the code that all operations share. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatHandlerFixture, createChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { bedrockFrame, bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';
import { type FakeProvider, fakeProviders } from '#test/support/providers/fake-providers.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { buildChunk, deltaChunk, errorEvent, event } from '#test/support/providers/openai/events.ts';
import { jsonResponse, type Respond, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { questions } from './operation.ts';

const path = '/ai/questions';

const models = {
  // 19 × $0.15 + 5 × $0.6 per million.
  openai: {
    model: 'gpt-4o-mini',
    responseModel: 'gpt-4o-mini-2024-07-18',
    tokens: { in: 19, out: 5 },
    costUsd: '0.00000585',
  },
  // 19 × $3 + 5 × $15 per million.
  anthropic: {
    model: 'claude-sonnet-4-5',
    responseModel: 'claude-sonnet-4-5',
    tokens: { in: 19, out: 5 },
    costUsd: '0.000132',
  },
  // 11 × $0.3 + 5 × $2.5 per million.
  google: {
    model: 'gemini-2.5-flash',
    responseModel: 'gemini-2.5-flash',
    tokens: { in: 11, out: 5 },
    costUsd: '0.0000158',
  },
  // Its responses do not name the model. 12 × $0.06 + 8 × $0.24 per million.
  bedrock: {
    model: 'amazon.nova-lite-v1:0',
    responseModel: null,
    tokens: { in: 12, out: 8 },
    costUsd: '0.00000264',
  },
};
type ProviderName = keyof typeof models;

const served = Object.entries(models).map(([provider, expected]) => ({ provider, ...expected }));

const question = {
  model: 'openai/gpt-4o-mini',
  question: 'How are you?',
  instructions: 'Be brief.',
  max_tokens: 10,
};

let database: EmbeddedDynamoDB;
const upstreams: FakeProvider[] = [];
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(async () => {
  await Promise.all(upstreams.map((upstream) => upstream.stop()));
  await database.stop();
});

async function setUp(
  provider = 'openai',
  options: Pick<Parameters<typeof createChatHandlerFixture>[0], 'hardLimits'> = {},
): Promise<{ upstream: FakeProvider; gateway: ChatHandlerFixture }> {
  const start = fakeProviders[provider];
  if (start === undefined) throw new Error(`There is no fake of ${provider}`);
  const upstream = await start({ expectedApiKey: 'sk-upstream' });
  upstreams.push(upstream);
  const gateway = await createChatHandlerFixture({
    path,
    database,
    settings: { [provider]: { baseUrl: upstream.baseUrl } },
    credentials: { [provider]: { api_key: 'sk-upstream' } },
    dependencies: { operations: { [path]: () => questions } },
    ...options,
  });
  return { upstream, gateway };
}

const ofType = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

describe('The request of a question', () => {
  it('is a chat completion request to a provider with the format of OpenAI', async () => {
    const { upstream, gateway } = await setUp();

    await gateway.post(question, { 'user-agent': 'Questions/1', cookie: 'c' });

    const [sent] = upstream.requests;
    const body =
      '{"model":"gpt-4o-mini","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How are you?"}],"max_completion_tokens":10}';
    expect([sent?.method, sent?.url, sent?.body.toString()]).toEqual(['POST', '/v1/chat/completions', body]);
    const { host, connection, ...headers } = sent?.headers ?? {};
    expect(headers).toEqual({
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-upstream',
      'content-length': String(body.length),
      'content-type': 'application/json',
      'user-agent': 'Questions/1',
    });
  });

  it('asks for the usage of a stream, and follows the rules of the provider', async () => {
    const { upstream, gateway } = await setUp('deepseek');

    await gateway.post({
      model: 'deepseek/deepseek-chat',
      question: 'How are you?',
      max_tokens: 10,
      stream: true,
    });

    expect(upstream.requests[0]?.body.toString()).toBe(
      '{"model":"deepseek-chat","messages":[{"role":"user","content":"How are you?"}],"max_tokens":10,"stream":true,"stream_options":{"include_usage":true}}',
    );
  });

  it('is estimated from its texts until the provider has responded', async () => {
    const { gateway } = await setUp();

    await gateway.post(question);

    // 12 and 9 bytes are 6 tokens.
    expect(gateway.lines[0]).toMatchObject({
      event: 'request_forwarded',
      entry: { operation: 'responses', outcome: 'interrupted', input_tokens: 6, output_tokens: 0 },
    });
  });

  it('reserves its maximum cost from a hard budget', async () => {
    const { gateway } = await setUp('openai', { hardLimits: { key: { day: '1' } } });

    await gateway.post(question);

    // 99 bytes × $0.25 and 10 tokens × $1 per million: the account's default tier may be the priority tier.
    expect(JSON.stringify(question)).toHaveLength(99);
    expect(await gateway.entries()).toMatchObject([{ reserved_usd: '0.00003475', cost_usd: '0.00000585' }]);
  });
});

describe.each(served)('An answer of $provider', ({ provider, model, responseModel, tokens, costUsd }) => {
  const entry = {
    operation: 'responses',
    provider,
    model,
    response_model: responseModel,
    status: 200,
    outcome: 'completed',
    input_tokens: tokens.in,
    output_tokens: tokens.out,
    usage_source: 'provider',
    usage_warnings: null,
    cost_usd: costUsd,
    finish_reason: 'stop',
    error_code: null,
  };

  it('is a single body', async () => {
    const { gateway } = await setUp(provider);

    const { status, headers, text } = await gateway.post({ ...question, model: `${provider}/${model}` });

    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(text).toBe(
      `{"answer":"Hello there, I am here.","ended":"complete","tokens":{"in":${tokens.in},"out":${tokens.out}}}`,
    );
    expect(await gateway.entries()).toMatchObject([{ ...entry, stream: false }]);
  });

  it('is a stream of events', async () => {
    const { gateway } = await setUp(provider);
    const body = { ...question, model: `${provider}/${model}`, stream: true };

    const { status, headers, text } = await gateway.post(body);

    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const isAnthropic = provider === 'anthropic';
    const deltas = isAnthropic
      ? ['Hello there,', ' I am here.']
      : ['Hello', ' there', ', I', ' am', ' here.'];
    const texts = deltas.map((delta) => ofType('text', { text: delta }));
    const ping = isAnthropic ? ': ping\n\n' : '';
    expect(text).toBe([ping, ...texts, ofType('end', { ended: 'complete', tokens })].join(''));
    expect(await gateway.entries()).toMatchObject([{ ...entry, stream: true }]);
  });
});

describe('An answer', () => {
  it.each([
    ['length', 'cut'],
    ['content_filter', 'filtered'],
  ])('that ended with the word %s is %s, and counts reasoning that it does not show', async (word, ended) => {
    const { upstream, gateway } = await setUp();
    const chunks = [
      deltaChunk({ reasoning_content: 'Hm, well' }),
      deltaChunk({ content: 'Fine' }),
      deltaChunk({}, word),
    ];
    upstream.script(streamResponse([...chunks.map(event), event(buildChunk()), 'data: [DONE]\n\n']));

    const { text } = await gateway.post({ ...question, stream: true });

    expect(text).toBe(ofType('text', { text: 'Fine' }) + ofType('end', { ended, tokens: null }));
    expect(await gateway.entries()).toMatchObject([
      // 12 bytes of output are 3 tokens.
      {
        finish_reason: word,
        outcome: 'completed',
        usage_source: 'estimated',
        input_tokens: 6,
        output_tokens: 3,
      },
    ]);
  });

  it('consists of the first choice, the only one that was requested', async () => {
    const { upstream, gateway } = await setUp();
    const choice = (index: number, content: string) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: 'stop',
    });
    upstream.script(jsonResponse({ choices: [choice(0, 'Fine'), choice(1, 'Well')] }));

    const { text } = await gateway.post(question);

    expect(text).toBe('{"answer":"Fine","ended":"complete","tokens":null}');
  });
});

describe('The error of a question', () => {
  it.each([
    [{ ...question, question: 7 }, 'question', 'question must be a string'],
    [{ ...question, question: ' ' }, 'question', 'question must not be empty'],
    [{ ...question, instructions: [] }, 'instructions', 'instructions must be a string'],
    [{ ...question, max_tokens: '9' }, 'max_tokens', 'max_tokens must be a number'],
    [{ ...question, stream: 1 }, 'stream', 'stream must be true or false'],
    [{ ...question, messages: [] }, 'messages', 'messages is not a field of a question'],
    [{ ...question, model: '' }, 'model', 'model must be a string of the form <provider>/<model>'],
  ])('names the invalid field of %j', async (body, field, problem) => {
    const { upstream, gateway } = await setUp();

    const { status, text } = await gateway.post(body);

    expect([status, JSON.parse(text)]).toEqual([400, { problem, field }]);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toMatchObject([
      {
        operation: 'responses',
        status: 400,
        outcome: 'rejected',
        error_code: 'invalid_request_error',
        cost_usd: '0',
      },
    ]);
  });

  it('has the same format for a caller without a key, who has no log entry', async () => {
    const { gateway } = await setUp();

    const { status, text } = await gateway.post(question, { authorization: 'Bearer sk-unknown' });

    expect([status, Object.keys(JSON.parse(text))]).toEqual([401, ['problem']]);
    expect(await gateway.entries()).toEqual([]);
  });

  it.each([false, true])(
    "names the field that the provider's error is about, with stream %j",
    async (stream) => {
      const { upstream, gateway } = await setUp();
      upstream.script(
        errorResponse(400, { error: { param: 'max_completion_tokens', message: 'It is too large.' } }),
      );

      const { status, headers, text } = await gateway.post({ ...question, stream });

      expect([status, headers['content-type']]).toEqual([400, 'application/json']);
      expect(JSON.parse(text)).toEqual({ problem: 'It is too large.', field: 'max_tokens' });
      expect(await gateway.entries()).toMatchObject([
        { operation: 'responses', stream, status: 400, outcome: 'provider_error', cost_usd: '0' },
      ]);
    },
  );

  it('keeps the header with which the provider limits requests', async () => {
    const { upstream, gateway } = await setUp();
    upstream.script(errorResponse(429), errorResponse(429), errorResponse(429));

    const { status, headers, text } = await gateway.post(question);

    expect([status, headers['retry-after'], Object.keys(JSON.parse(text))]).toEqual([429, '7', ['problem']]);
    expect(await gateway.entries()).toMatchObject([
      { operation: 'responses', status: 429, error_code: 'rate_limit_exceeded', cost_usd: '0' },
    ]);
  });

  /** Each with the tokens and the cost of what was received: 3 bytes of output are a token. */
  const broken: [ProviderName, Respond, object][] = [
    [
      'openai',
      streamResponse([
        event(deltaChunk({ content: 'Hel' })),
        errorEvent({ message: 'It broke.', type: 'server_error' }),
      ]),
      { input_tokens: 6, output_tokens: 1, cost_usd: '0.0000015' },
    ],
    [
      'anthropic',
      streamResponse(
        [
          { type: 'message_start', message: { model: 'claude-sonnet-4-5', usage: { input_tokens: 19 } } },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
          { type: 'error', error: { type: 'api_error', message: 'It broke.' } },
        ].map((data) => ofType(data.type, data)),
      ),
      { input_tokens: 19, output_tokens: 1, cost_usd: '0.000072' },
    ],
    [
      'google',
      streamResponse([
        event({ candidates: [{ content: { parts: [{ text: 'Hel' }], role: 'model' }, index: 0 }] }),
        event({ error: { code: 500, message: 'It broke.', status: 'INTERNAL' } }),
      ]),
      { input_tokens: 6, output_tokens: 1, cost_usd: '0.0000043' },
    ],
    [
      'bedrock',
      streamResponse(
        [
          { messageStart: { role: 'assistant' } },
          { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Hel' } } },
          { internalServerException: { message: 'It broke.' } },
        ].map(bedrockFrame),
        { headers: { 'content-type': bedrockStreamType } },
      ),
      { input_tokens: 6, output_tokens: 1, cost_usd: '0.0000006' },
    ],
  ];

  it.each(broken)('is the last event of a stream that %s has begun', async (provider, respond, billed) => {
    const { upstream, gateway } = await setUp(provider);
    const model = `${provider}/${models[provider].model}`;
    upstream.script(respond);

    const { status, text } = await gateway.post({ ...question, model, stream: true });

    expect([status, text]).toEqual([
      200,
      ofType('text', { text: 'Hel' }) + ofType('problem', { problem: 'It broke.' }),
    ]);
    expect(await gateway.entries()).toMatchObject([
      { operation: 'responses', stream: true, status: 200, outcome: 'provider_error', ...billed },
    ]);
  });

  it('is an event after a stream that breaks off', async () => {
    const { upstream, gateway } = await setUp();
    upstream.script(streamResponse([event(deltaChunk({ content: 'Hel' }))]));

    const { text } = await gateway.post({ ...question, stream: true });

    expect(text).toBe(
      ofType('text', { text: 'Hel' }) +
        ofType('problem', { problem: 'The stream of the provider openai ended early' }),
    );
    expect(await gateway.entries()).toMatchObject([
      { outcome: 'provider_error', usage_source: 'estimated', input_tokens: 6, output_tokens: 1 },
    ]);
  });
});
