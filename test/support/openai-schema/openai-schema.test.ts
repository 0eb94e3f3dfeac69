import { describe, expect, it } from 'vitest';
import {
  chunkOf,
  deltaChunk,
  doneEvent,
  errorEvent,
  event,
  exampleUsage,
} from '../providers/openai/openai-events.ts';
import {
  asExpectedChoice,
  assembleStream,
  chunkProblems,
  completionProblems,
  errorProblems,
  modelListProblems,
  streamProblems,
} from './openai-schema.ts';

const message = { role: 'assistant', content: 'Hi', refusal: null };
const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' };
const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1767225600,
  model: 'gpt-4o-mini-2024-07-18',
  choices: [choice],
};

const without = (value: object, field: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

describe('the schema of a completion', () => {
  it('accepts what OpenAI sends, and members that it does not know', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const calling = { ...choice, message: { ...message, content: null, tool_calls: [call] } };
    const token = { token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] };
    const rich = {
      ...completion,
      choices: [calling, { ...choice, logprobs: { content: [token], refusal: null } }],
      usage: exampleUsage,
      service_tier: 'default',
      system_fingerprint: null,
      citations: ['https://example.com'],
    };

    expect(completionProblems(completion)).toEqual([]);
    expect(completionProblems(rich)).toEqual([]);
  });

  it.each(['id', 'object', 'created', 'model', 'choices'])('needs %s', (field) => {
    expect(completionProblems(without(completion, field))).toEqual([
      `must have required property '${field}'`,
    ]);
  });

  it.each(['index', 'message', 'logprobs', 'finish_reason'])('needs %s in a choice', (field) => {
    expect(completionProblems({ ...completion, choices: [without(choice, field)] })).toEqual([
      `/choices/0 must have required property '${field}'`,
    ]);
  });

  it.each(['role', 'content', 'refusal'])('needs %s in a message', (field) => {
    const broken = { ...choice, message: without(message, field) };
    expect(completionProblems({ ...completion, choices: [broken] })).toEqual([
      `/choices/0/message must have required property '${field}'`,
    ]);
  });

  it.each([
    ['another object', { object: 'chat.completion.chunk' }],
    ['a finish reason of its own', { choices: [{ ...choice, finish_reason: 'eos' }] }],
    ['no finish reason', { choices: [{ ...choice, finish_reason: null }] }],
    ['content in parts', { choices: [{ ...choice, message: { ...message, content: [] } }] }],
    ['null for no tool calls', { choices: [{ ...choice, message: { ...message, tool_calls: null } }] }],
    ['a service tier of its own', { service_tier: 'on_demand' }],
    ['half a usage', { usage: { prompt_tokens: 1, completion_tokens: 1 } }],
  ])('refuses %s', (_case, change) => {
    expect(completionProblems({ ...completion, ...change })).not.toEqual([]);
  });
});

describe('the schema of a chunk', () => {
  it('accepts what OpenAI sends', () => {
    expect(chunkProblems(deltaChunk({ role: 'assistant', content: '', refusal: null }))).toEqual([]);
    expect(chunkProblems(chunkOf({ usage: exampleUsage }))).toEqual([]);
    expect(chunkProblems(chunkOf({ usage: null, obfuscation: 'x' }))).toEqual([]);
  });

  it.each(['id', 'object', 'created', 'model', 'choices'])('needs %s', (field) => {
    expect(chunkProblems(without(chunkOf(), field))).toEqual([`must have required property '${field}'`]);
  });

  it.each(['index', 'delta', 'finish_reason'])('needs %s in a choice', (field) => {
    const broken = without({ index: 0, delta: {}, finish_reason: null }, field);
    expect(chunkProblems(chunkOf({ choices: [broken] }))).toEqual([
      `/choices/0 must have required property '${field}'`,
    ]);
  });

  it('needs the index of a tool call', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } };
    expect(chunkProblems(deltaChunk({ tool_calls: [call] }))).toEqual([
      "/choices/0/delta/tool_calls/0 must have required property 'index'",
    ]);
  });

  it.each([
    ['an empty object', chunkOf({ object: '' })],
    ['a role of null', deltaChunk({ role: null })],
    ['tool calls of null', deltaChunk({ tool_calls: null })],
    ['content in parts', deltaChunk({ content: [{ type: 'text', text: 'Hi' }] })],
    ['a finish reason of its own', deltaChunk({}, 'error')],
  ])('refuses %s', (_case, chunk) => {
    expect(chunkProblems(chunk)).not.toEqual([]);
  });
});

