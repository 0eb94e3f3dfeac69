import { describe, expect, it } from 'vitest';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { streamProblems } from '#test/support/openai-schema/validate.ts';
import { startChatWriter } from '#test/support/providers/provider-call.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

const common = {
  id: 'chatcmpl-019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02',
  object: 'chat.completion.chunk',
  created: 1_795_132_800,
  model: 'a-model',
};

const usage = { ...noUsage, freshInputTokens: 9, cachedInputTokens: 4, outputTokens: 3, reasoningTokens: 1 };
const openAiUsage = {
  prompt_tokens: 13,
  completion_tokens: 3,
  total_tokens: 16,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 1, audio_tokens: 0 },
};

function startStream({ includeUsage = false } = {}): CompletionWriter {
  const options = includeUsage ? { stream_options: { include_usage: true } } : {};
  return startChatWriter({ stream: true, ...options });
}

interface ChunkOverrides extends Record<string, unknown> {
  index?: number;
  reason?: string;
}

function chunk(delta: object, { index = 0, reason, ...rest }: ChunkOverrides = {}) {
  return { ...common, choices: [{ index, delta, logprobs: null, finish_reason: reason ?? null }], ...rest };
}

/** Returns the parsed chunks of an event stream; data that is not JSON stays a string. */
const parseChunks = (text: string) => eventData(text).map((data) => parseJson(data) ?? data);

function endStream(stream: CompletionWriter) {
  stream.end();
  const text = stream.take().toString();
  expect(streamProblems(text)).toEqual([]);
  return parseChunks(text);
}

