import { request as httpRequest, type IncomingMessage } from 'node:http';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  controlledStream,
  hangBeforeHeaders,
  jsonAnswer,
  resetBeforeHeaders,
  streamAnswer,
} from '../upstream-answers.ts';
import { errorAnswer } from './openai-answers.ts';
import { doneEvent, errorEvent, eventsWithUsage, exampleUsage } from './openai-events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from './openai-upstream.ts';

let upstream: OpenAIUpstream;

beforeEach(async () => {
  upstream = await startOpenAIUpstream();
});

afterEach(async () => {
  await upstream.stop();
});

const question = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hi' }] };

function openai(): OpenAI {
  return new OpenAI({ baseURL: upstream.baseUrl, apiKey: 'sk-right', maxRetries: 0 });
}

function post(body: unknown, init: RequestInit = {}): Promise<Response> {
  return fetch(`${upstream.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    ...init,
  });
}

/** The data of each event, parsed but for `[DONE]`. */
function dataOf(text: string): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((line) => line !== '' && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.replace('data: ', '')));
}

describe('without a script the upstream', () => {
  it('answers a completion as OpenAI does', async () => {
    const { data, request_id } = await openai().chat.completions.create(question).withResponse();

    expect(request_id).toBe('req_00000000000000000000000000000001');
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-4o-mini-2024-07-18',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there, I am here.' } }],
      usage: exampleUsage,
    });
  });

  it('streams without usage when it was not asked for', async () => {
    const text = await (await post({ ...question, stream: true })).text();

    const chunks = dataOf(text);
    expect(text.endsWith(doneEvent)).toBe(true);
    expect(chunks).toHaveLength(7);
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
  });

  it('streams usage as null, then once in a chunk without choices, when it was asked for', async () => {
    const text = await (
      await post({ ...question, stream: true, stream_options: { include_usage: true } })
    ).text();

    const chunks = dataOf(text);
    expect(chunks.map(({ usage }) => usage)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      exampleUsage,
    ]);
    expect(chunks.at(-1)?.choices).toEqual([]);
  });

  it('calls the tool that it was given, plain and streamed', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: {} } }];

    const plain = await openai().chat.completions.create({ ...question, tools });
    const streamed = await openai()
      .chat.completions.stream({ ...question, tools })
      .finalChatCompletion();

    for (const { choices } of [plain, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.tool_calls).toMatchObject([
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ]);
    }
  });

  it('refuses another key than the one it expects', async () => {
    upstream.behaviour = { expectedApiKey: 'sk-other' };

    await expect(openai().chat.completions.create(question)).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    upstream.behaviour = { expectedApiKey: 'sk-right' };
    expect((await openai().chat.completions.create(question)).object).toBe('chat.completion');
  });

  it('does not know the models that it was told not to know', async () => {
    upstream.behaviour = { unknownModels: ['gpt-4o-mini'] };

    await expect(openai().chat.completions.create(question)).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it.each([
    ['what is not JSON', '{'],
    ['a body without messages', '{"model":"gpt-4o"}'],
    ['stream options without a stream', '{"model":"gpt-4o","messages":[],"stream_options":{}}'],
  ])('answers 400 to %s', async (_case, body) => {
    const response = await post(null, { body });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

describe('what was asked', () => {
  it('is recorded to the byte', async () => {
    const body = '{"model":"m","messages":[],"n":1.0,"n":1.00, "text":"\\u00e9é"}';

    await post(null, { body, headers: { 'X-Mixed-Case': 'Yes', authorization: 'Bearer sk-1' } });

    const request = await upstream.takeRequest();
    expect(request.method).toBe('POST');
    expect(request.url).toBe('/v1/chat/completions');
    expect(request.body.equals(Buffer.from(body))).toBe(true);
    expect(request.headers['x-mixed-case']).toBe('Yes');
    expect(request.rawHeaders[request.rawHeaders.indexOf('authorization') + 1]).toBe('Bearer sk-1');
    expect(await request.ended).toBe('answered');
    expect(upstream.requests).toEqual([request]);
  });
});

describe('a script', () => {
  it('gives each answer once, in order', async () => {
    upstream.script(jsonAnswer({ a: 1 }), errorAnswer(503));

    const answers = [await post(question), await post(question), await post(question)];

    expect(answers.map(({ status }) => status)).toEqual([200, 503, 200]);
    expect(await answers[0]?.json()).toEqual({ a: 1 });
    expect(await answers[1]?.json()).toEqual({
      error: { message: 'The server had an error.', type: 'server_error', param: null, code: null },
    });
  });

  it('can answer an error with its headers', async () => {
    upstream.script(
      errorAnswer(429, { headers: { 'x-request-id': 'own' }, error: { message: 'Slow down' } }),
    );

    const response = await post(question);

    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('x-request-id')).toBe('own');
    expect(await response.json()).toEqual({
      error: { message: 'Slow down', type: 'tokens', param: null, code: 'rate_limit_exceeded' },
    });
  });

  it('can cut a stream inside a character', async () => {
    const bytes = Buffer.from('data: "é"\n\n');
    upstream.script(streamAnswer([bytes.subarray(0, 8), bytes.subarray(8)]));

    const response = await post(question);

    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await response.text()).toBe('data: "é"\n\n');
  });

  it('can put an error in the stream and leave out its end', async () => {
    upstream.script(streamAnswer([errorEvent({ message: 'Overloaded' })]));

    expect(await (await post(question)).text()).toBe('data: {"error":{"message":"Overloaded"}}\n\n');
  });

  it('holds each chunk until the test releases it', async () => {
    const stream = controlledStream();
    upstream.script(stream.answer);
    const writing = stream.write('one');
    const reader = (await post(question)).body?.getReader();
    await writing;

    expect(await reader?.read()).toEqual({ done: false, value: new Uint8Array(Buffer.from('one')) });
    const second = reader?.read();
    await stream.write('two');
    expect(await second).toEqual({ done: false, value: new Uint8Array(Buffer.from('two')) });
    await stream.end();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it.each(['close', 'reset'] as const)('can break a stream off: %s', async (how) => {
    const stream = controlledStream();
    upstream.script(stream.answer);
    const writing = stream.write('one');
    const reader = (await post(question)).body?.getReader();
    await writing;
    await reader?.read();
    const next = reader?.read();

    await stream.cut(how);

    await expect(next).rejects.toThrow('terminated');
    expect(await (await upstream.takeRequest()).ended).toBe('cut_by_upstream');
  });

  it('delivers what was written before the connection closes', async () => {
    upstream.script(streamAnswer(['one', 'two'], { ending: 'close' }));

    const response = await new Promise<IncomingMessage>((resolve) => {
      httpRequest(`${upstream.baseUrl}/chat/completions`, { method: 'POST' }, resolve).end('{}');
    });
    let received = '';
    response.on('data', (chunk) => {
      received += chunk;
    });
    const failure = await new Promise<Error>((resolve) => response.once('error', resolve));

    expect(received).toBe('onetwo');
    expect(failure.message).toBe('aborted');
  });

  it('can break off before the headers', async () => {
    upstream.script(resetBeforeHeaders);

    await expect(post(question)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await (await upstream.takeRequest()).ended).toBe('cut_by_upstream');
  });

  it.each([
    ['before the headers', hangBeforeHeaders],
    ['in the stream', streamAnswer(['one'], { ending: 'hang' })],
  ])('can hang %s, and tells when the client goes', async (_case, answer) => {
    upstream.script(answer);
    const client = new AbortController();
    const answering = post(question, { signal: client.signal }).then((response) => response.text());
    const request = await upstream.takeRequest();

    client.abort();

    await expect(answering).rejects.toMatchObject({ name: 'AbortError' });
    expect(await request.ended).toBe('closed_by_client');
  });
});

describe('a stream with its usage', () => {
  it.each([
    ['own-chunk', [undefined, undefined, undefined, undefined, exampleUsage]],
    ['last-choice', [undefined, undefined, undefined, exampleUsage]],
    ['after-stop-with-choices', [undefined, undefined, undefined, undefined, exampleUsage]],
    ['none', [undefined, undefined, undefined, undefined]],
  ] as const)('in the place %s', (place, expected) => {
    const events = eventsWithUsage(place);

    expect(dataOf(events.join('')).map(({ usage }) => usage)).toEqual(expected);
    expect(events.at(-1)).toBe(doneEvent);
  });

  it('under x_groq, inside a choice, or on every chunk', () => {
    expect(dataOf(eventsWithUsage('inside-choice').join('')).at(-1)?.choices).toMatchObject([
      { finish_reason: 'stop', usage: exampleUsage },
    ]);
    expect(dataOf(eventsWithUsage('x_groq').join('')).at(-1)?.x_groq).toEqual({
      id: 'req_groq',
      usage: exampleUsage,
    });
    const totals = dataOf(eventsWithUsage('every-chunk').join('')).map(({ usage }) => usage);
    expect(totals).toMatchObject([
      { completion_tokens: 0, total_tokens: 19 },
      { completion_tokens: 1, total_tokens: 20 },
      { completion_tokens: 2, total_tokens: 21 },
      { completion_tokens: 5, total_tokens: 24 },
    ]);
  });
});