it('has a schema of the list of models', () => {
  const model = { id: 'openai/gpt-4o', object: 'model', created: 1767225600, owned_by: 'openai' };
  expect(modelListProblems({ object: 'list', data: [model] })).toEqual([]);
  expect(modelListProblems({ object: 'list', data: [without(model, 'owned_by')] })).toEqual([
    "/data/0 must have required property 'owned_by'",
  ]);
});

it('has a schema of an error', () => {
  const error = { message: 'No', type: 'api_error', param: null, code: 'provider_error' };
  expect(errorProblems({ error })).toEqual([]);
  expect(errorProblems({ error: { ...error, code: 500 } })).toEqual(['/error/code must be string,null']);
});

const begin = deltaChunk({ role: 'assistant', content: '' });
const piece = deltaChunk({ content: 'Hi' });
const stop = deltaChunk({}, 'stop');
const usageChunk = chunkOf({ usage: exampleUsage });
const call = (index: number, fields: object, name = 'f') =>
  deltaChunk({ tool_calls: [{ index, ...fields, function: { name, arguments: '' } }] });
const head = (index: number) => call(index, { id: `call_${index}`, type: 'function' });
const args = (index: number, text: string) =>
  deltaChunk({ tool_calls: [{ index, function: { arguments: text } }] });
const called = deltaChunk({}, 'tool_calls');
const error = { message: 'No', type: 'api_error', param: null, code: 'provider_error' };

const stream = (...chunks: object[]) => chunks.map(event).join('') + doneEvent;

