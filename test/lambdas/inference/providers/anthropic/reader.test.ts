import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { completionFor, streamFor } from '#test/support/providers/anthropic/call.ts';

const identity = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' };
const usage = { input_tokens: 9, output_tokens: 3 };

const message = (overrides: JsonObject = {}) => ({
  ...identity,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage,
  ...overrides,
});
const messageStart = { type: 'message_start', message: message({ content: [], stop_reason: null }) };
const messageEnd = (overrides: JsonObject = {}) => [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', ...overrides }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
];
const block = (index: number, content_block: JsonObject, ...deltas: JsonObject[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const toolUse = (input: unknown = {}) => ({ type: 'tool_use', id: 'toolu_1', name: 'weather', input });
const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

describe('Anthropic messages', () => {
  it('translates id, model, usage and finish reason of a message', async () => {
    const { facts, ...completion } = await completionFor(message());

    expect(completion).toMatchObject({
      id: 'msg_1',
      model: 'claude-haiku-4-5-20251001',
      message: { role: 'assistant', content: 'Hi' },
      finishReason: 'stop',
      usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    });
    expect(facts).toMatchObject({
      responseModel: 'claude-haiku-4-5-20251001',
      finishReason: 'stop',
      reportedCostUsd: null,
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['tool_use', 'stop'],
    ['future_reason', 'stop'],
    [null, 'stop'],
  ])('maps stop_reason %s to %s', async (stop_reason, finishReason) => {
    expect(await completionFor(message({ stop_reason }))).toMatchObject({ finishReason });
  });

  it('preserves the digits of numbers in tool input', async () => {
    const call =
      '{"type":"tool_use","id":"toolu_1","name":"weather","input":{"big":9007199254740993,"one":1.0}}';
    const text = JSON.stringify(message({ content: ['call'], stop_reason: 'tool_use' })).replace(
      '"call"',
      call,
    );

    expect((await completionFor(text)).message.tool_calls).toEqual([
      {
        id: 'toolu_1',
        type: 'function',
        function: { name: 'weather', arguments: '{"big":9007199254740993,"one":1.0}' },
      },
    ]);
  });

  it.each<[string, JsonObject[], string, JsonObject?]>([
    ['without deltas', [], '{}'],
    ['from a single empty delta', [json('')], '{}'],
    ['from the start event', [], '{"city":"Oslo"}', { city: 'Oslo' }],
    [
      'from deltas, ignoring the start event',
      [json('{"city":'), json('"Oslo"}')],
      '{"city":"Oslo"}',
      { a: 1 },
    ],
  ])('reads the input of a streamed tool call %s', async (_, deltas, text, input = {}) => {
    const { message: translated, finishReason } = await streamFor([
      messageStart,
      ...block(0, toolUse(input), ...deltas),
      ...messageEnd({ stop_reason: 'tool_use' }),
    ]);

    expect(translated.tool_calls).toEqual([
      { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: text } },
    ]);
    expect(finishReason).toBe('tool_calls');
  });

  it('does not complete the arguments of a truncated tool call', async () => {
    const truncated = [
      messageStart,
      ...block(0, toolUse(), json('')),
      ...messageEnd({ stop_reason: 'max_tokens' }),
    ];
    const calls = [{ id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '' } }];

    expect((await streamFor(truncated)).message.tool_calls).toEqual(calls);
    const truncatedMessage = message({ content: [toolUse()], stop_reason: 'max_tokens' });
    expect((await completionFor(truncatedMessage)).message.tool_calls).toEqual(calls);
  });

  it('appends deltas to the content of the start event', async () => {
    const { message: translated } = await streamFor([
      messageStart,
      ...block(
        0,
        { type: 'thinking', thinking: 'H', signature: 'a' },
        { type: 'thinking_delta', thinking: 'm' },
        { type: 'signature_delta', signature: 'b' },
      ),
      ...block(1, { type: 'text', text: 'Hel' }, { type: 'text_delta', text: 'lo' }),
      ...messageEnd(),
    ]);

    expect(translated).toEqual({
      role: 'assistant',
      content: 'Hello',
      reasoning_content: 'Hm',
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'ab' }],
    });
  });

  it('returns thinking blocks that have a signature but no text', async () => {
    const content = [{ type: 'thinking', thinking: '', signature: 'c2ln' }];

    expect((await completionFor(message({ content }))).message).toEqual({
      role: 'assistant',
      content: '',
      refusal: null,
      thinking_blocks: content,
    });
  });

  it.each<[string, JsonObject]>([
    ['text', { type: 'text', text: 'Hm.' }],
    ['tool calls', toolUse()],
    ['server tool calls', { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }],
  ])(
    'returns only leading thinking blocks, because the position of others among %s is lost',
    async (_, between) => {
      const thinkingBlock = (thinking: string) => ({
        type: 'thinking',
        thinking,
        signature: `of ${thinking}`,
      });
      const redacted = { type: 'redacted_thinking', data: 'cmVk' };
      const content = [
        { type: 'text', text: '\n\n' },
        ...[thinkingBlock('One'), redacted, between, thinkingBlock('Two'), redacted],
        { type: 'text', text: 'Yes' },
      ];
      const streamed = await streamFor([
        messageStart,
        ...content.flatMap((content_block, index) => block(index, content_block)),
        ...messageEnd(),
      ]);

      const expected = { reasoning_content: 'OneTwo', thinking_blocks: [thinkingBlock('One'), redacted] };
      expect((await completionFor(message({ content }))).message).toMatchObject(expected);
      expect(streamed.message).toMatchObject(expected);
    },
  );

  it('ignores unknown events, blocks and deltas', async () => {
    const { text, message: translated } = await streamFor([
      messageStart,
      { type: 'event_of_the_future', delta: 1 },
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta' } },
      { type: 'content_block_delta', index: 7 },
      { type: 'content_block_stop', index: 7 },
      ...block(0, { type: 'block_of_the_future', text: 'no' }, { type: 'delta_of_the_future', text: 'no' }),
      ...block(1, { type: 'text', text: '' }, { type: 'citations_delta', citation: { cited_text: 'no' } }),
      ...block(2, { type: 'text', text: 'Yes' }),
      ...messageEnd(),
    ]);

    expect(translated).toEqual({ role: 'assistant', content: 'Yes' });
    expect(text).not.toContain('no');
  });
});

