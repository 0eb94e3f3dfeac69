import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { completionFor, streamFor } from '#test/support/providers/google/call.ts';
import { exampleRequestId } from '#test/support/providers/provider-call.ts';

type Fields = Record<string, unknown>;

function generated(candidates: unknown[] | undefined, fields: Fields = {}) {
  return {
    ...(candidates && { candidates }),
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
    modelVersion: 'gemini-3.5-flash',
    responseId: 'r1',
    ...fields,
  };
}
function candidate(parts: object[], fields: Fields = { finishReason: 'STOP' }) {
  return { content: { parts, role: 'model' }, ...fields };
}

/** Expects the completion and the stream to have the same choice. */
async function choiceFor(parts: object[], fields?: Fields) {
  const body = generated([candidate(parts, fields)]);
  const { completion } = await completionFor(body);
  const { assembled, deltas } = await streamFor([body]);
  const { choices } = completion as { choices: [{ message: Fields; finish_reason: string }] };
  const [{ message, finish_reason }] = choices;
  const [streamed] = assembled.choices;
  expect(streamed?.finish_reason).toBe(finish_reason);
  expect(streamed?.message.content || null).toBe(message.content || null);
  expect(streamed?.message.refusal ?? null).toBe(message.refusal);
  expect(streamed?.message.tool_calls?.map(({ function: callee }) => callee)).toEqual(
    (message.tool_calls as { function: object }[] | undefined)?.map(({ function: callee }) => callee),
  );
  return { message, finish_reason, deltas };
}

