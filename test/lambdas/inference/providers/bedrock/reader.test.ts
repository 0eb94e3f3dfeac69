import { describe, expect, it } from 'vitest';
import type { ReaderFacts, ResponseFacts } from '#lambdas/inference/completion/facts.ts';
import { isJsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { assembleStream, completionProblems, streamProblems } from '#test/support/openai-schema/validate.ts';
import { callBedrock, eventStreamResponse } from '#test/support/providers/bedrock/call.ts';
import { bedrockFrame, bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';
import { readBody, type ScriptedResponse, translatedChunks } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

type Request = Record<string, unknown>;

async function readCompletion(
  body: object | string,
  request: Request = {},
): Promise<{ facts: ResponseFacts; message: unknown }> {
  const response = await callBedrock(request, {
    body: typeof body === 'string' ? [body] : body,
    headers: json,
  });
  const completion = await readBody({ response });
  const parsed = parseJsonObject(completion.text);
  expect(completionProblems(parsed)).toEqual([]);
  const [choice] = Array.isArray(parsed?.choices) ? parsed.choices : [];
  return { ...completion, message: choice };
}

const json = { 'content-type': 'application/json' };
const streaming = { stream: true, stream_options: { include_usage: true } };

async function readStream(
  scripted: ScriptedResponse,
  request: Request = {},
): Promise<{ text: string; facts: ReaderFacts; deltas: unknown[] }> {
  const response = await callBedrock({ ...streaming, ...request }, scripted);
  if (response.kind !== 'success') throw new Error(`Expected a success, not a ${response.kind}`);
  const chunks = await translatedChunks(response);
  const text = Buffer.concat(chunks).toString();
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
const converseResponse = (content: object[], stopReason = 'end_turn') => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage,
  metrics: { latencyMs: 1 },
});
const start = { messageStart: { role: 'assistant' } };
const delta = (contentBlockIndex: number, content: object) => ({
  contentBlockDelta: { contentBlockIndex, delta: content },
});
const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } });
const toolStart = (contentBlockIndex: number, name: string) => ({
  contentBlockStart: {
    contentBlockIndex,
    start: { toolUse: { toolUseId: `id_${contentBlockIndex}`, name } },
  },
});
const end = (stopReason = 'end_turn') => ({ messageStop: { stopReason } });
const metadata = { metadata: { usage, metrics: { latencyMs: 1 } } };

