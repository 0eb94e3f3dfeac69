import { describe, expect, it } from 'vitest';
import type { Completion, StreamFacts } from '#lambdas/inference/providers/provider.ts';
import { isJsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import {
  assembleStream,
  completionProblems,
  streamProblems,
} from '#test/support/openai-schema/openai-schema.ts';
import { bedrockFrame, bedrockStreamType } from '#test/support/providers/bedrock/bedrock-event-stream.ts';
import { callBedrock, eventStreamResponse } from '#test/support/providers/bedrock/call.ts';
import { type ScriptedResponse, translatedChunks } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';
import { splitAnywhere } from '#test/support/split-anywhere.ts';

type Request = Record<string, unknown>;

async function whole(
  body: object | string,
  request: Request = {},
): Promise<Completion & { message: unknown }> {
  const response = await callBedrock(request, {
    body: typeof body === 'string' ? [body] : body,
    headers: json,
  });
  if (response.kind !== 'completion') throw new Error(`Expected an answer, not a ${response.kind}`);
  const answer = await response.read();
  const completion = parseJsonObject(answer.body.toString());
  expect(completionProblems(completion)).toEqual([]);
  const [choice] = Array.isArray(completion?.choices) ? completion.choices : [];
  return { ...answer, message: choice };
}

const json = { 'content-type': 'application/json' };
const streaming = { stream: true, stream_options: { include_usage: true } };

async function streamed(
  scripted: ScriptedResponse,
  request: Request = {},
): Promise<{ text: string; facts: StreamFacts; deltas: unknown[] }> {
  const response = await callBedrock({ ...streaming, ...request }, scripted);
  if (response.kind !== 'stream') throw new Error(`Expected a stream, not a ${response.kind}`);
  const written = await translatedChunks(response);
  const text = Buffer.concat(written).toString();
  return { text, facts: response.reader.facts, deltas: deltasIn(text) };
}

function deltasIn(text: string): unknown[] {
  return eventData(text).flatMap((data) => {
    const choices = parseJsonObject(data)?.choices;
    const [choice] = Array.isArray(choices) ? choices : [];
    return isJsonObject(choice) ? [choice.delta] : [];
  });
}

const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
const answerOf = (content: object[], stopReason = 'end_turn') => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage,
  metrics: { latencyMs: 1 },
});
const start = { messageStart: { role: 'assistant' } };
const delta = (contentBlockIndex: number, piece: object) => ({
  contentBlockDelta: { contentBlockIndex, delta: piece },
});
const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } });
const begin = (contentBlockIndex: number, name: string) => ({
  contentBlockStart: {
    contentBlockIndex,
    start: { toolUse: { toolUseId: `id_${contentBlockIndex}`, name } },
  },
});
const end = (stopReason = 'end_turn') => ({ messageStop: { stopReason } });
const metadata = { metadata: { usage, metrics: { latencyMs: 1 } } };

