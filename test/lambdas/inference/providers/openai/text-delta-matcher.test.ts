import { describe, expect, it } from 'vitest';
import { createOpenAiReader } from '#lambdas/inference/providers/openai/response.ts';
import { createTextDeltaMatcher } from '#lambdas/inference/providers/openai/text-delta-matcher.ts';
import { fc } from '#test/support/fast-check.ts';
import { responseOrigin } from '#test/support/providers/openai/origin.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

const identity = { id: 'c', object: 'chat.completion.chunk', created: 1767225600, model: 'm' };
const chunk = (delta: object, rest: object = {}, finish_reason: string | null = null) => ({
  ...identity,
  choices: [{ index: 0, delta, finish_reason }],
  ...rest,
});
const eventOf = (value: object) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

/** Translates a stream. With `numbered`, each chunk has a distinct field, which defeats the matcher. */
function read(chunks: readonly object[], { numbered }: { numbered: boolean }) {
  const call = providerCall(
    { stream: true, tools: ['f', 'g'].map((name) => ({ type: 'function', function: { name } })) },
    { model: 'm' },
  );
  const reader = createOpenAiReader(responseOrigin('groq'), call, call.request.loadWriter);
  const events = chunks.map((value, number) => eventOf(numbered ? { ...value, number } : value));
  const text = Buffer.concat([...events.map((event) => reader.push(event)), reader.end()]).toString();
  const translated = eventData(text).map((data) => {
    const { number: _, ...rest } = data === '[DONE]' ? { done: true } : JSON.parse(data);
    return rest;
  });
  return { translated, facts: reader.facts };
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('"', '\\', '\\"}', '"role":"tool"', '[DONE]', '"error":1'),
);
const index = fc.constantFrom({}, { index: 0 }, { index: 1 });
const callee = fc.record({ name: fc.constantFrom('f', 'g'), arguments: text });
const delta = fc.oneof(
  text.map((content) => ({ content })),
  text.map((refusal) => ({ refusal })),
  text.map((reasoning_content) => ({ content: null, reasoning_content })),
  fc.record({ reasoning: text, reasoning_content: text }),
  fc.record({ role: fc.constant('assistant'), content: text }),
  fc
    .record({ type: fc.constantFrom('search', 'python'), arguments: text })
    .map((tool) => ({ executed_tools: [tool] })),
  fc.tuple(index, text).map(([at, arguments_]) => ({
    tool_calls: [{ ...at, function: { arguments: arguments_ } }],
  })),
  fc.tuple(index, fc.constantFrom({}, { id: 'a' }, { id: 'b' }), callee).map(([at, id, called]) => ({
    tool_calls: [{ ...at, ...id, type: 'function', function: called }],
  })),
);
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const chunks = fc.oneof(
  { weight: 8, arbitrary: delta.map((value) => chunk(value)) },
  {
    weight: 2,
    arbitrary: fc.tuple(delta, text).map(([value, obfuscation]) => chunk(value, { obfuscation })),
  },
  { weight: 1, arbitrary: delta.map((value) => chunk(value, {}, 'stop')) },
  { weight: 1, arbitrary: delta.map((value) => chunk(value, { usage })) },
  { weight: 1, arbitrary: delta.map((value) => chunk(value, { id: 'other' })) },
  { weight: 1, arbitrary: text.map((message) => chunk({ content: '' }, { error: { message } })) },
);

it('translates a stream the same with and without the matcher', () => {
  fc.assert(
    fc.property(fc.array(chunks, { maxLength: 20 }), (values) => {
      expect(read(values, { numbered: false })).toEqual(read(values, { numbered: true }));
    }),
    { numRuns: 500 },
  );
});

it('parses all chunks after one was normalized', () => {
  const callStart = (id: string) => ({
    index: 0,
    id,
    type: 'function',
    function: { name: 'f', arguments: '' },
  });
  const callArguments = { index: 0, function: { arguments: '{' } };
  const calls = [callStart('a'), callArguments, callArguments, callStart('b'), callArguments].map((call) =>
    chunk({ tool_calls: [call] }),
  );
  const { translated } = read([chunk({ role: 'assistant', content: '' }), ...calls], { numbered: false });
  expect(translated.slice(1).map(({ choices }) => choices[0].delta.tool_calls[0].index)).toEqual([
    0, 0, 0, 1, 1,
  ]);
});

describe('createTextDeltaMatcher', () => {
  const matchesAfterLearning = (learned: object, next: object) => {
    const matcher = createTextDeltaMatcher();
    matcher.learn(eventOf(learned), { ...learned });
    return matcher.matches(eventOf(next));
  };
  const argumentsDelta = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });

  it.each([
    ['content', chunk({ content: 'A' }), chunk({ content: 'B "\\' })],
    ['a refusal', chunk({ refusal: 'A' }), chunk({ refusal: '' })],
    ['reasoning', chunk({ reasoning_content: 'A' }), chunk({ reasoning_content: 'B' })],
    ['arguments of a tool call', chunk(argumentsDelta('{"')), chunk(argumentsDelta('a":1}'))],
    [
      'content with obfuscation padding',
      chunk({ content: 'A' }, { obfuscation: 'x' }),
      chunk({ content: 'B' }, { obfuscation: '' }),
    ],
  ])('matches a chunk that differs only in text: %s', (_case, learned, next) => {
    expect(matchesAfterLearning(learned, next)).toBe(true);
  });

  it.each([
    ['text after a role', chunk({ role: 'assistant', content: 'A' }), chunk({ content: 'B' })],
    [
      'a repeated role',
      chunk({ role: 'assistant', content: 'A' }),
      chunk({ role: 'assistant', content: 'A' }),
    ],
    ['another id', chunk({ content: 'A' }), chunk({ content: 'A' }, { id: 'd' })],
    ['a finish reason', chunk({ content: 'A' }), chunk({ content: 'A' }, {}, 'stop')],
    ['a field after the text', chunk({ content: 'A' }), chunk({ content: 'A', role: 'assistant' })],
    ['null content', chunk({ content: 'A' }), chunk({ content: null })],
    ['text after an empty text', chunk({ content: '' }), chunk({ content: 'A' })],
    ['arguments after empty ones', chunk(argumentsDelta('')), chunk(argumentsDelta('{}'))],
  ])('does not match other changes: %s', (_case, learned, next) => {
    expect(matchesAfterLearning(learned, next)).toBe(false);
  });

  it.each(['\n', '\r'])('does not match a text that contains the line break %j and a data field', (end) => {
    const matcher = createTextDeltaMatcher();
    const learned = chunk({ content: 'A' });
    matcher.learn(eventOf(learned), learned);
    const injected = eventOf(chunk({ content: 'B' }))
      .toString()
      .replace('"B"', `"B${end}data: 7"`);
    expect(matcher.matches(Buffer.from(injected))).toBe(false);
  });
});
