import { describe, expect, it } from 'vitest';
import type { CompletionSink, ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import { placeholderCallId } from '#lambdas/inference/providers/translation/placeholders.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { character, fc } from '#test/support/fast-check.ts';
import {
  type AssembledStream,
  assembleStream,
  completionProblems,
  streamProblems,
} from '#test/support/openai-schema/validate.ts';
import { providerCall, responseFacts, startChatWriter } from '#test/support/providers/provider-call.ts';
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

const sinkCall = fc.record({
  choice: fc.constantFrom(0, 1, 2),
  kind: fc.constantFrom(...kinds),
  text: fc.oneof(
    fc.string({ unit: character, maxLength: 4 }),
    fc.constantFrom('', '\n\n', 'data: ', '🙂', '\ud83d', '\ude42'),
  ),
});

const generated = fc.record({
  sinkCalls: fc.array(sinkCall, { maxLength: 30 }),
  /** For each choice, the position among the sink calls at which it finishes. */
  finishes: fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30)),
  reason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter'),
  outputTokens: fc.nat(1000),
  includeUsage: fc.boolean(),
});

type GeneratedCompletion = typeof generated extends fc.Arbitrary<infer Value> ? Value : never;

function write(
  sink: CompletionSink,
  { sinkCalls, finishes, reason, outputTokens }: GeneratedCompletion,
): void {
  sink.identify({ id: 'answer-1', model: 'served-model' });
  const calls = new Map<number, ToolCallSink[]>();
  for (const [position, { choice: index, kind, text }] of sinkCalls.entries()) {
    for (const [choice, at] of finishes.entries()) if (at === position) sink.choice(choice).finish(reason);
    const choice = sink.choice(index);
    const choiceCalls = calls.get(index) ?? [];
    calls.set(index, choiceCalls);
    if (kind === 'begin') choice.begin();
    else if (kind === 'call')
      choiceCalls.push(choice.toolCall({ id: `id-${position}`, name: `f${position}` }));
    else if (kind === 'call without id') choiceCalls.push(choice.toolCall({ name: `f${position}` }));
    else if (kind === 'arguments') choiceCalls[text.length % choiceCalls.length]?.arguments(text);
    else if (kind === 'extra') choice.extra({ blocks: [text], [`field${position}`]: text });
    else choice[kind](text);
  }
  for (const index of finishes.keys()) sink.choice(index).finish(reason);
  sink.billing({ serviceTier: 'standard', speed: 'fast' });
  sink.billing({ serviceTier: 'priority', usage: { ...noUsage, freshInputTokens: 5, outputTokens } });
}

function streamCompletion(completion: GeneratedCompletion) {
  const stream_options = { include_usage: completion.includeUsage };
  const stream = startChatWriter({ stream: true, stream_options });
  write(stream, completion);
  stream.end();
  return { text: stream.take().toString(), facts: stream.facts };
}

function buildCompletion(completion: GeneratedCompletion) {
  const builder = startChatWriter();
  write(builder, completion);
  builder.end();
  return { body: parseJsonObject(builder.take().toString()) ?? {}, facts: responseFacts(builder.facts) };
}

const standardFields = ['role', 'content', 'refusal', 'reasoning_content', 'tool_calls'];

/** Assembles the fields that OpenAI does not define, as a client does. */
function extraFields(events: string, index: number): JsonObject {
  const extra = new Map<string, unknown>();
  for (const chunk of eventData(events).map(parseJsonObject)) {
    const choices = Array.isArray(chunk?.choices) ? chunk.choices.filter(isJsonObject) : [];
    const choice = choices.find((candidate) => candidate.index === index);
    for (const [name, value] of Object.entries(isJsonObject(choice?.delta) ? choice.delta : {})) {
      const current = extra.get(name);
      extra.set(name, Array.isArray(current) && Array.isArray(value) ? [...current, ...value] : value);
    }
  }
  return Object.fromEntries([...extra].filter(([name]) => !standardFields.includes(name)));
}

function toCompletionChoices({ choices }: AssembledStream, events: string) {
  return choices.map(({ index, message, finish_reason }) => {
    const { content, refusal = null, tool_calls = [] } = message;
    const isContentNull = tool_calls.length > 0 || refusal !== null;
    return {
      index,
      message: {
        ...message,
        content: content || (isContentNull ? null : ''),
        refusal,
        ...extraFields(events, index),
      },
      logprobs: null,
      finish_reason,
    };
  });
}

describe('Completion sinks', () => {
  it('produces the same valid completion as a stream and as a non-streaming response', () => {
    fc.assert(
      fc.property(generated, (completion) => {
        const { text, facts } = streamCompletion(completion);
        const stream = assembleStream(text);
        const built = buildCompletion(completion);
        expect(streamProblems(text, { includeUsage: completion.includeUsage })).toEqual([]);
        expect(completionProblems(built.body)).toEqual([]);
        expect(toCompletionChoices(stream, text)).toEqual(built.body.choices);
        expect([stream.id, stream.model]).toEqual([built.body.id, built.body.model]);
        expect(stream.usage).toEqual(completion.includeUsage ? built.body.usage : null);
        expect(built.facts).toMatchObject({ serviceTier: 'priority', speed: 'fast' });
        expect({ ...facts, started: true }).toEqual({
          ...built.facts,
          started: true,
          ended: true,
          finished: true,
          error: null,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('gives tool calls unique ids of at most 40 characters', () => {
    fc.assert(
      fc.property(generated, (completion) => {
        const ids = assembleStream(streamCompletion(completion).text).choices.flatMap(({ message }) =>
          (message.tool_calls ?? []).map(({ id }) => id),
        );
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
      }),
    );
  });

  it('keeps everything before a stream failure and nothing after it', () => {
    const error = new GatewayError('provider_error', { message: 'Broken' });
    fc.assert(
      fc.property(generated, fc.nat(30), (completion, position) => {
        const beforeFailure = {
          ...completion,
          includeUsage: false,
          sinkCalls: completion.sinkCalls.slice(0, position),
        };
        const stream = startChatWriter({ stream: true });
        write(stream, beforeFailure);
        stream.fail(error);
        write(stream, completion);
        stream.end();
        const complete = streamCompletion(beforeFailure).text;
        const failed = stream.take().toString();
        expect(complete.startsWith(failed)).toBe(true);
        expect(failed).not.toMatch(/"finish_reason":"|\[DONE\]/);
        expect([stream.facts.error, stream.facts.ended]).toEqual([error, false]);
      }),
    );
  });
});

describe('placeholderCallId', () => {
  it('generates a different id for each request, choice and call index', () => {
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
