/** The check of OpenAI's format that the conformance tests rely on: what it accepts, and that it notices each mistake. */
import { describe, expect, it } from 'vitest';
import { fixturesOf } from '../providers/fixture.ts';
import {
  chunkOf,
  deltaChunk,
  doneEvent,
  errorEvent,
  event,
  exampleUsage,
} from '../providers/openai/openai-events.ts';
import {
  assembleStream,
  chunkProblems,
  completionProblems,
  errorProblems,
  modelListProblems,
  streamProblems,
} from './openai-schema.ts';

const stream = (...chunks: object[]) => chunks.map(event).join('') + doneEvent;
const begin = deltaChunk({ role: 'assistant', content: '' });
const piece = deltaChunk({ content: 'Hi' });
const stop = deltaChunk({}, 'stop');
const usageChunk = chunkOf({ usage: exampleUsage });
const called = deltaChunk({}, 'tool_calls');
const head = (index: number) =>
  deltaChunk({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'f', arguments: '' } }],
  });
const args = (index: number, text: string) =>
  deltaChunk({ tool_calls: [{ index, function: { arguments: text } }] });
const error = { message: 'No', type: 'api_error', param: null, code: 'provider_error' };

describe("OpenAI's format", () => {
  it.each([...fixturesOf('openai')].filter(([, { plain }]) => plain?.status === 200))(
    'is the one of its recorded answers: %s',
    (_scene, { plain, stream: streamed }) => {
      expect(completionProblems(plain?.body)).toEqual([]);
      const events =
        streamed !== null && 'events' in streamed && streamed.cut !== true ? streamed.events : [];
      const chunks = events.filter((it): it is object => typeof it === 'object' && it !== null && 'id' in it);
      expect(chunks.flatMap(chunkProblems)).toEqual([]);
    },
  );

  it.each([
    ['a completion without an id', completionProblems, { object: 'chat.completion', choices: [] }],
    ['a chunk with an empty object', chunkProblems, chunkOf({ object: '' })],
    ['a role of null', chunkProblems, deltaChunk({ role: null })],
    ['tool calls of null', chunkProblems, deltaChunk({ tool_calls: null })],
    ['a finish reason of its own', chunkProblems, deltaChunk({}, 'eos')],
    ['a tool call without an index', chunkProblems, deltaChunk({ tool_calls: [{ id: 'call_1' }] })],
    ['a number for an error code', errorProblems, { error: { ...error, code: 500 } }],
    ['a model without an owner', modelListProblems, { object: 'list', data: [{ id: 'm', object: 'model' }] }],
  ])('is not %s', (_case, problems, value) => {
    expect(problems(value)).not.toEqual([]);
  });
});

describe('a stream', () => {
  it.each([
    ['text', stream(begin, piece, piece, stop)],
    ['CRLF and comments', `: hello\r\n\r\n${stream(begin, piece, stop).replaceAll('\n', '\r\n')}`],
    ['tool calls', stream(begin, head(0), args(0, '{'), head(1), args(0, '}'), args(1, '{}'), called)],
    ['usage with the last choice', stream(begin, piece, { ...stop, usage: exampleUsage })],
    ['an error at the end', event(begin) + event(piece) + errorEvent(error)],
  ])('may have %s', (_case, events) => {
    expect(streamProblems(events)).toEqual([]);
  });

  it.each([
    ['an open end', stream(begin, stop).trimEnd()],
    ['an event that is not JSON', `data: {\n\n${stream(begin, stop)}`],
    ['a chunk of another id', stream(begin, { ...piece, id: 'chatcmpl-2' }, stop)],
    ['no role', stream(piece, stop)],
    ['two roles', stream(begin, begin, stop)],
    ['no finish reason', stream(begin, piece)],
    ['two finish reasons', stream(begin, stop, stop)],
    ['text after the finish reason', stream(begin, stop, piece)],
    ['the end of tool calls that never came', stream(begin, called)],
    ['a tool call that skips an index', stream(begin, head(0), head(2), called)],
    ['arguments of a call without a name', stream(begin, args(0, '{}'), called)],
    ['the name of a tool call twice', stream(begin, head(0), head(0), called)],
    ['a chunk after the usage', stream(begin, stop, usageChunk, usageChunk)],
    ['an event after [DONE]', stream(begin, stop) + event(piece)],
    ['no [DONE]', event(begin) + event(stop)],
  ])('must not have %s', (_case, events) => {
    expect(streamProblems(events)).toHaveLength(1);
  });

  it('has usage if, and only if, it was requested', () => {
    const withUsage = stream(begin, stop, usageChunk);
    const withoutUsage = stream(begin, stop);
    expect(streamProblems(withUsage, { includeUsage: true })).toEqual([]);
    expect(streamProblems(withoutUsage, { includeUsage: false })).toEqual([]);
    expect(streamProblems(withUsage, { includeUsage: false })).not.toEqual([]);
    expect(streamProblems(withoutUsage, { includeUsage: true })).not.toEqual([]);
  });

  it('is assembled as clients do it, mistakes included', () => {
    const events = event(begin) + event(begin) + event(piece) + event(head(0)) + event(args(0, '{}'));
    expect(assembleStream(events + errorEvent(error))).toMatchObject({
      choices: [
        {
          message: {
            role: 'assistantassistant',
            content: 'Hi',
            tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          finish_reason: null,
        },
      ],
      error,
      done: false,
    });
  });
});
