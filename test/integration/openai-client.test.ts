import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { eventually } from '#test/support/eventually.ts';
import { schemaErrors, schemaPointer } from '../support/openapi.ts';
import { errorResponse } from '../support/providers/openai/error-response.ts';
import { deltaChunk, doneEvent, event } from '../support/providers/openai/events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';
import { controlledStream } from '../support/providers/upstream-responses.ts';

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Say hello' }];
const weather: OpenAI.ChatCompletionTool = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};

interface ReportBody {
  total_requests: number;
  data: unknown[];
  error: { code: string };
}

/** Sends the handshake of RFC 6455, and rejects if the server accepts it. */
async function openWebSocket(url: string): Promise<{
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'openai-beta': 'responses_websockets=2026-02-06',
  };
  const [response] = (await once(request(url, { headers }).end(), 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await json(response) };
}

describe('The OpenAI client on the local stack', () => {
  let upstream: OpenAIUpstream;
  let gateway: LocalGateway;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream', unknownModels: ['gpt-0'] });
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      environment: {
        ...process.env,
        OPENAI_API_KEY: 'sk-upstream',
        OPENAI_BASE_URL: upstream.baseUrl,
        ANTHROPIC_API_KEY: 'sk-unused',
      },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
  });

  const get = async (path: string) => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${gateway.apiKey}` },
    });
    return { status: response.status, body: (await response.json()) as ReportBody };
  };

  describe.each(['REST API', 'function URL'])('through the %s', (endpoint) => {
    const client = (apiKey = gateway.apiKey, path = '/ai') =>
      new OpenAI({
        baseURL: `${endpoint === 'REST API' ? gateway.baseUrl : gateway.chatUrl}${path}`,
        apiKey,
        maxRetries: 0,
      });

    it('receives a completion with headers that identify the provider', async () => {
      const { data, response } = await client()
        .chat.completions.create({ model: 'openai/gpt-4o-mini', messages, temperature: 0.1 })
        .withResponse();
      expect(data.choices[0]?.message.content).toBe('Hello there, I am here.');
      expect(data.model).toBe('gpt-4o-mini-2024-07-18');
      expect(schemaErrors(data, schemaPointer('ChatCompletion'))).toEqual([]);
      expect(response.headers.get('x-gateway-provider')).toBe('openai');
      expect(response.headers.get('x-gateway-provider-request-id')).toMatch(/^req_/);
      // The entry is written after the response has ended.
      await eventually(async () => {
        const entry = await get(`/api/logs/${response.headers.get('x-gateway-request-id')}`);
        expect(entry).toMatchObject({
          status: 200,
          body: { model: 'gpt-4o-mini', outcome: 'completed', total_tokens: 24 },
        });
        expect(schemaErrors(entry.body, schemaPointer('LogEntry'))).toEqual([]);
      });
    });

    it.each(['/ai/', '/ai/v1', '/ai/v1/'])(
      'needs no other settings with a base URL that ends in %s',
      async (path) => {
        const { chat, models } = client(gateway.apiKey, path);

        const completion = await chat.completions.create({ model: 'openai/gpt-4o-mini', messages });
        const model = await models.retrieve('openai/gpt-6-sol');

        expect([completion.choices[0]?.finish_reason, model.id]).toEqual(['stop', 'openai/gpt-6-sol']);
      },
    );

    it('accepts the key in x-api-key, and sends the provider its own credential alone', async () => {
      const baseUrl = endpoint === 'REST API' ? gateway.baseUrl : gateway.chatUrl;
      const send = (path: string, init: RequestInit = {}) =>
        fetch(`${baseUrl}${path}`, { ...init, headers: { 'x-api-key': gateway.apiKey } });
      const body = JSON.stringify({ model: 'openai/gpt-4o-mini', messages });
      const completion = await send('/ai/chat/completions', { method: 'POST', body });
      const models = await send('/ai/v1/models');
      const reports = endpoint === 'REST API' ? [await send('/api/logs'), await send('/api/costs')] : [];

      const statuses = [completion, models, ...reports].map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
      const { headers } = upstream.requests.at(-1) ?? {};
      expect([headers?.authorization, headers?.['x-api-key']]).toEqual(['Bearer sk-upstream', undefined]);
    });

    it.each(['', '/', '/ai', '/ai/', '/ai/v1', '/ai/v1/'])(
      'responds to HEAD %s without a key, as clients check their base URL',
      async (path) => {
        const baseUrl = endpoint === 'REST API' ? gateway.baseUrl : gateway.chatUrl;
        const head = await fetch(`${baseUrl}${path}`, { method: 'HEAD' });
        const get = await fetch(`${baseUrl}${path}`);

        expect([head.status, await head.text(), get.status]).toEqual([200, '', 404]);
      },
    );

    const address = () => (endpoint === 'REST API' ? gateway.baseUrl : gateway.chatUrl);

    it.each(['/ai/responses', '/ai/responses/', '/ai/v1/responses', '/ai/v1/responses/'])(
      'rejects WebSockets at %s with 426 without a key, after which Codex sends POST',
      async (path) => {
        const handshake = await openWebSocket(`${address()}${path}`);
        const plain = await fetch(`${address()}${path}`);
        const head = await fetch(`${address()}${path}`, { method: 'HEAD' });

        expect([handshake.status, handshake.headers.allow]).toEqual([426, 'POST']);
        expect([plain.status, head.status]).toEqual([426, 405]);
        const error = {
          message: 'The gateway has no WebSockets: send POST, with stream: true to receive events',
          type: 'invalid_request_error',
          param: null,
          code: 'websocket_not_supported',
        };
        expect([handshake.body, await plain.json()]).toEqual([{ error }, { error }]);
        expect(schemaErrors(handshake.body, schemaPointer('Error'))).toEqual([]);
        expect(handshake.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      },
    );

    it.each([
      [
        'GET',
        '/ai/responses/resp_1',
        'serve stored responses: POST /ai/responses returns each of them whole, ',
      ],
      ['DELETE', '/ai/v1/responses/resp_1', 'serve stored responses: '],
      ['POST', '/ai/responses/resp_1/cancel', 'serve stored responses: '],
      ['GET', '/ai/v1/responses/resp_1/input_items', 'serve stored responses: '],
      ['GET', '/ai/responses/constructor', 'serve stored responses: '],
      ['POST', '/ai/responses/compact', 'compact a conversation by itself: set context_management '],
      ['POST', '/ai/v1/responses/compact/', 'compact a conversation by itself: set context_management '],
      [
        'POST',
        '/ai/v1/responses/input_tokens',
        'count the input of a response before it is sent: read usage',
      ],
    ])('says what to do instead of %s %s', async (method, path, message) => {
      const response = await fetch(`${address()}${path}`, { method });

      expect([response.status, await response.json()]).toEqual([
        404,
        {
          error: {
            message: expect.stringContaining(`The gateway does not ${message}`),
            type: 'invalid_request_error',
            param: null,
            code: 'not_found',
          },
        },
      ]);
    });

    it("lists models in Anthropic's format for Anthropic's clients, and renders errors in it", async () => {
      const baseUrl = endpoint === 'REST API' ? gateway.baseUrl : gateway.chatUrl;
      const send = async <Body>(path: string) => {
        const headers = { 'x-api-key': gateway.apiKey, 'anthropic-version': '2023-06-01' };
        const response = await fetch(`${baseUrl}/ai/v1/models${path}`, { headers });
        const requestId = response.headers.get('request-id');
        expect(requestId).toBe(response.headers.get('x-gateway-request-id'));
        return { status: response.status, body: (await response.json()) as Body, requestId };
      };

      const { data } = (await send<{ data: { id: string }[] }>('?limit=1000&beta=true')).body;
      const ids = data.map(({ id }) => id);
      expect(ids).toContain('anthropic/claude-opus-4-8');
      expect(ids).toContain('openai/gpt-6-sol');
      expect(ids).not.toContain('openai/text-embedding-3-small');
      const [first = '', second = ''] = ids;
      const page = { data: [data[1]], has_more: true, first_id: second, last_id: second };
      expect((await send(`?limit=1&after_id=${encodeURIComponent(first)}`)).body).toEqual(page);
      expect((await send(`/${encodeURIComponent(second)}`)).body).toEqual(data[1]);

      const message = 'The model anthropic/nosuch does not exist; GET /ai/models lists the available models';
      const missing = await send('/anthropic/nosuch');
      expect([missing.status, missing.body]).toEqual([
        404,
        { type: 'error', error: { type: 'not_found_error', message }, request_id: missing.requestId },
      ]);
      const invalid = await send('?limit=0');
      expect([invalid.status, invalid.body]).toMatchObject([
        400,
        { error: { type: 'invalid_request_error' } },
      ]);
    });

    it('reports the id of the log entry as the id of the request, of a completion and of an error', async () => {
      const { completions } = client().chat;
      const { _request_id: completed } = await completions.create({ model: 'openai/gpt-4o-mini', messages });
      const failure = completions.create({ model: 'nosuch/model', messages });
      const rejected = await failure.catch((error: InstanceType<typeof OpenAI.APIError>) => error.requestID);

      for (const [id, outcome] of [
        [completed, 'completed'],
        [rejected, 'rejected'],
      ]) {
        await eventually(async () => {
          expect((await get(`/api/logs/${id}`)).body).toMatchObject({ id, outcome });
        });
      }
    });

    it('receives chunks of a stream as the provider sends them', async () => {
      const written = controlledStream();
      upstream.script(written.respond);
      const streaming = client().chat.completions.create({
        model: 'openai/gpt-4o-mini',
        messages,
        stream: true,
      });
      await written.write(event(deltaChunk({ role: 'assistant', content: 'Hé' })));
      const chunks = (await streaming)[Symbol.asyncIterator]();
      expect((await chunks.next()).value?.choices[0]?.delta.content).toBe('Hé');
      await written.write(event(deltaChunk({ content: ' 😀' }, 'stop')));
      expect((await chunks.next()).value?.choices[0]?.delta.content).toBe(' 😀');
      await written.write(doneEvent);
      await written.end();
      expect((await chunks.next()).done).toBe(true);
    });

    it('receives usage in a stream only with include_usage', async () => {
      const usages = async (stream_options?: OpenAI.ChatCompletionStreamOptions) => {
        const stream = await client().chat.completions.create({
          model: 'openai/gpt-4o',
          messages,
          stream: true,
          ...(stream_options && { stream_options }),
        });
        const chunks = await Array.fromAsync(stream);
        expect(chunks.flatMap((chunk) => schemaErrors(chunk, schemaPointer('ChatCompletionChunk')))).toEqual(
          [],
        );
        return chunks.map(({ usage }) => usage?.total_tokens).filter((tokens) => tokens !== undefined);
      };
      expect(await usages()).toEqual([]);
      expect(await usages({ include_usage: true })).toEqual([24]);
    });

    it('receives tool calls', async () => {
      const completion = await client().chat.completions.create({
        model: 'openai/gpt-4o',
        messages,
        tools: [weather],
      });
      expect(completion.choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: { tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
      });
    });

    it('lists the models of the configured providers', async () => {
      const models = await Array.fromAsync(client().models.list());
      const model = {
        id: 'openai/gpt-6-sol',
        object: 'model',
        created: 0,
        owned_by: 'openai',
        operations: ['chat.completions', 'messages', 'responses'],
      };
      expect(models).toContainEqual(model);
      expect(new Set(models.map(({ owned_by }) => owned_by))).toEqual(new Set(['anthropic', 'openai']));
      expect(await client().models.retrieve(model.id)).toEqual(model);
      expect(schemaErrors((await get('/ai/models')).body, schemaPointer('ModelList'))).toEqual([]);
      await expect(client().models.retrieve('openai/gpt-0')).rejects.toMatchObject({
        status: 404,
        code: 'model_not_found',
        param: 'model',
      });
      await expect(client('pt_live_wrong').models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    });

    it('throws its own error classes', async () => {
      const complete = (model: string, apiKey?: string) =>
        client(apiKey).chat.completions.create({ model, messages });
      const unauthorized = await complete('openai/gpt-4o', 'pt_live_wrong').catch((error) => error);
      expect(unauthorized).toBeInstanceOf(OpenAI.AuthenticationError);
      // AWS renames the header of a function at both endpoints.
      expect(unauthorized.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
      expect(unauthorized.headers.get('www-authenticate')).toBeNull();
      await expect(complete('gpt-4o')).rejects.toMatchObject({
        status: 400,
        code: 'model_not_found',
        param: 'model',
      });
      await expect(complete('openai/gpt-0')).rejects.toBeInstanceOf(OpenAI.BadRequestError);
      await expect(complete('groq/llama')).rejects.toMatchObject({
        status: 400,
        code: 'provider_not_configured',
      });
      upstream.script(errorResponse(429), errorResponse(401), errorResponse(500));
      await expect(complete('openai/gpt-4o')).rejects.toBeInstanceOf(OpenAI.RateLimitError);
      await expect(complete('openai/gpt-4o')).rejects.toMatchObject({
        status: 502,
        code: 'provider_authentication_failed',
      });
      await expect(complete('openai/gpt-4o')).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    });

    it('throws when a stream is truncated', async () => {
      const written = controlledStream();
      upstream.script(written.respond);
      const streaming = client().chat.completions.create({ model: 'openai/gpt-4o', messages, stream: true });
      await written.write(event(deltaChunk({ content: 'Hel' })));
      const chunks = (await streaming)[Symbol.asyncIterator]();
      await chunks.next();
      await written.disconnect('reset');
      await expect(chunks.next()).rejects.toThrow(/was truncated/);
    });

    it.each([
      ['after the first event', true],
      ['before status and headers', false],
    ])('completes the request of a client who hangs up %s, at full usage and cost', async (when, isAfter) => {
      const written = controlledStream();
      upstream.script(written.respond);
      const sessionId = `hang-up-${endpoint}-${when}`;
      const received = upstream.requests.length;
      const hangUp = new AbortController();
      const request = client().chat.completions.create(
        { model: 'openai/gpt-4o', messages, stream: true },
        { headers: { 'gateway-session-id': sessionId }, signal: hangUp.signal },
      );
      const failed = request.catch((error) => error);
      if (isAfter) {
        await written.write(event(deltaChunk({ content: 'Hel' })));
        await (await request)[Symbol.asyncIterator]().next();
      } else {
        await expect.poll(() => upstream.requests.length).toBe(received + 1);
      }
      hangUp.abort();
      await written.write(event(deltaChunk({}, 'stop')));
      await written.write(
        event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } }),
      );
      await written.end();
      await failed;
      await eventually(async () => {
        expect((await get(`/api/logs?session_id=${encodeURIComponent(sessionId)}`)).body.data).toMatchObject([
          {
            status: 200,
            outcome: 'completed',
            usage_source: 'provider',
            total_tokens: 9,
            cost_usd: 0.00000225,
          },
        ]);
      });
    });
  });

  it('adds every request to the logs, and every forwarded one to the costs', async () => {
    const before = (await get('/api/costs')).body.total_requests;
    const headers = { 'gateway-prompt-id': 'welcome', 'gateway-session-id': 's 1', 'gateway-user-id': 'ada' };
    const client = new OpenAI({
      baseURL: `${gateway.baseUrl}/ai`,
      apiKey: gateway.apiKey,
      defaultHeaders: headers,
    });
    const start = new Date().toISOString();
    await client.chat.completions.create({ model: 'openai/gpt-4o', messages });
    await client.chat.completions.create({ model: 'nosuch/model', messages }).catch(() => {});
    const sent = upstream.requests.at(-1);
    expect(Object.keys(sent?.headers ?? {}).filter((name) => name.startsWith('gateway-'))).toEqual([]);

    await eventually(async () => {
      const logs = await get(`/api/logs?start=${start}`);
      expect(schemaErrors(logs.body, schemaPointer('LogEntryList'))).toEqual([]);
      expect(logs.body.data).toMatchObject([
        { outcome: 'rejected', model: 'nosuch/model', provider: null, user_id: 'ada' },
        {
          outcome: 'completed',
          model: 'gpt-4o',
          cost_usd: 0.0000975,
          prompt_id: 'welcome',
          session_id: 's 1',
          user_id: 'ada',
        },
      ]);
      const costs = await get('/api/costs');
      expect(schemaErrors(costs.body, schemaPointer('CostSummary'))).toEqual([]);
      expect(costs.body.total_requests).toBeGreaterThan(before);
      // Partial periods at the edges of a window are read from the entries, so this total is immediately exact.
      const window = await get(`/api/costs?start=${start}`);
      expect(window.body).toMatchObject({ total_requests: 1, total_cost_usd: 0.0000975 });
    });
  });

  it.each([
    ['GET', '/nowhere', 404, 'not_found'],
    ['GET', '/', 404, 'not_found'],
    ['GET', '/ai/chat/completions', 405, 'method_not_allowed'],
    ['POST', '/ai/models', 405, 'method_not_allowed'],
    ['DELETE', '/ai/models/openai/gpt-0', 405, 'method_not_allowed'],
    ['DELETE', '/api/costs', 405, 'method_not_allowed'],
    ['POST', '/api/logs/x', 405, 'method_not_allowed'],
    ['OPTIONS', '/ai/chat/completions', 405, 'method_not_allowed'],
    ['OPTIONS', '/api/costs', 405, 'method_not_allowed'],
  ])('returns an OpenAI error for %s %s with status %i', async (method, path, status, code) => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method,
      headers: { authorization: 'Bearer pt_live_x', origin: 'https://app.example.com' },
    });
    const body = (await response.json()) as ReportBody;
    expect([response.status, body.error.code]).toEqual([status, code]);
    expect(response.headers.get('x-request-id')).toBe(response.headers.get('x-amzn-requestid'));
    expect([...response.headers.keys()].filter((name) => /^(access-control|vary)/.test(name))).toEqual([]);
    expect(schemaErrors(body, schemaPointer('Error'))).toEqual([]);
  });

  it.each([
    'application/json; charset=utf-8',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'Application/XML',
  ])('returns 404 for an unknown path and 405 for an unsupported method also to %s', async (contentType) => {
    const send = (path: string) =>
      fetch(`${gateway.baseUrl}${path}`, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body: '{',
      });
    const [unknown, known] = await Promise.all([send('/ai/nowhere'), send('/ai/chat/completions')]);

    expect([unknown?.status, known?.status]).toEqual([404, 405]);
    expect(known?.headers.get('allow')).toBe('POST');
  });

  it('returns 404 for an unknown path also to a media type of its own', async () => {
    const response = await fetch(`${gateway.baseUrl}/ai/nowhere`, {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: 'x',
    });

    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
  });
});
