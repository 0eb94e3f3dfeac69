import { describe, expect, it } from 'vitest';
import { noFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { completionProblems } from '#test/support/openai-schema/validate.ts';
import { responseFacts, startChatWriter } from '#test/support/providers/provider-call.ts';

const common = {
  id: 'chatcmpl-019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02',
  object: 'chat.completion',
  created: 1_795_132_800,
  model: 'a-model',
};

function buildCompletion(write: (builder: CompletionWriter) => void) {
  const builder = startChatWriter();
  write(builder);
  builder.endWhole();
  const completion = parseJson(builder.take().toString());
  expect(completionProblems(completion)).toEqual([]);
  return { completion, facts: responseFacts(builder.facts) };
}

function choice(message: object, finish_reason: string, index = 0) {
  return {
    index,
    message: { role: 'assistant', content: null, refusal: null, ...message },
    logprobs: null,
    finish_reason,
  };
}

describe('createCompletionBuilder', () => {
  it('writes a call of a custom tool with its text, also without any', () => {
    const { completion } = buildCompletion((builder) => {
      const { toolCall, finish } = builder.choice(0);
      toolCall({ id: 'c1', name: 'patch', isCustom: true }).arguments(' *** Begin');
      toolCall({ id: 'c2', name: 'note', isCustom: true });
      finish('tool_calls');
    });
    const tool_calls = [
      { id: 'c1', type: 'custom', custom: { name: 'patch', input: ' *** Begin' } },
      { id: 'c2', type: 'custom', custom: { name: 'note', input: '' } },
    ];
    expect(completion).toEqual({ ...common, choices: [choice({ tool_calls }, 'tool_calls')] });
  });

  it('concatenates text and reasoning separately and keeps the latest usage', () => {
    const { completion, facts } = buildCompletion((builder) => {
      builder.identify({ id: 'msg_1', model: 'claude' });
      builder.billing({ usage: { ...noUsage, freshInputTokens: 1 } });
      const { text, reasoning, finish, begin } = builder.choice(0);
      begin();
      reasoning('Let me ');
      text('Hel');
      reasoning('see');
      text('lo 🙂');
      finish('stop');
      builder.billing({
        usage: {
          ...noUsage,
          freshInputTokens: 2,
          cachedInputTokens: 3,
          cacheWriteInputTokens: 4,
          cacheWrite1hInputTokens: 5,
          outputTokens: 6,
          reasoningTokens: 1,
        },
      });
    });
    expect(completion).toEqual({
      ...common,
      id: 'msg_1',
      model: 'claude',
      choices: [choice({ content: 'Hello 🙂', reasoning_content: 'Let me see' }, 'stop')],
      usage: {
        prompt_tokens: 14,
        completion_tokens: 6,
        total_tokens: 20,
        prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 1, audio_tokens: 0 },
      },
    });
    expect(facts).toMatchObject({
      ...noFacts,
      responseId: 'msg_1',
      responseModel: 'claude',
      usage: {
        ...noUsage,
        freshInputTokens: 2,
        cachedInputTokens: 3,
        cacheWriteInputTokens: 4,
        cacheWrite1hInputTokens: 5,
        outputTokens: 6,
        reasoningTokens: 1,
      },
      finishReason: 'stop',
    });
  });

  it('builds tool calls with their arguments, generated ids where missing, and null content', () => {
    const { completion } = buildCompletion((builder) => {
      const { toolCall, finish, text } = builder.choice(0);
      text('');
      const first = toolCall({ id: 'toolu_1', name: 'look', extra: { extra_content: { google: {} } } });
      const second = toolCall({ id: null, name: 'find' });
      first.arguments('{"a":');
      second.arguments('{"b":2}');
      first.arguments('1}');
      toolCall({ id: '', name: 'go' }).arguments('');
      finish('stop');
    });
    const call = (id: string, name: string, text: string) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    });
    expect(completion).toEqual({
      ...common,
      choices: [
        choice(
          {
            tool_calls: [
              { ...call('toolu_1', 'look', '{"a":1}'), extra_content: { google: {} } },
              call('call_8c007d2e9f3a5b6c7d8e9f02_0_1', 'find', '{"b":2}'),
              call('call_8c007d2e9f3a5b6c7d8e9f02_0_2', 'go', '{}'),
            ],
          },
          'tool_calls',
        ),
      ],
    });
  });

  it('keeps the arguments of a truncated tool call unchanged', () => {
    const { completion } = buildCompletion((builder) => {
      builder.choice(0).text('Well');
      builder.choice(0).toolCall({ id: 'c', name: 'f' });
      builder.choice(0).toolCall({ id: 'd', name: 'f' }).arguments('{"a');
      builder.choice(0).finish('length');
    });
    const calls = [
      { id: 'c', type: 'function', function: { name: 'f', arguments: '' } },
      { id: 'd', type: 'function', function: { name: 'f', arguments: '{"a' } },
    ];
    expect(completion).toMatchObject({ choices: [choice({ content: 'Well', tool_calls: calls }, 'length')] });
  });

  it.each<[string, (builder: CompletionWriter) => void, object, string]>([
    ['without content', ({ choice }) => choice(0).finish('stop'), { content: '' }, 'stop'],
    ['with a refusal', ({ choice }) => choice(0).refusal('No'), { refusal: 'No' }, 'stop'],
    [
      'blocked without a text',
      ({ choice }) => {
        choice(0).refusal('');
        choice(0).finish('content_filter');
      },
      { content: '' },
      'content_filter',
    ],
    [
      'with finish reason tool_calls but no tool call',
      ({ choice }) => choice(0).finish('tool_calls'),
      { content: '' },
      'stop',
    ],
    [
      'finished twice',
      ({ choice }) => {
        choice(0).finish('length');
        choice(0).finish('stop');
      },
      { content: '' },
      'length',
    ],
  ])("builds a completion %s in OpenAI's format", (_, write, message, reason) => {
    expect(buildCompletion(write).completion).toEqual({ ...common, choices: [choice(message, reason)] });
  });

  it('orders choices by index and records the finish reason of the first', () => {
    const { completion, facts } = buildCompletion((builder) => {
      builder.choice(10).text('c');
      builder.choice(2).text('b');
      builder.choice(0).text('a');
      builder.choice(10).finish('stop');
      builder.choice(2).finish('length');
      builder.choice(0).finish('content_filter');
    });
    expect(completion).toEqual({
      ...common,
      choices: [
        choice({ content: 'a' }, 'content_filter'),
        choice({ content: 'b' }, 'length', 2),
        choice({ content: 'c' }, 'stop', 10),
      ],
    });
    expect(facts.finishReason).toBe('content_filter');
  });

  it('concatenates arrays of extra fields, and keeps the last value of others', () => {
    const { completion } = buildCompletion((builder) => {
      const { extra, text } = builder.choice(0);
      extra({ thinking_blocks: [1], note: { a: 1 } });
      text('x');
      extra({ thinking_blocks: [2, 3], note: { b: 2 } });
    });
    const fields = { thinking_blocks: [1, 2, 3], note: { b: 2 } };
    expect(completion).toEqual({ ...common, choices: [choice({ content: 'x', ...fields }, 'stop')] });
  });

  it('copies extra fields named __proto__ and constructor as ordinary fields', () => {
    const builder = startChatWriter();
    builder.choice(0).extra(JSON.parse('{"__proto__":{"polluted":1},"constructor":[1]}'));
    builder.choice(0).extra(JSON.parse('{"__proto__":{"polluted":2},"constructor":[2]}'));
    builder.endWhole();
    expect(builder.take().toString()).toContain('"__proto__":{"polluted":2},"constructor":[1,2]');
    expect('polluted' in {}).toBe(false);
  });

  it('uses the generated id and the requested model when the provider sends none', () => {
    const { completion, facts } = buildCompletion((builder) => {
      builder.identify({ id: '', model: '' });
      builder.identify({ id: null });
      builder.choice(0).text('x');
    });
    expect(completion).toEqual({ ...common, choices: [choice({ content: 'x' }, 'stop')] });
    expect(facts.responseModel).toBeNull();
  });

  it('builds nothing without a choice', () => {
    const builder = startChatWriter();
    builder.billing({ usage: { ...noUsage, freshInputTokens: 5 } });
    builder.endWhole();
    expect(builder.take().toString()).toBe('');
    expect(builder.facts).toMatchObject({ ended: false, usage: { freshInputTokens: 5 } });
  });

  it('returns the first error and the usage when the provider failed', () => {
    const builder = startChatWriter();
    const error = new GatewayError('provider_error', { message: 'It gave up' });
    builder.choice(0).text('Half of');
    builder.fail(error);
    builder.fail(new GatewayError('provider_error', { message: 'Later' }));
    builder.billing({ usage: { ...noUsage, freshInputTokens: 5 } });
    builder.endWhole();
    expect(builder.take().toString()).toBe('');
    expect(builder.facts.error).toBe(error);
    expect(builder.facts.usage).toEqual({ ...noUsage, freshInputTokens: 5 });
  });
});