describe('createCompletionStream', () => {
  it('sends the role once, each text in its own chunk, then the finish reason and [DONE]', () => {
    const stream = startStream();
    const choice = stream.choice(0);
    choice.begin();
    choice.text('Hel');
    choice.begin();
    stream.choice(0).text('lo');
    choice.finish('stop');
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, { reason: 'stop' }),
      '[DONE]',
    ]);
  });

  it('writes a call of a custom tool with its text as it comes, also without any', () => {
    const stream = startStream();
    const choice = stream.choice(0);
    const call = choice.toolCall({ id: 'c1', name: 'patch', isCustom: true });
    call.arguments('\n');
    call.arguments('*** Begin');
    choice.toolCall({ id: 'c2', name: 'note', isCustom: true });
    choice.finish('tool_calls');
    stream.end();
    const delta = (index: number, change: object) => chunk({ tool_calls: [{ index, ...change }] });
    const opened = (name: string) => ({ type: 'custom', custom: { name, input: '' } });
    expect(parseChunks(stream.take().toString())).toEqual([
      chunk({
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: 'c1', ...opened('patch') }],
      }),
      delta(0, { custom: { input: '\n' } }),
      delta(0, { custom: { input: '*** Begin' } }),
      delta(1, { id: 'c2', ...opened('note') }),
      chunk({}, { reason: 'tool_calls' }),
      '[DONE]',
    ]);
  });

  it('writes an event as one data line and a blank line', () => {
    const stream = startStream();
    stream.choice(0).text('a\nb 🙂');
    expect(stream.take().toString()).toBe(
      `data: ${JSON.stringify(chunk({ role: 'assistant', content: 'a\nb 🙂' }))}\n\n`,
    );
  });

  it('returns each chunk once, as soon as it was written', () => {
    const stream = startStream();
    stream.choice(0).text('a');
    expect(parseChunks(stream.take().toString())).toEqual([chunk({ role: 'assistant', content: 'a' })]);
    expect(stream.take().length).toBe(0);
    stream.choice(0).text('b');
    expect(parseChunks(stream.take().toString())).toEqual([chunk({ content: 'b' })]);
  });

  it('sends reasoning, refusals and extra fields in separate deltas', () => {
    const stream = startStream();
    const choice = stream.choice(0);
    choice.reasoning('Hm');
    choice.extra({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] });
    choice.refusal('No');
    choice.finish('content_filter');
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: '', reasoning_content: 'Hm' }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] }),
      chunk({ refusal: 'No' }),
      chunk({}, { reason: 'content_filter' }),
      '[DONE]',
    ]);
  });

  it('omits empty text, reasoning and refusals', () => {
    const stream = startStream();
    const choice = stream.choice(0);
    for (const write of [choice.text, choice.reasoning, choice.refusal]) write('');
    expect([stream.take().length, stream.facts.started]).toEqual([0, false]);
  });

  it('numbers tool calls from 0, sends id, type and name once, and generates missing ids', () => {
    const stream = startStream();
    const choice = stream.choice(0);
    const first = choice.toolCall({ id: 'toolu_1', name: 'look', extra: { extra_content: { google: {} } } });
    first.arguments('{"a":');
    const second = choice.toolCall({ name: 'find' });
    second.arguments('{"b":1}');
    first.arguments('1}');
    choice.toolCall({ id: '', name: 'go' }).arguments('');
    choice.finish('stop');
    const call = (index: number, change: object) => chunk({ tool_calls: [{ index, ...change }] });
    expect(endStream(stream)).toEqual([
      chunk({
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            index: 0,
            id: 'toolu_1',
            type: 'function',
            function: { name: 'look', arguments: '' },
            extra_content: { google: {} },
          },
        ],
      }),
      call(0, { function: { arguments: '{"a":' } }),
      call(1, {
        id: 'call_8c007d2e9f3a5b6c7d8e9f02_0_1',
        type: 'function',
        function: { name: 'find', arguments: '' },
      }),
      call(1, { function: { arguments: '{"b":1}' } }),
      call(0, { function: { arguments: '1}' } }),
      call(2, {
        id: 'call_8c007d2e9f3a5b6c7d8e9f02_0_2',
        type: 'function',
        function: { name: 'go', arguments: '' },
      }),
      call(2, { function: { arguments: '{}' } }),
      chunk({}, { reason: 'tool_calls' }),
      '[DONE]',
    ]);
  });

  it.each(['length', 'content_filter'] as const)(
    'does not complete the arguments of a tool call truncated by %s',
    (reason) => {
      const stream = startStream();
      stream.choice(0).toolCall({ id: 'c', name: 'f' });
      stream.choice(0).finish(reason);
      expect(endStream(stream).slice(1)).toEqual([chunk({}, { reason }), '[DONE]']);
    },
  );

  it('accepts interleaved choices, each with its own role, calls and finish reason', () => {
    const stream = startStream();
    stream.choice(1).text('b');
    stream.choice(0).toolCall({ id: 'x', name: 'f' }).arguments('{}');
    stream.choice(1).finish('length');
    stream.choice(0).text('a');
    stream.choice(0).finish('stop');
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: 'b' }, { index: 1 }),
      chunk({
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
      chunk({ content: 'a' }),
      chunk({}, { reason: 'tool_calls' }),
      chunk({}, { index: 1, reason: 'length' }),
      '[DONE]',
    ]);
    expect(stream.facts.finishReason).toBe('tool_calls');
  });

  it('sends text written after finish before the finish reason, and keeps the first reason', () => {
    const stream = startStream();
    const choice = stream.choice(0);
    choice.finish('length');
    choice.text('more');
    choice.finish('stop');
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: 'more' }),
      chunk({}, { reason: 'length' }),
      '[DONE]',
    ]);
  });

  it('sends a role and a finish reason for an empty completion', () => {
    const stream = startStream();
    stream.choice(0).finish('stop');
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({}, { reason: 'stop' }),
      '[DONE]',
    ]);
  });

  it("sends the provider's first id and model in every chunk", () => {
    const stream = startStream();
    stream.identify({ id: '', model: '' });
    stream.identify({ id: 'msg_1', model: 'claude' });
    stream.identify({ model: null });
    stream.choice(0).text('a');
    stream.identify({ id: 'msg_2', model: 'other' });
    stream.choice(0).finish('stop');
    const identity = { id: 'msg_1', model: 'claude' };
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: 'a' }, identity),
      chunk({}, { reason: 'stop', ...identity }),
      '[DONE]',
    ]);
  });
});