describe('a whole answer of Bedrock', () => {
  it('keeps every digit of the arguments of a call', async () => {
    const input = '{"id":12345678901234567890,"share":1.0,"text":"é"}';
    const text = JSON.stringify(
      answerOf([{ toolUse: { toolUseId: 'a', name: 'f', input: 'INPUT' } }], 'tool_use'),
    );

    expect((await whole(text.replace('"INPUT"', input))).message).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: input } }],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    });
  });

  it('gives thoughts with what the model wants back', async () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm. ', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'cmVk' } },
      { reasoningContent: { reasoningText: { text: 'Unsigned.' } } },
      { text: 'Yes' },
    ];

    expect((await whole(answerOf(content))).message).toMatchObject({
      message: {
        content: 'Yes',
        reasoning_content: 'Hm. Unsigned.',
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm. ', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'cmVk' },
        ],
      },
    });
  });

  it('gives back only the thoughts that it begins with, as the place of others is lost', async () => {
    const thought = (text: string) => ({
      reasoningContent: { reasoningText: { text, signature: `of ${text}` } },
    });
    const call = { toolUse: { toolUseId: 'a', name: 'f', input: {} } };
    const said = await Promise.all(
      [{ text: 'Hm.' }, call].map(async (between) => {
        const content = [{ text: '\n' }, thought('One'), between, thought('Two'), { text: 'Yes' }];
        return (await whole(answerOf(content))).message;
      }),
    );

    const message = {
      reasoning_content: 'OneTwo',
      thinking_blocks: [{ type: 'thinking', thinking: 'One', signature: 'of One' }],
    };
    expect(said).toMatchObject([{ message }, { message }]);
  });

  it('keeps to itself what Bedrock called itself', async () => {
    const search = { toolUseId: 'a', name: 'nova_grounding', type: 'server_tool_use' };
    const found = { toolUseId: 'a', content: [], status: 'success', type: 'nova_grounding_result' };
    const content = [{ toolUse: { ...search, input: {} } }, { toolResult: found }, { text: 'Yes' }];
    const { text } = await streamed(
      eventStreamResponse(
        start,
        { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: search } } },
        delta(0, { toolUse: { input: '{}' } }),
        stop(0),
        { contentBlockStart: { contentBlockIndex: 1, start: { toolResult: { toolUseId: 'a' } } } },
        stop(1),
        delta(2, { text: 'Yes' }),
        stop(2),
        end(),
        metadata,
      ),
    );

    const answer = { message: { content: 'Yes' }, finish_reason: 'stop' };
    const plain = (await whole(answerOf(content))).message;
    expect([plain, assembleStream(text).choices[0]]).toMatchObject([answer, answer]);
    expect(`${JSON.stringify(plain)} ${text}`).not.toContain('nova_grounding');
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['refusal', 'content_filter'],
    ['tool_use', 'stop'],
    ['malformed_tool_use', 'stop'],
    ['of_the_future', 'stop'],
  ])('that ends with %s ends with %s', async (stopReason, finish_reason) => {
    expect((await whole(answerOf([{ text: 'x' }], stopReason))).message).toMatchObject({ finish_reason });
  });

  it('passes over blocks that it does not know', async () => {
    const content = [{ image: { format: 'png' } }, { text: 'x' }, { ofTheFuture: 1 }, 'no block'];

    expect((await whole(answerOf(content as object[]))).message).toMatchObject({ message: { content: 'x' } });
  });

  it.each([
    ['only what counts', { inputTokens: 5 }, { freshInputTokens: 5 }],
    [
      'writes without details',
      { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheWriteInputTokens: 4 },
      { freshInputTokens: 1, outputTokens: 2, cachedInputTokens: 3, cacheWriteInputTokens: 4 },
    ],
    [
      'details without a sum',
      {
        inputTokens: 1,
        outputTokens: 2,
        cacheDetails: [
          { ttl: '1h', inputTokens: 5 },
          { ttl: '5m', inputTokens: 6 },
        ],
      },
      { freshInputTokens: 1, outputTokens: 2, cacheWriteInputTokens: 6, cacheWrite1hInputTokens: 5 },
    ],
    [
      'details that exceed their sum',
      { inputTokens: 1, cacheWriteInputTokens: 7, cacheDetails: [{ ttl: '1h', inputTokens: 9 }] },
      { freshInputTokens: 1, cacheWrite1hInputTokens: 7 },
    ],
  ])('counts %s', async (_, said, tokens) => {
    const { facts } = await whole({ ...answerOf([]), usage: said });

    expect(facts.usage).toEqual({ ...noUsage, ...tokens });
  });

  it.each(['<html>', '{}', '[]'])('has to be one: %s', async (text) => {
    const response = await callBedrock({}, { body: [text], headers: json });

    await expect(response.kind === 'completion' && response.read()).rejects.toMatchObject({
      code: 'provider_error',
      message: 'The provider bedrock did not answer with a message',
    });
  });
});

