import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { completionFor, streamFor } from '#test/support/providers/anthropic/call.ts';

const identity = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' };
const usage = { input_tokens: 9, output_tokens: 3 };

const message = (differences: JsonObject = {}) => ({
  ...identity,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage,
  ...differences,
});
const started = { type: 'message_start', message: message({ content: [], stop_reason: null }) };
const ended = (differences: JsonObject = {}) => [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', ...differences }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
];
const block = (index: number, content_block: JsonObject, ...deltas: JsonObject[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const toolUse = (input: unknown = {}) => ({ type: 'tool_use', id: 'toolu_1', name: 'weather', input });
const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

describe('a message of Claude', () => {
  it('has its own id and model, its usage and its finish', async () => {
    const { facts, ...answer } = await completionFor(message());

    expect(answer).toMatchObject({
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
    ['one of the future', 'stop'],
    [null, 'stop'],
  ])('that stopped with %s finishes with %s', async (stop_reason, finishReason) => {
    expect(await completionFor(message({ stop_reason }))).toMatchObject({ finishReason });
  });

  it('keeps the digits of what a tool is called with', async () => {
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
    ['without pieces', [], '{}'],
    ['with an empty piece only', [json('')], '{}'],
    ['with all of it at the start', [], '{"city":"Oslo"}', { city: 'Oslo' }],
    ['in pieces, whatever the start says', [json('{"city":'), json('"Oslo"}')], '{"city":"Oslo"}', { a: 1 }],
  ])('calls a tool %s', async (_, deltas, text, input = {}) => {
    const { message: said, finishReason } = await streamFor([
      started,
      ...block(0, toolUse(input), ...deltas),
      ...ended({ stop_reason: 'tool_use' }),
    ]);

    expect(said.tool_calls).toEqual([
      { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: text } },
    ]);
    expect(finishReason).toBe('tool_calls');
  });

  it('does not make a call look whole that was cut off', async () => {
    const cut = [started, ...block(0, toolUse(), json('')), ...ended({ stop_reason: 'max_tokens' })];
    const calls = [{ id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '' } }];

    expect((await streamFor(cut)).message.tool_calls).toEqual(calls);
    const whole = message({ content: [toolUse()], stop_reason: 'max_tokens' });
    expect((await completionFor(whole)).message.tool_calls).toEqual(calls);
  });

  it('takes what stands at the start of a block, and joins what comes after', async () => {
    const { message: said } = await streamFor([
      started,
      ...block(
        0,
        { type: 'thinking', thinking: 'H', signature: 'a' },
        { type: 'thinking_delta', thinking: 'm' },
        { type: 'signature_delta', signature: 'b' },
      ),
      ...block(1, { type: 'text', text: 'Hel' }, { type: 'text_delta', text: 'lo' }),
      ...ended(),
    ]);

    expect(said).toEqual({
      role: 'assistant',
      content: 'Hello',
      reasoning_content: 'Hm',
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'ab' }],
    });
  });

  it('gives thoughts that are signed without being told, to be given back', async () => {
    const content = [{ type: 'thinking', thinking: '', signature: 'c2ln' }];

    expect((await completionFor(message({ content }))).message).toEqual({
      role: 'assistant',
      content: '',
      refusal: null,
      thinking_blocks: content,
    });
  });

  it.each<[string, JsonObject]>([
    ['words', { type: 'text', text: 'Hm.' }],
    ['calls', toolUse()],
    ['searches', { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }],
  ])(
    'gives back only the thoughts that it begins with: where others stood among %s is lost',
    async (_, between) => {
      const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: `of ${thinking}` });
      const redacted = { type: 'redacted_thinking', data: 'cmVk' };
      const content = [
        { type: 'text', text: '\n\n' },
        ...[thought('One'), redacted, between, thought('Two'), redacted],
        { type: 'text', text: 'Yes' },
      ];
      const streamed = await streamFor([
        started,
        ...content.flatMap((content_block, index) => block(index, content_block)),
        ...ended(),
      ]);

      const said = { reasoning_content: 'OneTwo', thinking_blocks: [thought('One'), redacted] };
      expect((await completionFor(message({ content }))).message).toMatchObject(said);
      expect(streamed.message).toMatchObject(said);
    },
  );

  it('passes over what it does not know', async () => {
    const { text, message: said } = await streamFor([
      started,
      { type: 'event_of_the_future', delta: 1 },
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta' } },
      { type: 'content_block_delta', index: 7 },
      { type: 'content_block_stop', index: 7 },
      ...block(0, { type: 'block_of_the_future', text: 'no' }, { type: 'delta_of_the_future', text: 'no' }),
      ...block(1, { type: 'text', text: '' }, { type: 'citations_delta', citation: { cited_text: 'no' } }),
      ...block(2, { type: 'text', text: 'Yes' }),
      ...ended(),
    ]);

    expect(said).toEqual({ role: 'assistant', content: 'Yes' });
    expect(text).not.toContain('no');
  });
});