describe('createCompletionStream usage', () => {
  it('sends the latest usage in a final chunk when it was requested', () => {
    const stream = startStream({ includeUsage: true });
    stream.billing({ usage: { ...usage, outputTokens: 1 } });
    stream.choice(0).text('a');
    stream.billing({ usage });
    stream.choice(0).finish('stop');
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: 'a' }, { usage: null }),
      chunk({}, { reason: 'stop', usage: null }),
      { ...common, choices: [], usage: openAiUsage },
      '[DONE]',
    ]);
    expect(stream.facts.usage).toEqual(usage);
  });

  it('records usage without sending it when it was not requested', () => {
    const stream = startStream();
    stream.choice(0).text('a');
    stream.billing({ usage });
    stream.choice(0).finish('stop');
    expect(endStream(stream)).toEqual([
      chunk({ role: 'assistant', content: 'a' }),
      chunk({}, { reason: 'stop' }),
      '[DONE]',
    ]);
    expect(stream.facts.usage).toEqual(usage);
  });

  it('sends no usage when the provider reported none', () => {
    const stream = startStream({ includeUsage: true });
    stream.choice(0).finish('stop');
    expect(endStream(stream).at(-2)).toEqual(chunk({}, { reason: 'stop', usage: null }));
  });
});

describe('createCompletionStream errors', () => {
  const error = new GatewayError('provider_unavailable', { message: 'Overloaded' });

  it('writes nothing after a failure, not even on end()', () => {
    const stream = startStream({ includeUsage: true });
    const choice = stream.choice(0);
    choice.text('a');
    stream.fail(error);
    stream.fail(new GatewayError('provider_error', { message: 'Later' }));
    choice.text('b');
    choice.toolCall({ name: 'f' }).arguments('{}');
    stream.choice(1).begin();
    choice.finish('stop');
    stream.choice(1).finish('stop');
    stream.end();
    expect(parseChunks(stream.take().toString())).toEqual([
      chunk({ role: 'assistant', content: 'a' }, { usage: null }),
    ]);
    expect(stream.facts).toMatchObject({ error, ended: false, started: true });
  });

  it('does not start the stream when it fails first, so that the failure can become an HTTP error', () => {
    const stream = startStream();
    stream.fail(error);
    expect(stream.facts).toMatchObject({ error, started: false });
  });

  it.each<[string, (stream: CompletionWriter) => void]>([
    ['it has no choice', () => {}],
    ['its choice has no finish reason', (stream) => stream.choice(0).text('a')],
    [
      'one of its choices has no finish reason',
      (stream) => {
        stream.choice(0).finish('stop');
        stream.choice(1).text('a');
      },
    ],
  ])('does not complete the stream when %s', (_, write) => {
    const stream = startStream();
    write(stream);
    stream.end();
    expect(stream.take().toString()).not.toMatch(/DONE|"finish_reason":"/);
    expect(stream.facts.finished).toBe(false);
  });

  it('ignores text and failures after the stream is complete', () => {
    const stream = startStream();
    stream.choice(0).finish('stop');
    stream.end();
    const before = stream.take().toString();
    stream.fail(error);
    stream.choice(0).text('late');
    stream.end();
    expect(stream.take().length).toBe(0);
    expect(before.match(/\[DONE\]/g)).toHaveLength(1);
    expect(stream.facts).toMatchObject({ error: null, finished: true });
  });

  it('keeps a finish reason written before the failure in the facts', () => {
    const stream = startStream();
    stream.choice(0).text('a');
    stream.choice(0).finish('length');
    stream.fail(error);
    expect(stream.facts.finishReason).toBe('length');
  });
});