const scene = [
  start,
  delta(0, { reasoningContent: { text: 'Ich ' } }),
  delta(0, { reasoningContent: { text: 'grüße' } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  stop(0),
  delta(1, { text: 'Grüße 🙂' }),
  delta(1, { citation: { title: 'a', sourceContent: [{ text: 'not this' }] } }),
  delta(1, { text: ' 東京' }),
  stop(1),
  begin(2, 'f'),
  delta(2, { toolUse: { input: '{"n":' } }),
  delta(2, { toolUse: { input: '1.0}' } }),
  stop(2),
  begin(3, 'g'),
  stop(3),
  end('tool_use'),
  metadata,
];

describe('a stream of Bedrock', () => {
  it('says the same wherever it is cut', async () => {
    const bytes = Buffer.concat(scene.map(bedrockFrame));
    const headers = { 'content-type': bedrockStreamType };
    const { text } = await streamed({ body: [bytes], headers });

    expect(streamProblems(text, { includeUsage: true })).toEqual([]);
    expect(assembleStream(text).choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Grüße 🙂 東京',
          reasoning_content: 'Ich grüße',
          tool_calls: [
            { id: 'id_2', type: 'function', function: { name: 'f', arguments: '{"n":1.0}' } },
            { id: 'id_3', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ]);
    await fc.assert(
      fc.asyncProperty(splitAnywhere, async (cut) => {
        expect((await streamed({ body: cut(bytes), headers })).text).toBe(text);
      }),
    );
  });

  it('has each piece as soon as its frame is whole', async () => {
    const headers = { 'content-type': bedrockStreamType };
    const response = await callBedrock(streaming, { body: scene.map(bedrockFrame), headers });
    const passed = response.kind === 'stream' ? (await translatedChunks(response)).map(String) : [];

    expect(passed.map((text) => deltasIn(text).length).slice(0, 6)).toEqual([1, 1, 1, 0, 1, 1]);
    expect(passed.at(-2)).toMatch(/data: \[DONE\]\n\n$/);
    expect(passed.at(-1)).toBe('');
  });

  it('gives a thought back when it is whole', async () => {
    const begun = { contentBlockStart: { contentBlockIndex: 0, start: {} } };
    const { deltas } = await streamed(eventStreamResponse(start, begun, ...scene.slice(1)));

    expect(deltas[3]).toEqual({
      thinking_blocks: [{ type: 'thinking', thinking: 'Ich grüße', signature: 'c2ln' }],
    });
  });

  it('ends with what it says last, whichever that is', async () => {
    const early = await streamed(eventStreamResponse(start, delta(0, { text: 'x' }), metadata, end()));
    const without = await streamed(eventStreamResponse(start, delta(0, { text: 'x' }), end()));
    const cut = await streamed(eventStreamResponse(start, delta(0, { text: 'x' }), metadata));

    expect(early.facts).toMatchObject({ complete: true, finishReason: 'stop', usage: { outputTokens: 4 } });
    expect(without.facts).toMatchObject({ complete: true, finishReason: 'stop', usage: null });
    expect(cut.facts).toMatchObject({ complete: false, finishReason: null, usage: { outputTokens: 4 } });
  });

  it('passes over events that it does not know', async () => {
    const events = [
      start,
      { ofTheFuture: { a: 1 } },
      delta(0, { image: {} }),
      delta(0, { text: 'x' }),
      end(),
      metadata,
    ];
    const { text } = await streamed(eventStreamResponse(...events));

    expect(assembleStream(text).choices[0]?.message.content).toBe('x');
  });

  it.each([
    ['throttlingException', 429, 'rate_limit_exceeded', 'ThrottlingException'],
    ['validationException', 400, 'provider_rejected_request', 'ValidationException'],
    ['serviceUnavailableException', 503, 'provider_unavailable', 'ServiceUnavailableException'],
    ['internalServerException', 502, 'provider_error', 'InternalServerException'],
    ['modelStreamErrorException', 502, 'provider_error', 'ModelStreamErrorException'],
    ['ofTheFutureException', 502, 'provider_error', 'OfTheFutureException'],
  ])('can hold an exception: %s', async (type, status, code, providerCode) => {
    const events = [start, { [type]: { message: 'Sorry' } }, delta(0, { text: 'not this' })];
    const { facts, text } = await streamed(eventStreamResponse(...events));

    expect(facts.error).toMatchObject({ status, code, providerCode, message: 'Sorry' });
    expect(text).not.toContain('not this');
  });

  it('is damaged when a checksum is wrong, or it is none', async () => {
    const frame = bedrockFrame(delta(0, { text: 'x' }));
    frame.writeUInt8(frame.readUInt8(frame.length - 6) ^ 1, frame.length - 6);
    const headers = { 'content-type': bedrockStreamType };
    const problems = await Promise.all(
      [frame, Buffer.from('data: {}\n\n')].map(async (bytes) => {
        const { facts } = await streamed({ body: [bytes], headers });
        return facts.error;
      }),
    );

    const after = [bedrockFrame(start), bedrockFrame(delta(0, { text: 'Yes' })), frame];
    const { text } = await streamed({ body: [Buffer.concat(after)], headers });
    expect(assembleStream(text).choices[0]?.message.content).toBe('Yes');
    const damaged = { code: 'provider_error', message: 'The provider bedrock sent a damaged stream' };
    expect(problems).toMatchObject([damaged, damaged]);
  });
});

describe('an answer in JSON by the arguments of a tool', () => {
  const request = {
    model: 'amazon.nova-lite-v1:0',
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'report', schema: { type: 'object', properties: {} } },
    },
  };
  const report = { toolUse: { toolUseId: 'a', name: 'json_answer', input: { city: 'Oslo' } } };
  const other = { toolUse: { toolUseId: 'b', name: 'weather', input: {} } };
  const contentOf = (text: string) => assembleStream(text).choices[0];

  it('is text, without what is said beside it', async () => {
    const plain = await whole(answerOf([{ text: 'Here:' }, report], 'tool_use'), request);
    const { text } = await streamed(
      eventStreamResponse(
        start,
        delta(0, { text: 'Here:' }),
        stop(0),
        begin(1, 'json_answer'),
        delta(1, { toolUse: { input: '{"city":' } }),
        delta(1, { toolUse: { input: '"Oslo"}' } }),
        stop(1),
        end('tool_use'),
        metadata,
      ),
      request,
    );

    expect(plain.message).toMatchObject({ message: { content: '{"city":"Oslo"}' }, finish_reason: 'stop' });
    expect(contentOf(text)).toMatchObject({ message: { content: '{"city":"Oslo"}' }, finish_reason: 'stop' });
  });

  it('gives way to the words of a guardrail', async () => {
    const blocked = [start, delta(0, { text: 'Not ' }), delta(0, { text: 'so.' }), stop(0)];
    const { text } = await streamed(
      eventStreamResponse(...blocked, end('guardrail_intervened'), metadata),
      request,
    );
    const { message } = await whole(answerOf([{ text: 'Not so.' }], 'guardrail_intervened'), request);

    const answer = { message: { content: 'Not so.' }, finish_reason: 'content_filter' };
    expect([message, contentOf(text)]).toMatchObject([answer, answer]);
  });

  it('can be empty', async () => {
    const events = [
      start,
      begin(0, 'json_answer'),
      delta(0, { toolUse: { input: '' } }),
      stop(0),
      end('tool_use'),
      metadata,
    ];
    const { text } = await streamed(eventStreamResponse(...events), request);

    expect(contentOf(text)).toMatchObject({ message: { content: '{}' }, finish_reason: 'stop' });
  });

  it('leaves calls of other tools what they are', async () => {
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    const { message } = await whole(answerOf([other], 'tool_use'), { ...request, tools });

    expect(message).toMatchObject({
      message: { content: null, tool_calls: [{ id: 'b', function: { name: 'weather', arguments: '{}' } }] },
      finish_reason: 'tool_calls',
    });
  });
});