describe('Anthropic streams', () => {
  it('completes a stream after stop_reason, even without message_stop', async () => {
    const { done, facts } = await streamFor([messageStart, ...messageEnd().slice(0, 1)]);

    expect({ done, complete: facts.finished }).toEqual({ done: true, complete: true });
  });

  it.each([
    ['it is truncated', [messageStart, ...block(0, { type: 'text', text: 'Hi' })]],
    ['it ends without a stop_reason', [messageStart, ...messageEnd({ stop_reason: null })]],
    ['it is empty', []],
  ])('does not complete a stream when %s', async (_, events) => {
    const { done, facts, finishReason } = await streamFor(events);

    expect({ done, complete: facts.finished, finishReason }).toEqual({
      done: false,
      complete: false,
      finishReason: null,
    });
  });

  it('sends the role on message_start', async () => {
    const { text } = await streamFor([messageStart]);

    expect(text).toContain('"delta":{"role":"assistant","content":""}');
  });

  it('reports a stream error and sends nothing after it', async () => {
    const { text, facts } = await streamFor([
      messageStart,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ...block(0, { type: 'text', text: 'Late' }),
      ...messageEnd(),
    ]);

    expect(text).not.toContain('Late');
    expect(facts.error).toMatchObject({
      status: 503,
      code: 'provider_unavailable',
      message: 'Overloaded',
      providerCode: 'overloaded_error',
    });
  });
});

describe('Anthropic responses that are not messages', () => {
  it.each(['null', '[]', '{}', '{"type":"message"}', '<html>', ''])(
    'throws provider_error for the body %s',
    async (text) => {
      await expect(completionFor(text)).rejects.toMatchObject({
        code: 'provider_error',
        message: 'The response of the provider anthropic contains no completion',
      });
    },
  );

  it('throws the error of a response with status 200', async () => {
    const error = { type: 'rate_limit_error', message: 'Too many' };

    await expect(completionFor({ type: 'error', error })).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      message: 'Too many',
    });
  });

  it('translates a message without content to an empty completion', async () => {
    const completion = await completionFor(message({ content: [], usage: null }));

    expect(completion.message).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(completion.facts.usage).toBeNull();
  });
});

describe('Anthropic refusals', () => {
  it('returns the explanation as refusal', async () => {
    const refusal = message({
      content: [],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: 'cyber', explanation: 'It may do harm.' },
    });

    expect(await completionFor(refusal)).toMatchObject({
      message: { content: null, refusal: 'It may do harm.' },
      finishReason: 'content_filter',
    });
  });
});
