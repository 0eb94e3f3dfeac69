/** Completions by the Responses API for callers of chat, and the ends of streams for callers of both. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
  upstreamKey,
} from '#test/support/messages/translated-gateway.ts';
import type { Turn } from '#test/support/providers/openai/responses/turns.ts';
import { controlledStream, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { responsesEvent } from '#test/support/responses/gateway.ts';

let gateways: TranslatedGateways;
let chat: TranslatedGateway;
let messages: TranslatedGateway;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
  chat = await gateways.start('openai', { path: '/ai/v1/chat/completions' });
  messages = await gateways.start('openai');
});
afterAll(() => gateways.stop());

const model = 'openai/gpt-5.6-terra';
const tools = [
  { type: 'function', function: { name: 'weather' } },
  { type: 'custom', custom: { name: 'patch' } },
];
const turn: Turn = {
  items: [
    { type: 'reasoning', summary: 'It may rain' },
    { type: 'message', text: 'I look.' },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
  ],
  usage: { input: 1200, output: 100, cached: 1000, cacheWrite: 50, reasoning: 70 },
};
const message = {
  role: 'assistant',
  content: 'I look.',
  refusal: null,
  reasoning_content: 'It may rain',
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } },
    { id: 'call_2', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
  ],
};
const usage = {
  prompt_tokens: 1200,
  completion_tokens: 100,
  total_tokens: 1300,
  prompt_tokens_details: { cached_tokens: 1000, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 70, audio_tokens: 0 },
};
const entry = {
  operation: 'chat.completions',
  provider: 'openai',
  model: 'gpt-5.6-terra',
  outcome: 'completed',
  input_tokens: 1200,
  cached_input_tokens: 1000,
  cache_write_input_tokens: 50,
  output_tokens: 100,
  reasoning_tokens: 70,
  service_tier: 'default',
  finish_reason: 'tool_calls',
  // 150 × $2 + 1000 × $0.2 + 50 × $2.5 + 100 × $12 per million.
  cost_usd: '0.001825',
  pricing: 'table',
};

describe('A caller of chat', () => {
  it('gets a completion', async () => {
    const result = await chat.ask({ model, tools }, { turn });

    expect(result.request.url).toBe('/v1/responses');
    expect(result.body).toEqual({
      id: expect.stringMatching(/^resp_/),
      object: 'chat.completion',
      created: 1_767_225_600,
      model: 'gpt-5.6-terra',
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }],
      usage,
      service_tier: 'default',
    });
    expect(result.entry).toMatchObject(entry);
    expect(result.headers).toMatchObject({
      'x-request-id': result.entry.id,
      'x-gateway-provider-request-id': result.request.requestId,
    });
    expect(result.ignored).toEqual([]);
  });

  it('gets a stream, with the usage that it asks for', async () => {
    const result = await chat.ask(
      { model, tools, stream: true, stream_options: { include_usage: true } },
      { turn },
    );

    const deltas = result.events.flatMap(({ choices }) => filterObjects(choices)).map(({ delta }) => delta);
    const texts = (name: string) => deltas.map((delta) => (delta as JsonObject)[name] ?? '').join('');
    expect([texts('content'), texts('reasoning_content')]).toEqual(['I look.', 'It may rain']);
    expect(deltas.flatMap((delta) => filterObjects((delta as JsonObject).tool_calls))).toEqual([
      { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, id: 'call_2', type: 'custom', custom: { name: 'patch', input: '' } },
      { index: 1, custom: { input: '*** Begin' } },
    ]);
    expect(result.events.at(-1)).toMatchObject({ choices: [], usage });
    expect(result.text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(result.entry).toMatchObject({ ...entry, stream: true });
  });

  it('sends its calls and their results back', async () => {
    const { sent, ignored } = await chat.ask(
      {
        model,
        tools,
        messages: [
          { role: 'user', content: 'Hello' },
          message,
          { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
          { role: 'developer', content: 'Now in French.' },
          { role: 'tool', tool_call_id: 'call_2', content: 'Done' },
        ],
      },
      { turn },
    );

    expect(sent.input).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
      { role: 'developer', content: [{ type: 'input_text', text: 'Now in French.' }] },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'Done' },
    ]);
    expect(ignored).toEqual(['messages.reasoning_content']);
  });

  it('gets the form that it asks for, whichever the server sends', async () => {
    const body = {
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
    };
    const stream = streamResponse([responsesEvent({ type: 'response.completed', response: body })]);

    const whole = await chat.ask({ model, tools }, stream);

    expect(whole.body).toMatchObject({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
  });

  it('pays for the searches of web_search_options', async () => {
    const searched: Turn = {
      items: [
        { type: 'web_search_call', query: 'weather' },
        {
          type: 'message',
          text: 'Rain.',
          annotations: [
            { type: 'url_citation', start_index: 0, end_index: 4, url: 'https://x.example/', title: 'X' },
          ],
        },
      ],
      usage: { input: 1000, output: 10 },
    };
    const result = await chat.ask(
      { model: 'openai/gpt-5.5-pro', web_search_options: {} },
      { turn: searched },
    );

    const citation = { start_index: 0, end_index: 4, url: 'https://x.example/', title: 'X' };
    expect(result.body).toMatchObject({
      choices: [
        { message: { content: 'Rain.', annotations: [{ type: 'url_citation', url_citation: citation }] } },
      ],
    });
    // 1000 × $30 + 10 × $180 per million, and a search at $10 per thousand.
    expect(result.entry).toMatchObject({ web_searches: 1, cost_usd: '0.0418' });
  });
});

const added = { type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } };
const delta = (text: string) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  delta: text,
});
const failure = {
  type: 'response.failed',
  response: { status: 'failed', error: { code: 'server_error', message: 'Sorry' }, output: [] },
};

const callers = [
  ['chat', () => chat],
  ['messages', () => messages],
] as const;

describe.each(callers)('A stream of a caller of %s', (_, gatewayOf) => {
  const ask = (events: Parameters<typeof responsesEvent>[0][], end: string[] = []) =>
    gatewayOf().ask(
      { model: 'openai/gpt-5.5-pro', stream: true },
      streamResponse([...events.map(responsesEvent), ...end]),
    );

  it.each<[string, Parameters<typeof ask>]>([
    ['fails', [[added, delta('Hello'), failure]]],
    [
      'sends an error',
      [[added, delta('Hello'), { type: 'error', code: 'server_error', message: 'Sorry', param: null }]],
    ],
    [
      'sends an error of the older form',
      [[added, delta('Hello'), { type: 'error', error: { code: 'server_error', message: 'Sorry' } }]],
    ],
  ])('that %s ends with the error', async (_name, given) => {
    const { text, entry: logged, status } = await ask(...given);

    expect(status).toBe(200);
    expect(text).toContain('Hello');
    expect(text).toContain('Sorry');
    expect(text).not.toMatch(/\[DONE\]|message_stop/);
    expect(logged).toMatchObject({ outcome: 'provider_error', usage_source: 'estimated' });
  });

  it.each<[string, string[]]>([
    ['ends', []],
    ['ends as those of chat', ['data: [DONE]\n\n']],
  ])('that %s without its final event is an error', async (_name, end) => {
    const { text, entry: logged } = await ask([added, delta('Hello')], end);

    expect(text).toContain('Hello');
    expect(text).toContain('error');
    expect(text).not.toMatch(/\[DONE\]|message_stop/);
    expect(logged).toMatchObject({ outcome: 'provider_error', usage_source: 'estimated' });
  });

  it('that fails before its first item is an HTTP error', async () => {
    const { status, entry: logged } = await ask([
      { type: 'response.created', response: { status: 'in_progress', output: [] } },
      { type: 'error', error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'Slow down' } },
    ]);

    expect([status, logged.outcome]).toEqual([429, 'provider_error']);
  });

  it('passes each delta on before the next one', async () => {
    const { handler, upstream } = gatewayOf();
    upstream.behaviour = { expectedApiKey: upstreamKey };
    const stream = controlledStream();
    upstream.script(stream.respond);
    const request = {
      model: 'openai/gpt-5.5-pro',
      max_tokens: 1024,
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const calling = handler.call(handler.event(request));
    await stream.write(responsesEvent(added) + responsesEvent(delta('Hel')));
    const call = await calling;
    let text = '';
    for await (const chunk of call.body) {
      const isFirst = !text.includes('"Hel"');
      text += chunk;
      if (!isFirst || !text.includes('"Hel"')) continue;
      await stream.write(responsesEvent(delta('lo')));
      await stream.write(
        responsesEvent({ type: 'response.completed', response: { status: 'completed', output: [] } }),
      );
      await stream.end();
    }
    await call.invocation;

    expect(text).toContain('"lo"');
    expect(text).toMatch(/\[DONE\]|message_stop/);
  });
});
