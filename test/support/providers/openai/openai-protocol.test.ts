import type OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  asExpectedChoice,
  assembleStream,
  completionProblems,
  streamProblems,
} from '../../openai-schema/openai-schema.ts';
import type { Fixture } from '../fixture.ts';
import { doneEvent } from './openai-events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from './openai-upstream.ts';

type Completion = OpenAI.Chat.ChatCompletion;

let upstream: OpenAIUpstream;

beforeEach(async () => {
  upstream = await startOpenAIUpstream();
});

afterEach(() => upstream.stop());

function post(body: object): Promise<Response> {
  return fetch(`${upstream.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [user], ...body }),
  });
}

const user = { role: 'user', content: 'What is the weather?' };
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } });
const calling = { role: 'assistant', tool_calls: [call('call_1'), call('call_2')] };
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'Rain' });

describe('OpenAI refuses', () => {
  it.each([
    [
      'a parameter that it does not know',
      { top_k: 5 },
      'top_k',
      'unknown_parameter',
      "Unknown parameter: 'top_k'.",
    ],
    [
      'stream options without a stream',
      { stream_options: {} },
      'stream_options',
      null,
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    ],
    [
      'max_tokens for a reasoning model',
      { model: 'gpt-5-mini', max_tokens: 9 },
      'max_tokens',
      'unsupported_parameter',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
    [
      'a role that it does not know',
      { messages: [{ role: 'model', content: 'Hi' }] },
      'messages[0].role',
      'invalid_value',
      "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', 'developer'.",
    ],
    [
      'a tool result without its call',
      { messages: [user, result('call_1')] },
      'messages.[1].role',
      null,
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ],
    [
      'a tool call without its result',
      { messages: [user, calling, result('call_2'), user] },
      'messages.[3].role',
      null,
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
    ],
    [
      'the id of a tool call that is too long',
      { messages: [user, { role: 'assistant', tool_calls: [call('c'.repeat(41))] }] },
      'messages[1].tool_calls[0].id',
      'string_above_max_length',
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
    ],
    [
      'JSON that no message speaks of',
      { response_format: { type: 'json_object' } },
      'messages',
      null,
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    ],
    [
      'a schema without a name',
      { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
      'response_format.json_schema.name',
      'missing_required_parameter',
      "Missing required parameter: 'response_format.json_schema.name'.",
    ],
  ])('%s', async (_case, body, param, code, message) => {
    const response = await post(body);

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: { message, type: 'invalid_request_error', param, code } });
  });

  it('neither tool results in another order nor a long loop', async () => {
    const messages = [
      user,
      calling,
      result('call_2'),
      result('call_1'),
      { role: 'assistant', content: 'Rain' },
      user,
    ];

    expect((await post({ messages, tools: [weather] })).status).toBe(200);
  });
});

describe('the model behind it', () => {
  it.each([
    ['text', {}, { content: 'Hello there, I am here.', finish_reason: 'stop' }],
    [
      'a tool call',
      { tools: [weather] },
      {
        content: null,
        tool_calls: [{ name: 'weather', arguments: { city: 'Oslo' } }],
        finish_reason: 'tool_calls',
      },
    ],
    [
      'text when no tool may be called',
      { tools: [weather], tool_choice: 'none' },
      expect.objectContaining({ content: 'Hello there, I am here.' }),
    ],
    [
      'JSON by the schema',
      {
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'weather',
            schema: { type: 'object', properties: { city: { type: 'string' }, degrees: { type: 'number' } } },
          },
        },
      },
      { content: '{"city":"text","degrees":1}', finish_reason: 'stop' },
    ],
  ])('says %s, plain and streamed, as the schema has it', async (_case, body, expected) => {
    const plain = (await (await post(body)).json()) as Completion;
    const stream = await (
      await post({ ...body, stream: true, stream_options: { include_usage: true } })
    ).text();

    expect(completionProblems(plain)).toEqual([]);
    expect(asExpectedChoice(plain.choices[0])).toEqual(expected);
    expect(streamProblems(stream, { includeUsage: true })).toEqual([]);
    expect(asExpectedChoice(assembleStream(stream).choices[0])).toEqual(expected);
  });

  it('repeats the last user turn when it is an echo', async () => {
    upstream.behaviour = { echo: true };
    const messages = [
      user,
      { role: 'assistant', content: 'Rain' },
      { role: 'user', content: [{ type: 'text', text: 'And in Oslo?' }] },
    ];

    const plain = (await (await post({ messages })).json()) as Completion;
    const stream = await (await post({ messages, stream: true })).text();

    expect(plain.choices[0]?.message.content).toBe('You said: And in Oslo?');
    expect(stream.split('\n\n').filter((event) => event.includes('"content":" '))).toHaveLength(4);
    expect(assembleStream(stream).choices[0]?.message.content).toBe('You said: And in Oslo?');
  });
});

describe('a fixture', () => {
  const fixture: Fixture = {
    source: 'https://example.com',
    model: 'gpt-4o-mini',
    request: {},
    plain: { status: 418, headers: { 'x-own': 'yes' }, body: { a: 1 } },
    stream: {
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-own': 'yes' },
      events: [': comment', { a: 1 }, 'data: [DONE]'],
    },
    arithmetic: '',
    expected: { choices: [], entry: {} },
  };

  it('is replayed in the form that was asked for', async () => {
    upstream.behaviour = { fixture };

    const plain = await post({});
    const stream = await post({ stream: true });

    expect([plain.status, plain.headers.get('x-own'), await plain.text()]).toEqual([418, 'yes', '{"a":1}']);
    expect(stream.headers.get('x-own')).toBe('yes');
    expect(await stream.text()).toBe(`: comment\n\ndata: {"a":1}\n\n${doneEvent}`);
  });

  it('may break off, or be an answer without a stream', async () => {
    upstream.behaviour = { fixture: { ...fixture, stream: fixture.plain } };
    expect((await post({ stream: true })).status).toBe(418);

    const cut = { status: 200, headers: {}, events: [{ a: 1 }], cut: true };
    upstream.behaviour = { fixture: { ...fixture, stream: cut } };
    await expect((await post({ stream: true })).text()).rejects.toThrow('terminated');
  });

  it('is for requests that are right', async () => {
    upstream.behaviour = { fixture };

    expect((await post({ top_k: 5 })).status).toBe(400);
  });
});