describe('Bedrock responses', () => {
  it('preserves the digits of numbers in call arguments', async () => {
    const input = '{"id":12345678901234567890,"share":1.0,"text":"é"}';
    const text = JSON.stringify(
      converseResponse([{ toolUse: { toolUseId: 'a', name: 'f', input: 'INPUT' } }], 'tool_use'),
    );

    expect((await readCompletion(text.replace('"INPUT"', input))).message).toEqual({
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

  it('returns reasoning and the signed thinking blocks', async () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm. ', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'cmVk' } },
      { reasoningContent: { reasoningText: { text: 'Unsigned.' } } },
      { text: 'Yes' },
    ];

    expect((await readCompletion(converseResponse(content))).message).toMatchObject({
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

  it('returns only leading thinking blocks, because the position of later ones is lost', async () => {
    const reasoning = (text: string) => ({
      reasoningContent: { reasoningText: { text, signature: `of ${text}` } },
    });
    const call = { toolUse: { toolUseId: 'a', name: 'f', input: {} } };
    const choices = await Promise.all(
      [{ text: 'Hm.' }, call].map(async (between) => {
        const content = [{ text: '\n' }, reasoning('One'), between, reasoning('Two'), { text: 'Yes' }];
        return (await readCompletion(converseResponse(content))).message;
      }),
    );

    const message = {
      reasoning_content: 'OneTwo',
      thinking_blocks: [{ type: 'thinking', thinking: 'One', signature: 'of One' }],
    };
    expect(choices).toMatchObject([{ message }, { message }]);
  });

  it("omits the calls and results of Bedrock's built-in tools", async () => {
    const search = { toolUseId: 'a', name: 'nova_grounding', type: 'server_tool_use' };
    const searchResult = { toolUseId: 'a', content: [], status: 'success', type: 'nova_grounding_result' };
    const content = [{ toolUse: { ...search, input: {} } }, { toolResult: searchResult }, { text: 'Yes' }];
    const { text } = await readStream(
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

    const expected = { message: { content: 'Yes' }, finish_reason: 'stop' };
    const choice = (await readCompletion(converseResponse(content))).message;
    expect([choice, assembleStream(text).choices[0]]).toMatchObject([expected, expected]);
    expect(`${JSON.stringify(choice)} ${text}`).not.toContain('nova_grounding');
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
    ['of_the_future', 'stop'],
  ])('maps stopReason %s to %s', async (stopReason, finish_reason) => {
    expect((await readCompletion(converseResponse([{ text: 'x' }], stopReason))).message).toMatchObject({
      finish_reason,
    });
  });

  it.each(['malformed_tool_use', 'malformed_model_output'])('is an error for stopReason %s', async (word) => {
    const response = await callBedrock({}, { body: converseResponse([{ text: 'x' }], word), headers: json });

    const { error, facts } = await readBody({ response });
    expect(error?.message).toBe(`The provider some ended its response with "${word}"`);
    expect(facts.usage).toMatchObject({ freshInputTokens: 3, outputTokens: 4 });
  });

  it('ignores unknown content blocks', async () => {
    const content = [{ image: { format: 'png' } }, { text: 'x' }, { ofTheFuture: 1 }, 'no block'];

    expect((await readCompletion(converseResponse(content as object[]))).message).toMatchObject({
      message: { content: 'x' },
    });
  });

  it.each(['<html>', '{}', '[]'])('is an error for the body %s', async (text) => {
    const response = await callBedrock({}, { body: [text], headers: json });

    expect((await readBody({ response })).error).toMatchObject({
      code: 'provider_error',
      message: 'The response of the provider bedrock contains no completion',
    });
  });
});

const events = [
  start,
  delta(0, { reasoningContent: { text: 'Ich ' } }),
  delta(0, { reasoningContent: { text: 'grüße' } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  stop(0),
  delta(1, { text: 'Grüße 🙂' }),
  delta(1, { citation: { title: 'a', sourceContent: [{ text: 'not this' }] } }),
  delta(1, { text: ' 東京' }),
  stop(1),
  toolStart(2, 'f'),
  delta(2, { toolUse: { input: '{"n":' } }),
  delta(2, { toolUse: { input: '1.0}' } }),
  stop(2),
  toolStart(3, 'g'),
  stop(3),
  end('tool_use'),
  metadata,
];

describe('Bedrock streams', () => {
  it('translates a stream the same wherever its bytes are split', async () => {
    const bytes = Buffer.concat(events.map(bedrockFrame));
    const headers = { 'content-type': bedrockStreamType };
    const { text } = await readStream({ body: [bytes], headers });

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
      fc.asyncProperty(splitAnywhere, async (split) => {
        expect((await readStream({ body: split(bytes), headers })).text).toBe(text);
      }),
    );
  });

  it('translates each frame as soon as it is complete', async () => {
    const headers = { 'content-type': bedrockStreamType };
    const response = await callBedrock(streaming, { body: events.map(bedrockFrame), headers });
    const outputs = response.kind === 'success' ? (await translatedChunks(response)).map(String) : [];

    expect(outputs.map((text) => deltasIn(text).length).slice(0, 6)).toEqual([1, 1, 1, 0, 1, 1]);
    expect(outputs.at(-2)).toMatch(/data: \[DONE\]\n\n$/);
    expect(outputs.at(-1)).toBe('');
  });

  it('returns a thinking block when it is complete', async () => {
    const blockStart = { contentBlockStart: { contentBlockIndex: 0, start: {} } };
    const { deltas } = await readStream(eventStreamResponse(start, blockStart, ...events.slice(1)));

    expect(deltas[3]).toEqual({
      thinking_blocks: [{ type: 'thinking', thinking: 'Ich grüße', signature: 'c2ln' }],
    });
  });

  it('completes a stream after messageStop, with metadata before it or missing, but not without messageStop', async () => {
    const metadataFirst = await readStream(
      eventStreamResponse(start, delta(0, { text: 'x' }), metadata, end()),
    );
    const withoutMetadata = await readStream(eventStreamResponse(start, delta(0, { text: 'x' }), end()));
    const withoutStop = await readStream(eventStreamResponse(start, delta(0, { text: 'x' }), metadata));

    expect(metadataFirst.facts).toMatchObject({
      finished: true,
      finishReason: 'stop',
      usage: { outputTokens: 4 },
    });
    expect(withoutMetadata.facts).toMatchObject({ finished: true, finishReason: 'stop', usage: null });
    expect(withoutStop.facts).toMatchObject({
      finished: false,
      finishReason: null,
      usage: { outputTokens: 4 },
    });
  });

  it('ignores unknown events', async () => {
    const events = [
      start,
      { ofTheFuture: { a: 1 } },
      delta(0, { image: {} }),
      delta(0, { text: 'x' }),
      end(),
      metadata,
    ];
    const { text } = await readStream(eventStreamResponse(...events));

    expect(assembleStream(text).choices[0]?.message.content).toBe('x');
  });

  it.each([
    ['throttlingException', 429, 'rate_limit_exceeded', 'ThrottlingException'],
    ['validationException', 400, 'provider_rejected_request', 'ValidationException'],
    ['serviceUnavailableException', 503, 'provider_unavailable', 'ServiceUnavailableException'],
    ['internalServerException', 502, 'provider_error', 'InternalServerException'],
    ['modelStreamErrorException', 502, 'provider_error', 'ModelStreamErrorException'],
    ['ofTheFutureException', 502, 'provider_error', 'OfTheFutureException'],
  ])('maps a stream exception %s to status %i and %s', async (type, status, code, providerCode) => {
    const events = [start, { [type]: { message: 'Sorry' } }, delta(0, { text: 'not this' })];
    const { facts, text } = await readStream(eventStreamResponse(...events));

    expect(facts.error).toMatchObject({ status, code, providerCode, message: 'Sorry' });
    expect(text).not.toContain('not this');
  });

  it('reports provider_error for a wrong checksum or another format', async () => {
    const frame = bedrockFrame(delta(0, { text: 'x' }));
    frame.writeUInt8(frame.readUInt8(frame.length - 6) ^ 1, frame.length - 6);
    const headers = { 'content-type': bedrockStreamType };
    const errors = await Promise.all(
      [frame, Buffer.alloc(16)].map(async (bytes) => {
        const { facts } = await readStream({ body: [bytes], headers });
        return facts.error;
      }),
    );

    const frames = [bedrockFrame(start), bedrockFrame(delta(0, { text: 'Yes' })), frame];
    const { text } = await readStream({ body: [Buffer.concat(frames)], headers });
    expect(assembleStream(text).choices[0]?.message.content).toBe('Yes');
    const corrupt = { code: 'provider_error', message: 'The provider bedrock sent a corrupt stream' };
    expect(errors).toMatchObject([corrupt, corrupt]);
  });
});

describe('Bedrock JSON output through a tool', () => {
  const request = {
    model: 'amazon.nova-lite-v1:0',
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'report', schema: { type: 'object', properties: {} } },
    },
  };
  const report = { toolUse: { toolUseId: 'a', name: 'json_answer', input: { city: 'Oslo' } } };
  const other = { toolUse: { toolUseId: 'b', name: 'weather', input: {} } };
  const firstChoice = (text: string) => assembleStream(text).choices[0];

  it('returns the arguments of the output tool as content, without other text', async () => {
    const completion = await readCompletion(
      converseResponse([{ text: 'Here:' }, report], 'tool_use'),
      request,
    );
    const { text } = await readStream(
      eventStreamResponse(
        start,
        delta(0, { text: 'Here:' }),
        stop(0),
        toolStart(1, 'json_answer'),
        delta(1, { toolUse: { input: '{"city":' } }),
        delta(1, { toolUse: { input: '"Oslo"}' } }),
        stop(1),
        end('tool_use'),
        metadata,
      ),
      request,
    );

    expect(completion.message).toMatchObject({
      message: { content: '{"city":"Oslo"}' },
      finish_reason: 'stop',
    });
    expect(firstChoice(text)).toMatchObject({
      message: { content: '{"city":"Oslo"}' },
      finish_reason: 'stop',
    });
  });

  it('returns the text of a guardrail', async () => {
    const blocked = [start, delta(0, { text: 'Not ' }), delta(0, { text: 'so.' }), stop(0)];
    const { text } = await readStream(
      eventStreamResponse(...blocked, end('guardrail_intervened'), metadata),
      request,
    );
    const { message } = await readCompletion(
      converseResponse([{ text: 'Not so.' }], 'guardrail_intervened'),
      request,
    );

    const expected = { message: { content: 'Not so.' }, finish_reason: 'content_filter' };
    expect([message, firstChoice(text)]).toMatchObject([expected, expected]);
  });

  it('returns empty arguments as {}', async () => {
    const events = [
      start,
      toolStart(0, 'json_answer'),
      delta(0, { toolUse: { input: '' } }),
      stop(0),
      end('tool_use'),
      metadata,
    ];
    const { text } = await readStream(eventStreamResponse(...events), request);

    expect(firstChoice(text)).toMatchObject({ message: { content: '{}' }, finish_reason: 'stop' });
  });

  it('keeps calls of other tools', async () => {
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    const { message } = await readCompletion(converseResponse([other], 'tool_use'), { ...request, tools });

    expect(message).toMatchObject({
      message: { content: null, tool_calls: [{ id: 'b', function: { name: 'weather', arguments: '{}' } }] },
      finish_reason: 'tool_calls',
    });
  });
});
