import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatHarness, type ChatHarnessOptions, createChatHarness } from '../../support/chat-harness.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../../support/embedded-dynamodb.ts';
import {
  controlledStream,
  errorAnswer,
  hangBeforeHeaders,
  jsonAnswer,
  resetBeforeHeaders,
  streamAnswer,
} from '../../support/openai-answers.ts';
import { deltaChunk, doneEvent, errorEvent, event, eventsWithUsage } from '../../support/openai-events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../../support/openai-upstream.ts';

const messages = [{ role: 'user', content: 'Say hello' }];

describe('POST /ai/chat/completions', () => {
  let database: EmbeddedDynamoDB;
  beforeAll(async () => {
    database = await startEmbeddedDynamoDB();
  });
  afterAll(() => database.stop());

  /** A gateway, an organization and an upstream of its own for each test. */
  async function setUp(
    options: Partial<ChatHarnessOptions> = {},
  ): Promise<{ upstream: OpenAIUpstream; gateway: ChatHarness }> {
    const upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
    const gateway = await createChatHarness({
      database,
      settings: { openai: { baseUrl: upstream.baseUrl }, mistral: { baseUrl: upstream.baseUrl } },
      credentials: { openai: { api_key: 'sk-upstream' }, mistral: { api_key: 'sk-upstream' } },
      ...options,
    });
    return { upstream, gateway };
  }

  describe('a plain answer', () => {
    it("is the provider's, byte for byte, and is logged with tokens and cost", async () => {
      const { upstream, gateway } = await setUp();
      const answer =
        '{"id":"c1", "object":"chat.completion","model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","x":1.0},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":200}}}';
      upstream.script(jsonAnswer(answer));
      const reply = await gateway.post(
        { model: 'openai/gpt-4o', messages, temperature: 0.5 },
        { 'gateway-prompt-id': 'welcome', 'gateway-session-id': 's1', 'gateway-user-id': 'u1' },
      );
      const [entry] = await gateway.entries();
      expect(reply.status).toBe(200);
      expect(reply.text).toBe(answer);
      expect(reply.headers).toEqual({
        'content-type': 'application/json',
        'x-gateway-provider': 'openai',
        'x-gateway-provider-request-id': 'req_00000000000000000000000000000001',
        'x-gateway-request-id': entry?.id,
      });
      expect(entry).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        organization_id: gateway.organizationId,
        created_at: expect.stringMatching(/^20\d\d-.*Z$/),
        model: 'gpt-4o',
        response_model: 'gpt-4o-2024-08-06',
        provider: 'openai',
        status: 200,
        outcome: 'completed',
        stream: false,
        input_tokens: 1000,
        output_tokens: 500,
        total_tokens: 1500,
        cached_input_tokens: 200,
        cache_write_input_tokens: 0,
        reasoning_tokens: 0,
        cost_usd: '0.00725',
        pricing: 'table',
        pricing_version: 'genai-prices 0.1.8',
        usage_source: 'provider',
        finish_reason: 'stop',
        latency_ms: expect.any(Number),
        time_to_first_token_ms: null,
        prompt_id: 'welcome',
        session_id: 's1',
        user_id: 'u1',
        api_key_id: gateway.apiKeyId,
        provider_request_id: 'req_00000000000000000000000000000001',
        error_code: null,
      });
    });

    it('was asked for with the body of the caller but for the model, and no header that is not on the list', async () => {
      const { upstream, gateway } = await setUp();
      const body =
        '{"messages":[{"role":"user","content":"\\u00e9"}],"model": "openai/gpt-4o","seed":9007199254740993,"temperature":1.0}';
      await gateway.post(body, {
        'gateway-user-id': 'u1',
        cookie: 'c',
        'user-agent': 'OpenAI/Python 2',
        'x-stainless-os': 'Linux',
      });
      const [request] = upstream.requests;
      expect(request?.url).toBe('/v1/chat/completions');
      expect(request?.body.toString()).toBe(body.replace('openai/gpt-4o', 'gpt-4o'));
      const { host, connection, ...sent } = request?.headers ?? {};
      expect(sent).toEqual({
        'accept-encoding': 'identity',
        authorization: 'Bearer sk-upstream',
        'content-length': String(body.length - 'openai/'.length),
        'content-type': 'application/json',
        'user-agent': 'OpenAI/Python 2',
      });
    });

    it('without usage is logged as such', async () => {
      const { upstream, gateway } = await setUp();
      upstream.script(
        jsonAnswer({ model: 'gpt-4o', choices: [{ index: 0, message: {}, finish_reason: 'stop' }] }),
      );
      await gateway.post({ model: 'openai/gpt-4o', messages });
      expect((await gateway.entries())[0]).toMatchObject({
        outcome: 'completed',
        usage_source: 'missing',
        input_tokens: null,
        total_tokens: null,
        cost_usd: '0',
        pricing: null,
      });
    });

    it('that speaks at length of itself is logged in brief', async () => {
      const { upstream, gateway } = await setUp();
      const long = 'x'.repeat(500_000);
      upstream.script(
        jsonAnswer(
          { model: long, choices: [{ finish_reason: long }] },
          { headers: { 'x-request-id': 'y'.repeat(5000) } },
        ),
      );
      await gateway.post({ model: 'openai/gpt-4o', messages });
      expect((await gateway.entries())[0]).toMatchObject({
        response_model: 'x'.repeat(128),
        finish_reason: 'x'.repeat(128),
        provider_request_id: 'y'.repeat(128),
      });
    });

    it('that is compressed all the same is passed on readable', async () => {
      const { gzipSync } = await import('node:zlib');
      const { upstream, gateway } = await setUp();
      const answer = JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });
      upstream.script(jsonAnswer(gzipSync(answer), { headers: { 'content-encoding': 'gzip' } }));
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages });
      expect(reply.text).toBe(answer);
      expect((await gateway.entries())[0]).toMatchObject({ total_tokens: 2 });
    });

    it.each([
      ['not JSON', '<html>busy</html>', /did not answer in JSON/],
      ['an error', '{"error":{"message":"Upstream is out","code":524}}', /^Upstream is out$/],
    ])('that is %s is an error, not an answer', async (_, body, message) => {
      const { upstream, gateway } = await setUp();
      upstream.script(jsonAnswer(body));
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages });
      expect(reply.status).toBe(502);
      expect(JSON.parse(reply.text).error.message).toMatch(message);
      expect((await gateway.entries())[0]).toMatchObject({ status: 502, outcome: 'provider_error' });
    });
  });

  describe('a stream', () => {
    it('arrives piece by piece, before the provider has sent the next one', async () => {
      const { upstream, gateway } = await setUp();
      const stream = controlledStream();
      upstream.script(stream.answer);
      const calling = gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
      const [first, second] = [
        event(deltaChunk({ content: 'Hel' })),
        event(deltaChunk({ content: 'lo' }, 'stop')),
      ];
      await stream.write(first);
      const call = await calling;
      expect(call.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      expect(String(await nextPiece(call.body))).toBe(first);
      await stream.write(second.slice(0, 10));
      await stream.write(second.slice(10));
      expect(String(await nextPiece(call.body))).toBe(second);
      await stream.write(doneEvent);
      await stream.end();
      expect(await text(call.body)).toBe(doneEvent);
      await call.invocation;
      expect((await gateway.entries())[0]).toMatchObject({
        outcome: 'completed',
        stream: true,
        finish_reason: 'stop',
        time_to_first_token_ms: expect.any(Number),
      });
    });

    it('is asked to bring its usage, which the caller who did not ask does not see', async () => {
      const { upstream, gateway } = await setUp();
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      expect(JSON.parse(String(upstream.requests[0]?.body))).toEqual({
        model: 'gpt-4o',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      expect(reply.text).not.toContain('"choices":[]');
      expect(reply.text.endsWith(doneEvent)).toBe(true);
      expect((await gateway.entries())[0]).toMatchObject({
        input_tokens: 19,
        output_tokens: 5,
        usage_source: 'provider',
      });
    });

    it('brings usage to the caller who asked for it', async () => {
      const { gateway } = await setUp();
      const body = {
        model: 'openai/gpt-4o',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      };
      expect((await gateway.post(body)).text).toContain('"choices":[],"usage":{"prompt_tokens":19');
    });

    it.each([
      'own-chunk',
      'last-choice',
      'inside-choice',
      'x_groq',
      'every-chunk',
      'after-stop-with-choices',
    ] as const)('is billed by usage in the place %s', async (place) => {
      const { upstream, gateway } = await setUp();
      upstream.script(streamAnswer(eventsWithUsage(place)));
      await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      expect((await gateway.entries())[0]).toMatchObject({
        input_tokens: 19,
        output_tokens: 5,
        total_tokens: 24,
      });
    });

    it('is not asked for usage where the provider refuses that', async () => {
      const { upstream, gateway } = await setUp();
      upstream.script(streamAnswer(eventsWithUsage('last-choice')));
      await gateway.post({ model: 'mistral/mistral-large-latest', messages, stream: true });
      expect(JSON.parse(String(upstream.requests[0]?.body))).toEqual({
        model: 'mistral-large-latest',
        messages,
        stream: true,
      });
    });

    it('that fails with its first event is an HTTP error', async () => {
      const { upstream, gateway } = await setUp();
      upstream.script(
        streamAnswer([': wait\n\n', errorEvent({ message: 'No capacity', code: 'overloaded' })]),
      );
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      expect([reply.status, JSON.parse(reply.text)]).toEqual([
        502,
        { error: { message: 'No capacity', type: 'api_error', param: null, code: 'overloaded' } },
      ]);
      expect((await gateway.entries())[0]).toMatchObject({
        status: 502,
        outcome: 'provider_error',
        error_code: 'overloaded',
      });
    });

    it('that fails later ends with an error event and without [DONE]', async () => {
      const { upstream, gateway } = await setUp();
      const first = event(deltaChunk({ content: 'Hel' }));
      upstream.script(streamAnswer([first, errorEvent({ message: 'No capacity' }), doneEvent]));
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      expect(reply.status).toBe(200);
      expect(reply.text).toBe(
        first +
          'data: {"error":{"message":"No capacity","type":"api_error","param":null,"code":"provider_error"}}\n\n',
      );
      expect((await gateway.entries())[0]).toMatchObject({
        status: 200,
        outcome: 'provider_error',
        error_code: 'provider_error',
      });
    });

    it.each(['complete', 'close', 'reset'] as const)(
      'that breaks off (%s) says so, and keeps no half event',
      async (ending) => {
        const { upstream, gateway } = await setUp();
        const stream = controlledStream();
        upstream.script(stream.answer);
        const calling = gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
        const first = event(deltaChunk({ content: 'Hel' }));
        await stream.write(`${first}data: {"id":"c2","cho`);
        const call = await calling;
        expect(String(await nextPiece(call.body))).toBe(first);
        if (ending === 'complete') await stream.end();
        else await stream.cut(ending);
        const rest = await text(call.body);
        await call.invocation;
        expect(rest).toMatch(
          /^data: \{"error":\{"message":".*broke off.*","type":"api_error","param":null,"code":"provider_error"\}\}\n\n$/,
        );
        expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'provider_error' });
      },
    );

    it('is read to its usage when the caller goes away', async () => {
      const { upstream, gateway } = await setUp();
      const stream = controlledStream();
      upstream.script(stream.answer);
      const calling = gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
      await stream.write(event(deltaChunk({ content: 'Hel' })));
      const call = await calling;
      await nextPiece(call.body);
      call.body.destroy();
      for (const piece of eventsWithUsage('own-chunk')) await stream.write(piece);
      await stream.end();
      await call.invocation;
      expect((await gateway.entries())[0]).toMatchObject({
        status: 200,
        outcome: 'client_closed',
        input_tokens: 19,
        output_tokens: 5,
        error_code: null,
      });
    });

    it('holds little of a large answer, however slowly it is read', async () => {
      const { upstream, gateway } = await setUp();
      const piece = event(deltaChunk({ content: 'x'.repeat(64 * 1024) }));
      upstream.script(
        streamAnswer([...Array.from({ length: 200 }, () => piece), event(deltaChunk({}, 'stop')), doneEvent]),
      );
      const call = await gateway.call(gateway.event({ model: 'openai/gpt-4o', messages, stream: true }));
      let [length, mostHeld] = [0, 0];
      for await (const chunk of call.body) {
        length += chunk.length;
        mostHeld = Math.max(mostHeld, call.body.writableLength + call.body.readableLength);
      }
      await call.invocation;
      expect(length).toBeGreaterThan(200 * 64 * 1024);
      expect(mostHeld).toBeLessThan(512 * 1024);
    });
  });

  describe('an error', () => {
    it.each([
      ['{', 'invalid_request_error', 'body', null],
      ['{"model":"openai/gpt-4o"}', 'invalid_request_error', 'messages', null],
      ['{"messages":[]}', 'invalid_request_error', 'model', null],
      ['{"model":"gpt-4o","messages":[]}', 'model_not_found', 'model', 'gpt-4o'],
      ['{"model":"nosuch/gpt-4o","messages":[]}', 'model_not_found', 'model', 'nosuch/gpt-4o'],
      ['{"model":"groq/llama","messages":[]}', 'provider_not_configured', 'model', 'llama'],
    ])('for %s is a 400 that is logged as rejected', async (body, code, param, model) => {
      const { upstream, gateway } = await setUp();
      const reply = await gateway.post(body);
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.text).error).toMatchObject({ type: 'invalid_request_error', code, param });
      expect(upstream.requests).toEqual([]);
      expect(await gateway.entries()).toEqual([
        expect.objectContaining({ status: 400, outcome: 'rejected', error_code: code, model, cost_usd: '0' }),
      ]);
    });

    it('of the key is a 401 that is not logged', async () => {
      const { gateway } = await setUp();
      const reply = await gateway.post(
        { model: 'openai/gpt-4o', messages },
        { authorization: 'Bearer pt_live_no' },
      );
      expect(reply.status).toBe(401);
      expect(reply.headers['www-authenticate']).toBe('Bearer');
      expect(JSON.parse(reply.text).error).toMatchObject({
        type: 'authentication_error',
        code: 'invalid_api_key',
      });
      expect(await gateway.entries()).toEqual([]);
    });

    it.each([
      [errorAnswer(400), 400, 'invalid_value', 'provider_error'],
      [errorAnswer(401), 502, 'provider_authentication_failed', 'provider_error'],
      [errorAnswer(404), 400, 'model_not_found', 'provider_error'],
      [errorAnswer(422), 422, 'invalid_request_error', 'provider_error'],
      [errorAnswer(429), 429, 'rate_limit_exceeded', 'provider_error'],
      [errorAnswer(500), 502, 'server_error', 'provider_error'],
      [errorAnswer(503), 503, 'server_error', 'provider_error'],
      [resetBeforeHeaders, 502, 'provider_unavailable', 'provider_error'],
    ])('of the provider is told and logged (%#)', async (answer, status, code, outcome) => {
      const { upstream, gateway } = await setUp();
      upstream.script(answer);
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.text).error.code).toBe(code);
      expect(reply.headers['x-gateway-provider']).toBe('openai');
      expect(reply.headers['retry-after']).toBe(status === 429 ? '7' : undefined);
      expect(await gateway.entries()).toEqual([
        expect.objectContaining({ status, outcome, error_code: code }),
      ]);
    });

    it('is a 504 when the provider hangs, before its headers or after them', async () => {
      const { upstream, gateway } = await setUp({ services: { deadlines: { firstByteMs: 30, idleMs: 30 } } });
      upstream.script(hangBeforeHeaders, streamAnswer([], { ending: 'hang' }));
      for (let call = 0; call < 2; call++) {
        const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
        expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([504, 'provider_timeout']);
      }
      expect((await gateway.entries()).map(({ status, outcome }) => [status, outcome])).toEqual([
        [504, 'timeout'],
        [504, 'timeout'],
      ]);
      expect(await upstream.requests[0]?.ended).toBe('closed_by_client');
    });

    it('is an event when the provider falls silent in its stream', async () => {
      const { upstream, gateway } = await setUp({
        services: { deadlines: { firstByteMs: 10_000, idleMs: 30 } },
      });
      upstream.script(streamAnswer([event(deltaChunk({ content: 'Hel' }))], { ending: 'hang' }));
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages, stream: true });
      expect(reply.text).toContain('"code":"provider_timeout"');
      expect((await gateway.entries())[0]).toMatchObject({ status: 200, outcome: 'timeout' });
    });

    it('of ours leaks nothing and is logged', async () => {
      const { gateway } = await setUp({
        services: { transport: () => Promise.reject(new Error('secret prompt')) },
      });
      const reply = await gateway.post({ model: 'openai/gpt-4o', messages });
      expect([reply.status, JSON.parse(reply.text).error]).toEqual([
        500,
        {
          message: 'The gateway failed to handle the request',
          type: 'api_error',
          param: null,
          code: 'internal_error',
        },
      ]);
      expect((await gateway.entries())[0]).toMatchObject({ status: 500, outcome: 'provider_error' });
    });

    it.each([
      [{ rawPath: '/ai/models' }, 404, 'not_found'],
      [{ rawPath: '/' }, 404, 'not_found'],
    ])('for another path on the Function URL is a %j', async (event, status, code) => {
      const { gateway } = await setUp();
      const call = await gateway.call({ ...gateway.event({}), ...event });
      expect([call.status, JSON.parse(await text(call.body)).error.code]).toEqual([status, code]);
    });
  });

  it('reuses its connection to the provider, and notices when that was closed', async () => {
    const { upstream, gateway } = await setUp();
    const closing = jsonAnswer({ choices: [] });
    upstream.script(closing, resetBeforeHeaders);
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) {
      statuses.push((await gateway.post({ model: 'openai/gpt-4o', messages })).status);
    }
    expect(statuses).toEqual([200, 200, 200]);
    expect(await gateway.entries()).toHaveLength(3);
  });

  it('takes a body that came in base64, and refuses one that is no UTF-8', async () => {
    const { gateway } = await setUp();
    const send = async (bytes: Buffer) => {
      const call = await gateway.call({
        ...gateway.event(''),
        body: bytes.toString('base64'),
        isBase64Encoded: true,
      });
      const body = await text(call.body);
      await call.invocation;
      return [call.status, JSON.parse(body).error?.param];
    };
    const body = JSON.stringify({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'é' }] });
    expect(await send(Buffer.from(body))).toEqual([200, undefined]);
    expect(await send(Buffer.from(body, 'latin1'))).toEqual([400, 'body']);
  });
});

async function nextPiece(body: NodeJS.ReadableStream & { read(): unknown }): Promise<unknown> {
  for (;;) {
    const piece = body.read();
    if (piece !== null) return piece;
    await once(body, 'readable');
  }
}
