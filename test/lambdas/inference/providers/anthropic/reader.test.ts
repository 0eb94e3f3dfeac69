import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
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

    expect({ done, complete: facts.complete }).toEqual({ done: true, complete: true });
  });

  it.each([
    ['it is truncated', [messageStart, ...block(0, { type: 'text', text: 'Hi' })]],
    ['it ends without a stop_reason', [messageStart, ...messageEnd({ stop_reason: null })]],
    ['it is empty', []],
  ])('does not complete a stream when %s', async (_, events) => {
    const { done, facts, finishReason } = await streamFor(events);

    expect({ done, complete: facts.complete, finishReason }).toEqual({
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
        message: 'The response of the provider anthropic contains no message',
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
  const refusalMessage = (category: string | null, content: JsonObject[] = []) =>
    message({
      content,
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category, explanation: 'It may do harm.' },
    });

  it('returns the explanation as refusal', async () => {
    expect(await completionFor(refusalMessage('cyber'))).toMatchObject({
      message: { content: null, refusal: 'It may do harm.' },
      finishReason: 'content_filter',
    });
  });

  it.each([
    ['cyber', '0'],
    [null, '0'],
    ['bio', null],
    ['frontier_llm', null],
    ['reasoning_extraction', null],
  ])('reports the cost of a refusal of category %s before any output as %s', async (category, cost) => {
    expect((await completionFor(refusalMessage(category))).facts.reportedCostUsd).toBe(cost);
  });

  it('reports no cost for a refusal after some output', async () => {
    const { facts } = await completionFor(refusalMessage('cyber', [{ type: 'text', text: 'Well' }]));

    expect(facts.reportedCostUsd).toBeNull();
  });
});

describe('Anthropic usage', () => {
  const message = (usage: unknown) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' },
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage,
  });

  async function usageFrom(usage: unknown) {
    return (await completionFor(message(usage))).facts.usage;
  }

  describe('in messages', () => {
    it('splits tokens into disjoint buckets', async () => {
      const actual = await usageFrom({
        input_tokens: 10,
        cache_read_input_tokens: 200,
        cache_creation_input_tokens: 3_000,
        cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 30 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      });

      expect(actual).toEqual({
        ...noUsage,
        freshInputTokens: 10,
        cachedInputTokens: 200,
        cacheWriteInputTokens: 1_000,
        cacheWrite1hInputTokens: 2_000,
        outputTokens: 40,
        reasoningTokens: 30,
        webSearches: 2,
      });
    });

    it.each([
      ['only a total', { cache_creation_input_tokens: 7 }, [7, 0]],
      ['only a total, with null details', { cache_creation_input_tokens: 7, cache_creation: null }, [7, 0]],
      [
        'only details',
        { cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } },
        [3, 4],
      ],
      [
        'more 1-hour writes than the total',
        { cache_creation_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 9 } },
        [0, 7],
      ],
      ['nulls', { cache_creation_input_tokens: null, cache_creation: null }, [0, 0]],
    ])('reads cache writes with %s', async (_, reported, expected) => {
      const actual = await usageFrom({ input_tokens: 1, output_tokens: 1, ...reported });

      expect([actual?.cacheWriteInputTokens, actual?.cacheWrite1hInputTokens]).toEqual(expected);
    });

    it.each([undefined, null, [], {}, { input_tokens: null }, { input_tokens: '9' }])(
      'returns null for usage %j',
      async (usage) => {
        expect(await usageFrom(usage)).toBeNull();
      },
    );

    it('adds the tokens of compaction iterations, which the totals omit', async () => {
      const actual = await usageFrom({
        input_tokens: 23_000,
        output_tokens: 1_000,
        iterations: [
          { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
          { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
        ],
      });

      expect(actual).toEqual({ ...noUsage, freshInputTokens: 203_000, outputTokens: 4_500 });
    });
  });

  describe('in streams', () => {
    const stream = (first: unknown, ...later: unknown[]) => [
      { type: 'message_start', message: { ...message(first), content: [], stop_reason: null } },
      ...later.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
      { type: 'message_stop' },
    ];

    it('keeps the latest usage count of each field', async () => {
      const { facts, usage } = await streamFor(
        stream(
          { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5 },
          { output_tokens: 20 },
          { input_tokens: 900, output_tokens: 40, server_tool_use: { web_search_requests: 1 } },
        ),
      );

      expect(facts.usage).toEqual({
        ...noUsage,
        freshInputTokens: 900,
        cachedInputTokens: 5,
        outputTokens: 40,
        webSearches: 1,
      });
      expect(usage).toMatchObject({ prompt_tokens: 905, completion_tokens: 40, total_tokens: 945 });
    });

    it.each([null, undefined, { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 }])(
      'keeps the usage of message_start when message_delta has %j',
      async (end) => {
        const { facts } = await streamFor(
          stream({ input_tokens: 10, output_tokens: 7, cache_read_input_tokens: 5 }, end),
        );

        expect(facts.usage).toEqual({
          ...noUsage,
          freshInputTokens: 10,
          cachedInputTokens: 5,
          outputTokens: 7,
        });
      },
    );

    it('reads the usage of a truncated stream', async () => {
      const { facts } = await streamFor(stream({ input_tokens: 10, output_tokens: 1 }).slice(0, 1));

      expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: 10, outputTokens: 1 });
    });
  });
});
