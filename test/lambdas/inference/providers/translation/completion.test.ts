import { describe, expect, it } from 'vitest';
import {
  type CompletionBuilder,
  createCompletionBuilder,
} from '#lambdas/inference/providers/translation/completion.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { completionProblems } from '#test/support/openai-schema/openai-schema.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

const common = {
  id: 'chatcmpl-019b7a4c-8c00-7d2e-9f3a-5b6c7d8e9f02',
  object: 'chat.completion',
  created: 1_795_132_800,
  model: 'a-model',
};

function answerOf(write: (completion: CompletionBuilder) => void) {
  const completion = createCompletionBuilder(providerCall({}));
  write(completion);
  const { body, facts } = completion.build();
  const answer = parseJson(body.toString());
  expect(completionProblems(answer)).toEqual([]);
  return { answer, facts };
}

function choice(message: object, finish_reason: string, index = 0) {
  return {
    index,
    message: { role: 'assistant', content: null, refusal: null, ...message },
    logprobs: null,
    finish_reason,
  };
}

describe('a whole answer', () => {
  it('has its pieces joined, each kind by itself', () => {
    const { answer, facts } = answerOf((completion) => {
      completion.identify({ id: 'msg_1', model: 'claude' });
      completion.usage({ ...noUsage, freshInputTokens: 1 });
      const { text, reasoning, finish, begin } = completion.choice(0);
      begin();
      reasoning('Let me ');
      text('Hel');
      reasoning('see');
      text('lo 🙂');
      finish('stop');
      completion.usage({
        ...noUsage,
        freshInputTokens: 2,
        cachedInputTokens: 3,
        cacheWriteInputTokens: 4,
        cacheWrite1hInputTokens: 5,
        outputTokens: 6,
        reasoningTokens: 1,
      });
    });
    expect(answer).toEqual({
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
    expect(facts).toEqual({
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
      reportedCostUsd: null,
      finishReason: 'stop',
    });
  });

  it('has tool calls with their arguments, made-up ids where there are none, and null for text', () => {
    const { answer } = answerOf((completion) => {
      const { toolCall, finish, text } = completion.choice(0);
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
    expect(answer).toEqual({
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

  it('keeps a call that was cut off as it is', () => {
    const { answer } = answerOf((completion) => {
      completion.choice(0).text('Well');
      completion.choice(0).toolCall({ id: 'c', name: 'f' });
      completion.choice(0).toolCall({ id: 'd', name: 'f' }).arguments('{"a');
      completion.choice(0).finish('length');
    });
    const calls = [
      { id: 'c', type: 'function', function: { name: 'f', arguments: '' } },
      { id: 'd', type: 'function', function: { name: 'f', arguments: '{"a' } },
    ];
    expect(answer).toMatchObject({ choices: [choice({ content: 'Well', tool_calls: calls }, 'length')] });
  });

  it.each<[string, (completion: CompletionBuilder) => void, object, string]>([
    ['empty', ({ choice }) => choice(0).finish('stop'), { content: '' }, 'stop'],
    ['a refusal', ({ choice }) => choice(0).refusal('No'), { refusal: 'No' }, 'stop'],
    [
      'blocked without words',
      ({ choice }) => {
        choice(0).refusal('');
        choice(0).finish('content_filter');
      },
      { content: '' },
      'content_filter',
    ],
    [
      'said to call tools, but does not',
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
  ])('that is %s is in the form of OpenAI', (_, write, message, reason) => {
    expect(answerOf(write).answer).toEqual({ ...common, choices: [choice(message, reason)] });
  });

  it('has its choices by their index, and the finish reason of the first', () => {
    const { answer, facts } = answerOf((completion) => {
      completion.choice(10).text('c');
      completion.choice(2).text('b');
      completion.choice(0).text('a');
      completion.choice(10).finish('stop');
      completion.choice(2).finish('length');
      completion.choice(0).finish('content_filter');
    });
    expect(answer).toEqual({
      ...common,
      choices: [
        choice({ content: 'a' }, 'content_filter'),
        choice({ content: 'b' }, 'length', 2),
        choice({ content: 'c' }, 'stop', 10),
      ],
    });
    expect(facts.finishReason).toBe('content_filter');
  });

  it('joins lists of the fields of others, and takes the last of the rest', () => {
    const { answer } = answerOf((completion) => {
      const { extra, text } = completion.choice(0);
      extra({ thinking_blocks: [1], note: { a: 1 } });
      text('x');
      extra({ thinking_blocks: [2, 3], note: { b: 2 } });
    });
    const fields = { thinking_blocks: [1, 2, 3], note: { b: 2 } };
    expect(answer).toEqual({ ...common, choices: [choice({ content: 'x', ...fields }, 'stop')] });
  });

  it('does no harm with fields that JavaScript has a meaning for', () => {
    const completion = createCompletionBuilder(providerCall({}));
    completion.choice(0).extra(JSON.parse('{"__proto__":{"polluted":1},"constructor":[1]}'));
    completion.choice(0).extra(JSON.parse('{"__proto__":{"polluted":2},"constructor":[2]}'));
    expect(completion.build().body.toString()).toContain('"__proto__":{"polluted":2},"constructor":[1,2]');
    expect('polluted' in {}).toBe(false);
  });

  it('keeps its own id and model where the provider says none', () => {
    const { answer, facts } = answerOf((completion) => {
      completion.identify({ id: '', model: '' });
      completion.identify({ id: null });
      completion.choice(0).text('x');
    });
    expect(answer).toEqual({ ...common, choices: [choice({ content: 'x' }, 'stop')] });
    expect(facts.responseModel).toBeNull();
  });

  it('is none when no choice came, and counts all the same', () => {
    const completion = createCompletionBuilder(providerCall({}));
    completion.usage({ ...noUsage, freshInputTokens: 5 });
    expect(completion.build()).toMatchObject({
      facts: { usage: { freshInputTokens: 5 } },
      error: { code: 'provider_error', message: 'The provider sent an answer without a choice' },
    });
  });

  it('is none when the provider failed, and counts all the same', () => {
    const completion = createCompletionBuilder(providerCall({}));
    const error = new GatewayError('provider_error', { message: 'It gave up' });
    completion.choice(0).text('Half of');
    completion.fail(error);
    completion.fail(new GatewayError('provider_error', { message: 'Later' }));
    completion.usage({ ...noUsage, freshInputTokens: 5 });
    const answer = completion.build();
    expect(answer.error).toBe(error);
    expect(answer.facts.usage).toEqual({ ...noUsage, freshInputTokens: 5 });
  });
});