describe('the rules of a stream', () => {
  it.each([
    ['text', stream(begin, piece, piece, stop)],
    ['text with CRLF and comments', `: hello\r\n\r\n${stream(begin, piece, stop).replaceAll('\n', '\r\n')}`],
    [
      'tool calls in turn',
      stream(begin, head(0), args(0, '{'), head(1), args(0, '}'), args(1, '{}'), called),
    ],
    ['usage beside the last choice', stream(begin, piece, { ...stop, usage: exampleUsage })],
    ['an end without a piece of the answer', stream(begin, piece, stop, deltaChunk({ content: '' }))],
    ['an error at the end', event(begin) + event(piece) + errorEvent(error)],
    ['an error at once', errorEvent(error)],
  ])('accept %s', (_case, events) => {
    expect(streamProblems(events)).toEqual([]);
  });

  it.each([
    [
      'what is no JSON',
      'data: {\n\n',
      ['event 0: is no JSON object', 'neither [DONE] nor an error ends the stream'],
    ],
    ['an open end', stream(begin, stop).trimEnd(), ['no blank line ends the last event']],
    [
      'a chunk that the schema refuses',
      stream(begin, without(piece, 'id'), stop),
      ["event 1: must have required property 'id'"],
    ],
    [
      'another id',
      stream(begin, { ...piece, id: 'chatcmpl-2' }, stop),
      [
        'event 1: id, model or created changed from ["chatcmpl-1","gpt-4o-mini-2024-07-18",1767225600] to ["chatcmpl-2","gpt-4o-mini-2024-07-18",1767225600]',
      ],
    ],
    ['an answer without a role', stream(piece, stop), ['event 0: choice 0 does not begin with the role']],
    ['a second role', stream(begin, begin, stop), ['event 1: choice 0 has its role twice']],
    ['no finish reason', stream(begin, piece), ['choice 0 has no finish_reason']],
    ['a second finish reason', stream(begin, stop, stop), ['event 2: choice 0 has a second finish_reason']],
    ['more after the end', stream(begin, stop, piece), ['event 2: choice 0 goes on after its finish_reason']],
    ['tool calls that never came', stream(begin, called), ['event 1: choice 0 calls no tool']],
    [
      'a tool call that skips an index',
      stream(begin, head(1), called),
      ['event 1: choice 0 has tool call 1 where 0 is next', 'event 2: choice 0 calls no tool'],
    ],
    [
      'a tool call without its head',
      stream(begin, args(0, '{}'), called),
      ['event 1: choice 0 begins tool call 0 without id, type and name'],
    ],
    [
      'a tool call that says its name again',
      stream(begin, head(0), call(0, {}, ''), called),
      ['event 2: choice 0 says id, type or name of tool call 0 again'],
    ],
    [
      'a chunk after the usage',
      stream(begin, stop, usageChunk, usageChunk),
      ['event 3: a chunk follows the one with usage'],
    ],
    ['an event after [DONE]', stream(begin, stop) + event(piece), ['event 3: something follows the [DONE]']],
    ['[DONE] after an error', errorEvent(error) + doneEvent, ['event 1: something follows the error']],
    ['no [DONE]', event(begin) + event(stop), ['neither [DONE] nor an error ends the stream']],
  ])('refuse %s', (_case, events, problems) => {
    expect(streamProblems(events)).toEqual(problems);
  });

  it('know whether usage was asked for', () => {
    const withUsage = stream(begin, stop, usageChunk);
    expect(streamProblems(withUsage, { includeUsage: true })).toEqual([]);
    expect(streamProblems(withUsage, { includeUsage: false })).toEqual([
      'a chunk has only usage that nobody asked for',
    ]);
    expect(streamProblems(stream(begin, stop), { includeUsage: false })).toEqual([]);
    expect(streamProblems(stream(begin, stop), { includeUsage: true })).toEqual([
      'the last chunk has no usage',
    ]);
  });
});

describe('a stream put together', () => {
  it('is the message of each choice, with usage and [DONE]', () => {
    const second = {
      ...piece,
      choices: [{ index: 1, delta: { role: 'assistant', refusal: 'No' }, finish_reason: 'stop' }],
    };
    const thought = deltaChunk({ reasoning_content: 'Hm' });

    expect(assembleStream(stream(begin, thought, piece, second, piece, stop, usageChunk))).toEqual({
      id: 'chatcmpl-1',
      model: 'gpt-4o-mini-2024-07-18',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'HiHi', reasoning_content: 'Hm' },
          finish_reason: 'stop',
        },
        { index: 1, message: { role: 'assistant', content: null, refusal: 'No' }, finish_reason: 'stop' },
      ],
      usage: exampleUsage,
      error: null,
      done: true,
    });
  });

  it('joins tool calls as clients do, mistakes included', () => {
    const pieces = [begin, head(0), args(0, '{"a":'), args(0, '1}'), head(1), called];
    const [choice] = assembleStream(stream(...pieces)).choices;
    expect(asExpectedChoice(choice)).toEqual({
      content: null,
      tool_calls: [
        { name: 'f', arguments: { a: 1 } },
        { name: 'f', arguments: '' },
      ],
      finish_reason: 'tool_calls',
    });

    const broken = assembleStream(stream(begin, begin, head(0), head(0), called)).choices[0];
    expect(broken?.message).toMatchObject({
      role: 'assistantassistant',
      tool_calls: [{ id: 'call_0call_0', type: 'functionfunction' }],
    });
  });

  it('tells the error that ended it', () => {
    expect(assembleStream(event(begin) + event(piece) + errorEvent(error))).toMatchObject({
      choices: [{ message: { content: 'Hi' }, finish_reason: null }],
      error,
      done: false,
    });
  });
});
