/** Tests the format validation that the conformance tests rely on. */
import { describe, expect, it } from 'vitest';
import { loadFixtures } from '../providers/fixture.ts';
import {
  buildChunk,
  deltaChunk,
  doneEvent,
  errorEvent,
  event,
  exampleUsage,
} from '../providers/openai/events.ts';
import {
  assembleStream,
  chunkProblems,
  completionProblems,
  errorProblems,
  modelListProblems,
  streamProblems,
} from './validate.ts';

const stream = (...chunks: object[]) => chunks.map(event).join('') + doneEvent;
const opening = deltaChunk({ role: 'assistant', content: '' });
const textChunk = deltaChunk({ content: 'Hi' });
const stopChunk = deltaChunk({}, 'stop');
const usageChunk = buildChunk({ usage: exampleUsage });
const toolCallsChunk = deltaChunk({}, 'tool_calls');
const callStart = (index: number) =>
  deltaChunk({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'f', arguments: '' } }],
  });
const callArguments = (index: number, text: string) =>
  deltaChunk({ tool_calls: [{ index, function: { arguments: text } }] });
const error = { message: 'No', type: 'api_error', param: null, code: 'provider_error' };

describe('OpenAI schemas', () => {
  it.each([...loadFixtures('openai')].filter(([, { plain }]) => plain?.status === 200))(
    'accepts the recorded OpenAI responses of fixture %s',
    (_fixture, { plain, stream: streamed }) => {
      expect(completionProblems(plain?.body)).toEqual([]);
      const events =
        streamed !== null && 'events' in streamed && streamed.truncated !== true ? streamed.events : [];
      const chunks = events.filter((it): it is object => typeof it === 'object' && it !== null && 'id' in it);
      expect(chunks.flatMap(chunkProblems)).toEqual([]);
    },
  );

  it.each([
    ['a completion without an id', completionProblems, { object: 'chat.completion', choices: [] }],
    ['a chunk with an empty object', chunkProblems, buildChunk({ object: '' })],
    ['a role of null', chunkProblems, deltaChunk({ role: null })],
    ['tool calls of null', chunkProblems, deltaChunk({ tool_calls: null })],
    ['an unknown finish reason', chunkProblems, deltaChunk({}, 'eos')],
    ['a tool call without an index', chunkProblems, deltaChunk({ tool_calls: [{ id: 'call_1' }] })],
    ['a number for an error code', errorProblems, { error: { ...error, code: 500 } }],
    ['a model without an owner', modelListProblems, { object: 'list', data: [{ id: 'm', object: 'model' }] }],
  ])('rejects %s', (_case, problems, value) => {
    expect(problems(value)).not.toEqual([]);
  });
});

describe('streamProblems', () => {
  it.each([
    ['text', stream(opening, textChunk, textChunk, stopChunk)],
    ['CRLF and comments', `: hello\r\n\r\n${stream(opening, textChunk, stopChunk).replaceAll('\n', '\r\n')}`],
    [
      'tool calls',
      stream(
        opening,
        callStart(0),
        callArguments(0, '{'),
        callStart(1),
        callArguments(0, '}'),
        callArguments(1, '{}'),
        toolCallsChunk,
      ),
    ],
    ['usage with the last choice', stream(opening, textChunk, { ...stopChunk, usage: exampleUsage })],
    ['an error at the end', event(opening) + event(textChunk) + errorEvent(error)],
  ])('accepts a stream with %s', (_case, events) => {
    expect(streamProblems(events)).toEqual([]);
  });

  it.each([
    ['an unterminated last event', stream(opening, stopChunk).trimEnd()],
    ['an event that is not JSON', `data: {\n\n${stream(opening, stopChunk)}`],
    ['a chunk with a different id', stream(opening, { ...textChunk, id: 'chatcmpl-2' }, stopChunk)],
    ['no role', stream(textChunk, stopChunk)],
    ['two roles', stream(opening, opening, stopChunk)],
    ['no finish reason', stream(opening, textChunk)],
    ['two finish reasons', stream(opening, stopChunk, stopChunk)],
    ['text after the finish reason', stream(opening, stopChunk, textChunk)],
    ['finish reason tool_calls but no tool call', stream(opening, toolCallsChunk)],
    ['a tool call that skips an index', stream(opening, callStart(0), callStart(2), toolCallsChunk)],
    ['arguments before the name of a tool call', stream(opening, callArguments(0, '{}'), toolCallsChunk)],
    ['a repeated tool call name', stream(opening, callStart(0), callStart(0), toolCallsChunk)],
    ['a chunk after the usage', stream(opening, stopChunk, usageChunk, usageChunk)],
    ['an event after [DONE]', stream(opening, stopChunk) + event(textChunk)],
    ['no [DONE]', event(opening) + event(stopChunk)],
  ])('rejects a stream with %s', (_case, events) => {
    expect(streamProblems(events)).toHaveLength(1);
  });

  it('requires a usage chunk if and only if usage was requested', () => {
    const withUsage = stream(opening, stopChunk, usageChunk);
    const withoutUsage = stream(opening, stopChunk);
    expect(streamProblems(withUsage, { includeUsage: true })).toEqual([]);
    expect(streamProblems(withoutUsage, { includeUsage: false })).toEqual([]);
    expect(streamProblems(withUsage, { includeUsage: false })).not.toEqual([]);
    expect(streamProblems(withoutUsage, { includeUsage: true })).not.toEqual([]);
  });
});

describe('assembleStream', () => {
  it('concatenates fields as clients do, including repeated roles', () => {
    const events =
      event(opening) +
      event(opening) +
      event(textChunk) +
      event(callStart(0)) +
      event(callArguments(0, '{}'));
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