describe('Google responses', () => {
  it("translates a response to OpenAI's format", async () => {
    const parts = [{ text: 'Hel' }, { text: 'lo', thoughtSignature: 'EpMB' }];
    const { completion, facts } = await completionFor(generated([candidate(parts)]));

    expect(completion).toEqual({
      id: 'r1',
      object: 'chat.completion',
      created: 1_795_132_800,
      model: 'gemini-3.5-flash',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hello',
            refusal: null,
            extra_content: { google: { thought_signature: 'EpMB' } },
          },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: expect.objectContaining({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }),
    });
    expect(facts).toMatchObject({ responseModel: 'gemini-3.5-flash', finishReason: 'stop' });
  });

  it('separates thoughts and returns the signature that the caller must send back', async () => {
    const { message, deltas } = await choiceFor([
      { text: 'Let me', thought: true },
      { text: ' see', thought: true, thoughtSignature: 'AAAA' },
      { text: '', thought: true },
      { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thought: true },
      { text: 'Yes' },
      { text: '', thoughtSignature: 'EpMB' },
    ]);

    const extra_content = { google: { thought_signature: 'EpMB' } };
    expect(message).toMatchObject({ content: 'Yes', reasoning_content: 'Let me see', extra_content });
    expect(message).not.toHaveProperty('images');
    expect(deltas).toContainEqual(expect.objectContaining({ extra_content }));
  });

  it('returns the thought signature of each tool call', async () => {
    const extra_content = { google: { thought_signature: 'EpMB' } };
    const { message, finish_reason, deltas } = await choiceFor([
      { functionCall: { id: 'c1', name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'EpMB' },
      { functionCall: { name: 'now' } },
    ]);

    const random = exampleRequestId.replaceAll('-', '').slice(-24);
    expect(message).toMatchObject({ content: null });
    expect(message.tool_calls).toEqual([
      {
        id: 'c1',
        type: 'function',
        function: { name: 'weather', arguments: '{"city":"Oslo"}' },
        extra_content,
      },
      { id: `call_${random}_0_1`, type: 'function', function: { name: 'now', arguments: '{}' } },
    ]);
    expect(finish_reason).toBe('tool_calls');
    expect(deltas).toContainEqual(
      expect.objectContaining({ tool_calls: [expect.objectContaining({ id: 'c1', extra_content })] }),
    );
  });

  it('preserves the digits of numbers in call arguments', async () => {
    const call = '{"functionCall":{"id":"c1","name":"f","args":{"n":1.0,"id":9007199254740993}}}';
    const text = `{"candidates":[{"content":{"parts":[${call}]},"finishReason":"STOP"}]}`;
    const { completion } = await completionFor(text);
    const { assembled } = await streamFor([Buffer.from(`data: ${text}\r\n\r\n`)]);

    const toolCalls = [{ function: { arguments: '{"n":1.0,"id":9007199254740993}' } }];
    expect(completion).toMatchObject({ choices: [{ message: { tool_calls: toolCalls } }] });
    expect(assembled.choices).toMatchObject([{ message: { tool_calls: toolCalls } }]);
  });

  it('returns images', async () => {
    const { message, deltas } = await choiceFor([
      { text: 'Look:' },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' }, thoughtSignature: 'EpMB' },
    ]);

    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }];
    expect(message).toMatchObject({ content: 'Look:', images });
    expect(deltas).toContainEqual(expect.objectContaining({ images }));
  });

  it("omits the calls and results of Google's built-in tools", async () => {
    const { message } = await choiceFor([
      { toolCall: { toolType: 'URL_CONTEXT', id: 'u1' }, thoughtSignature: 'EpMB' },
      { toolResponse: { toolType: 'URL_CONTEXT', id: 'u1', response: {} } },
      { executableCode: { language: 'PYTHON', code: 'print(42)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42' } },
      { text: '42' },
    ]);

    expect(message).toEqual({ role: 'assistant', content: '42', refusal: null });
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['FINISH_REASON_UNSPECIFIED', 'stop'],
    ['A_NEW_ONE', 'stop'],
  ])('maps finishReason %s to %s', async (finishReason, expected) => {
    expect(await choiceFor([{ text: 'Well' }], { finishReason })).toMatchObject({
      message: { content: 'Well', refusal: null },
      finish_reason: expected,
    });
  });

  it.each([
    'SAFETY',
    'RECITATION',
    'LANGUAGE',
    'OTHER',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
  ])('maps finishReason %s to content_filter with a refusal', async (finishReason) => {
    expect(await choiceFor([{ text: 'Well' }], { finishReason })).toMatchObject({
      message: { content: 'Well', refusal: `Google stopped the response: ${finishReason}` },
      finish_reason: 'content_filter',
    });
    expect(await choiceFor([], { finishReason, finishMessage: 'Not this.' })).toMatchObject({
      message: { content: null, refusal: 'Not this.' },
    });
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE', 'NO_IMAGE'])(
    'maps finishReason %s to provider_error and keeps the usage',
    async (finishReason) => {
      const body = generated([{ finishReason, finishMessage: 'weather{' }]);
      const completion = await completionFor(body);
      const streamed = await streamFor([body]);

      const error = {
        code: 'provider_error',
        status: 502,
        message: `Google ended the response with ${finishReason}: weather{`,
      };
      expect(completion.error).toMatchObject(error);
      expect(streamed.facts).toMatchObject({ error, started: false, finished: false });
      expect(streamed.text).toBe('');
      const usage = { ...noUsage, freshInputTokens: 5, outputTokens: 2 };
      expect([completion.facts.usage, streamed.facts.usage]).toEqual([usage, usage]);
    },
  );

  it('ignores prompt feedback when there is a candidate', async () => {
    const body = generated([candidate([{ text: 'Hi' }])], { promptFeedback: { blockReason: 'OTHER' } });
    const { completion } = await completionFor(body);

    expect(completion).toMatchObject({ choices: [{ message: { content: 'Hi', refusal: null } }] });
  });

  it('returns the block reason of a blocked prompt as refusal', async () => {
    const body = generated(undefined, { promptFeedback: { blockReason: 'BLOCKLIST' } });
    const { completion } = await completionFor(body);
    const { assembled } = await streamFor([body]);

    const refusal = 'Google blocked the prompt: BLOCKLIST';
    expect(completion).toMatchObject({
      choices: [{ message: { content: null, refusal }, finish_reason: 'content_filter' }],
    });
    expect(assembled).toMatchObject({
      choices: [{ message: { refusal }, finish_reason: 'content_filter' }],
      done: true,
    });
  });

  it.each([
    ['is empty', {}],
    ['has no candidates', generated([])],
    ['has only prompt feedback', generated(undefined, { promptFeedback: { safetyRatings: [] } })],
    ['has candidates that are not objects', generated([null, 5])],
  ])('returns provider_error when the response %s', async (_case, body) => {
    const { error } = await completionFor(body);
    const { facts } = await streamFor([body]);

    expect(error).toMatchObject({
      code: 'provider_error',
      message: 'The response of the provider google contains no completion',
    });
    expect(facts).toMatchObject({ finished: false, started: false });
  });

  it.each([
    ['not JSON', '<html>'],
    ['an empty JSON array', '[]'],
  ])('is an error when the body is %s', async (_case, text) => {
    expect((await completionFor(text)).error).toMatchObject({
      code: 'provider_error',
      message: 'The response of the provider google contains no completion',
    });
  });

  it('returns the error of a response with status 200', async () => {
    const error = { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' };

    expect((await completionFor({ error })).error).toMatchObject({ status: 503, message: 'Overloaded' });
  });

  it('ignores malformed parts and fields', async () => {
    const { message } = await choiceFor([
      null as unknown as object,
      { text: 5 },
      { functionCall: 'f' },
      { inlineData: {} },
      { text: 'Hi', thought: 'yes', thoughtSignature: 7 },
    ]);

    expect(message).toEqual({ role: 'assistant', content: 'Hi', refusal: null });
    expect(await completionFor(generated([{ content: 'x', finishReason: 'STOP' }]))).toMatchObject({
      completion: { choices: [{ message: { content: '' }, finish_reason: 'stop' }] },
      error: null,
    });
  });

  it('orders candidates by index, or by position without one', async () => {
    const body = generated([
      candidate([{ text: 'B' }], { index: 1, finishReason: 'MAX_TOKENS' }),
      candidate([{ text: 'A' }], { index: 0, finishReason: 'STOP' }),
    ]);
    const inOrder = generated([
      candidate([{ text: 'A' }]),
      candidate([{ text: 'B' }], { finishReason: 'MAX_TOKENS' }),
    ]);
    const choices = [
      { index: 0, message: { content: 'A' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'B' }, finish_reason: 'length' },
    ];

    expect((await completionFor(body)).completion).toMatchObject({ choices });
    expect((await completionFor(inOrder)).completion).toMatchObject({ choices });
    expect((await streamFor([body])).assembled).toMatchObject({ choices });
  });
});