describe('a stream of Claude', () => {
  it('is whole without its last event once it said why it stopped', async () => {
    const { done, facts } = await streamFor([started, ...ended().slice(0, 1)]);

    expect({ done, complete: facts.complete }).toEqual({ done: true, complete: true });
  });

  it.each([
    ['it breaks off', [started, ...block(0, { type: 'text', text: 'Hi' })]],
    ['it ends without a reason', [started, ...ended({ stop_reason: null })]],
    ['it has nothing', []],
  ])('is not whole when %s', async (_, events) => {
    const { done, facts, finishReason } = await streamFor(events);

    expect({ done, complete: facts.complete, finishReason }).toEqual({
      done: false,
      complete: false,
      finishReason: null,
    });
  });

  it('lets its head out when it begins', async () => {
    const { text } = await streamFor([started]);

    expect(text).toContain('"delta":{"role":"assistant","content":""}');
  });

  it('passes nothing on after an error in it', async () => {
    const { text, facts } = await streamFor([
      started,
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ...block(0, { type: 'text', text: 'Late' }),
      ...ended(),
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

describe('what is no message', () => {
  it.each(['null', '[]', '{}', '{"type":"message"}', '<html>', ''])('is an error: %s', async (text) => {
    await expect(completionFor(text)).rejects.toMatchObject({
      code: 'provider_error',
      message: 'The provider anthropic did not answer with a message',
    });
  });

  it('may be an error that came with a good status', async () => {
    const error = { type: 'rate_limit_error', message: 'Too many' };

    await expect(completionFor({ type: 'error', error })).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      message: 'Too many',
    });
  });

  it('may be an empty one, which is an answer without words', async () => {
    const answer = await completionFor(message({ content: [], usage: null }));

    expect(answer.message).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(answer.facts.usage).toBeNull();
  });
});

describe('a refusal', () => {
  const refused = (category: string | null, content: JsonObject[] = []) =>
    message({
      content,
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category, explanation: 'It may do harm.' },
    });

  it('says why', async () => {
    expect(await completionFor(refused('cyber'))).toMatchObject({
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
  ])('of the kind %s that comes before any word costs %s', async (category, cost) => {
    expect((await completionFor(refused(category))).facts.reportedCostUsd).toBe(cost);
  });

  it('in the middle costs what was said', async () => {
    const { facts } = await completionFor(refused('cyber', [{ type: 'text', text: 'Well' }]));

    expect(facts.reportedCostUsd).toBeNull();
  });
});

describe('usage', () => {
  const message = (usage: unknown) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' },
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage,
  });

  async function usageFrom(usage: unknown) {
    return (await completionFor(message(usage))).facts.usage;
  }

  describe('the usage of a message', () => {
    it('has buckets that do not overlap', async () => {
      const counted = await usageFrom({
        input_tokens: 10,
        cache_read_input_tokens: 200,
        cache_creation_input_tokens: 3_000,
        cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 30 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      });

      expect(counted).toEqual({
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
      ['nothing of the time', { cache_creation_input_tokens: 7 }, [7, 0]],
      ['nothing of the time, with a null', { cache_creation_input_tokens: 7, cache_creation: null }, [7, 0]],
      [
        'no total',
        { cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } },
        [3, 4],
      ],
      [
        'more for an hour than in all',
        { cache_creation_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 9 } },
        [0, 7],
      ],
      ['nulls', { cache_creation_input_tokens: null, cache_creation: null }, [0, 0]],
    ])('counts what was written to the cache, where it says %s', async (_, said, expected) => {
      const counted = await usageFrom({ input_tokens: 1, output_tokens: 1, ...said });

      expect([counted?.cacheWriteInputTokens, counted?.cacheWrite1hInputTokens]).toEqual(expected);
    });

    it.each([undefined, null, [], {}, { input_tokens: null }, { input_tokens: '9' }])(
      'is unknown where nothing is counted: %j',
      async (usage) => {
        expect(await usageFrom(usage)).toBeNull();
      },
    );

    it('has what shortening the conversation took, which stands in no total', async () => {
      const counted = await usageFrom({
        input_tokens: 23_000,
        output_tokens: 1_000,
        iterations: [
          { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
          { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
        ],
      });

      expect(counted).toEqual({ ...noUsage, freshInputTokens: 203_000, outputTokens: 4_500 });
    });
  });

  describe('the usage of a stream', () => {
    const stream = (first: unknown, ...later: unknown[]) => [
      { type: 'message_start', message: { ...message(first), content: [], stop_reason: null } },
      ...later.map((usage) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })),
      { type: 'message_stop' },
    ];

    it('grows, and the last word counts', async () => {
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
      'keeps what the start said where the end says nothing: %j',
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

    it('is known up to where it broke off', async () => {
      const { facts } = await streamFor(stream({ input_tokens: 10, output_tokens: 1 }).slice(0, 1));

      expect(facts.usage).toEqual({ ...noUsage, freshInputTokens: 10, outputTokens: 1 });
    });
  });
});
