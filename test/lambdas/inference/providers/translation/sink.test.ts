import { describe, expect, it } from 'vitest';
import { createCompletionBuilder } from '#lambdas/inference/providers/translation/completion.ts';
import {
  type CompletionSink,
  placeholderCallId,
  type ToolCallSink,
} from '#lambdas/inference/providers/translation/sink.ts';
import { createCompletionStream } from '#lambdas/inference/providers/translation/stream-sink.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import {
  type AssembledStream,
  assembleStream,
  completionProblems,
  streamProblems,
} from '#test/support/openai-schema/openai-schema.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

const kinds = [
  'begin',
  'text',
  'reasoning',
  'refusal',
  'call',
  'call without id',
  'arguments',
  'extra',
] as const;

const piece = fc.record({
  choice: fc.constantFrom(0, 1, 2),
  kind: fc.constantFrom(...kinds),
  text: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('', '\n\n', 'data: ', '🙂', '\ud83d', '\ude42'),
  ),
});

const answers = fc.record({
  pieces: fc.array(piece, { maxLength: 30 }),
  /** For each choice, where among the pieces it is finished. */
  finishes: fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)),
  reason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter'),
  outputTokens: fc.nat(1000),
  includeUsage: fc.boolean(),
});

type GeneratedAnswer = typeof answers extends fc.Arbitrary<infer Value> ? Value : never;

/** Writes the same into any sink. */
function write(sink: CompletionSink, { pieces, finishes, reason, outputTokens }: GeneratedAnswer): void {
  sink.identify({ id: 'answer-1', model: 'served-model' });
  const calls = new Map<number, ToolCallSink[]>();
  for (const [place, { choice: index, kind, text }] of pieces.entries()) {
    for (const [choice, at] of finishes.entries()) if (at === place) sink.choice(choice).finish(reason);
    const choice = sink.choice(index);
    const own = calls.get(index) ?? [];
    calls.set(index, own);
    if (kind === 'begin') choice.begin();
    else if (kind === 'call') own.push(choice.toolCall({ id: `id-${place}`, name: `f${place}` }));
    else if (kind === 'call without id') own.push(choice.toolCall({ name: `f${place}` }));
    else if (kind === 'arguments') own[text.length % own.length]?.arguments(text);
    else if (kind === 'extra') choice.extra({ blocks: [text], [`field${place}`]: text });
    else choice[kind](text);
  }
  for (const index of finishes.keys()) sink.choice(index).finish(reason);
  sink.usage({ ...noUsage, freshInputTokens: 5, outputTokens });
}

function streamed(answer: GeneratedAnswer) {
  const stream_options = { include_usage: answer.includeUsage };
  const stream = createCompletionStream(providerCall({ stream: true, stream_options }));
  write(stream, answer);
  stream.end();
  return { text: stream.take().toString(), facts: stream.facts };
}

function whole(answer: GeneratedAnswer) {
  const completion = createCompletionBuilder(providerCall({}));
  write(completion, answer);
  const { body, facts } = completion.build();
  return { answer: parseJsonObject(body.toString()) ?? {}, facts };
}

const standard = ['role', 'content', 'refusal', 'reasoning_content', 'tool_calls'];

/** The fields that are none of OpenAI's, put together as a client does. */
function extraFields(events: string, index: number): JsonObject {
  const extra = new Map<string, unknown>();
  for (const chunk of eventData(events).map(parseJsonObject)) {
    const choices = Array.isArray(chunk?.choices) ? chunk.choices.filter(isJsonObject) : [];
    const choice = choices.find((candidate) => candidate.index === index);
    for (const [name, value] of Object.entries(isJsonObject(choice?.delta) ? choice.delta : {})) {
      const before = extra.get(name);
      extra.set(name, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value);
    }
  }
  return Object.fromEntries([...extra].filter(([name]) => !standard.includes(name)));
}

/** A message of a stream as a whole answer has it. */
function asWholeChoices({ choices }: AssembledStream, events: string) {
  return choices.map(({ index, message, finish_reason }) => {
    const { content, refusal = null, tool_calls = [] } = message;
    const silent = tool_calls.length > 0 || refusal !== null;
    return {
      index,
      message: {
        ...message,
        content: content || (silent ? null : ''),
        refusal,
        ...extraFields(events, index),
      },
      logprobs: null,
      finish_reason,
    };
  });
}

describe('the same pieces, whole and streamed', () => {
  it('make the same message, in the form of OpenAI', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { text, facts } = streamed(answer);
        const stream = assembleStream(text);
        const plain = whole(answer);
        expect(streamProblems(text, { includeUsage: answer.includeUsage })).toEqual([]);
        expect(completionProblems(plain.answer)).toEqual([]);
        expect(asWholeChoices(stream, text)).toEqual(plain.answer.choices);
        expect([stream.id, stream.model]).toEqual([plain.answer.id, plain.answer.model]);
        expect(stream.usage).toEqual(answer.includeUsage ? plain.answer.usage : null);
        expect({ ...facts, started: true }).toEqual({
          ...plain.facts,
          started: true,
          ended: true,
          complete: true,
          error: null,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('have ids of tool calls that are all different, and none too long for OpenAI', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const ids = assembleStream(streamed(answer).text).choices.flatMap(({ message }) =>
          (message.tool_calls ?? []).map(({ id }) => id),
        );
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
      }),
    );
  });

  it('stop where the stream fails, and all that came before is there', () => {
    const error = new GatewayError('provider_error', { message: 'Broken' });
    fc.assert(
      fc.property(answers, fc.nat(30), (answer, place) => {
        const before = { ...answer, includeUsage: false, pieces: answer.pieces.slice(0, place) };
        const stream = createCompletionStream(providerCall({ stream: true }));
        write(stream, before);
        stream.fail(error);
        write(stream, answer);
        stream.end();
        const whole = streamed(before).text;
        const failed = stream.take().toString();
        expect(whole.startsWith(failed)).toBe(true);
        expect(failed).not.toMatch(/"finish_reason":"|\[DONE\]/);
        expect([stream.facts.error, stream.facts.complete]).toEqual([error, false]);
      }),
    );
  });
});

describe('a made-up id of a tool call', () => {
  it('differs by request, choice and number', () => {
    const call = providerCall({});
    const other = providerCall({}, { requestId: '019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f03' });
    expect([
      placeholderCallId(call, 0, 0),
      placeholderCallId(call, 0, 1),
      placeholderCallId(call, 1, 0),
      placeholderCallId(other, 0, 0),
    ]).toEqual([
      'call_8c007d2e9f3a5b6c7d8e9f02_0_0',
      'call_8c007d2e9f3a5b6c7d8e9f02_0_1',
      'call_8c007d2e9f3a5b6c7d8e9f02_1_0',
      'call_8c007d2e9f3a5b6c7d8e9f03_0_0',
    ]);
  });
});
