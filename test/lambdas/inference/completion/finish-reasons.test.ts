import { describe, expect, it } from 'vitest';
import { expectedResult } from '#lambdas/inference/chat/body.ts';
import {
  defaultArguments,
  type FinishReason,
  loggedFinish,
  readFinish,
  resolveFinish,
} from '#lambdas/inference/completion/finish-reasons.ts';

const text = { toolCalls: 0, hasOutput: true };
const calls = { toolCalls: 1, hasOutput: true };
const nothing = { toolCalls: 0, hasOutput: false };
const call = { choosesFunction: false };

describe('resolveFinish', () => {
  it.each<[FinishReason, readonly string[]]>([
    ['stop', ['stop', 'STOP', 'end_turn', 'stop_sequence', 'eos', 'pause_turn', 'COMPLETE', 'end-turn']],
    ['length', ['length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens', 'model_length', 'ERROR_LIMIT']],
    ['content_filter', ['RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'refusal']],
    ['content_filter', ['content_filtered', 'guardrail_intervened', 'sensitive', 'OTHER', 'error_toxic']],
    ['function_call', ['function_call']],
  ])('is %s for %j', (reason, words) => {
    for (const word of words)
      expect([word, resolveFinish(readFinish(word), text, call)]).toEqual([word, reason]);
  });

  it.each(['stop', 'STOP', 'end_turn', 'tool_calls', 'tool_use', 'TOOL_CALL', 'of_the_future'])(
    'depends on the tool calls of the response for %s',
    (word) => {
      expect(resolveFinish(readFinish(word), calls, call)).toBe('tool_calls');
      expect(resolveFinish(readFinish(word), text, call)).toBe('stop');
    },
  );

  it("keeps OpenAI's stop after a call of the function that tool_choice names", () => {
    const chosen = expectedResult({ tool_choice: { type: 'function', function: { name: 'f' } } });
    expect(resolveFinish(readFinish('stop'), calls, chosen)).toBe('stop');
    expect(resolveFinish(readFinish('STOP'), calls, chosen)).toBe('tool_calls');
    expect(resolveFinish(readFinish('tool_calls'), calls, chosen)).toBe('tool_calls');
  });

  it.each(['abort', 'cancelled', 'canceled', 'timeout', 'INTERRUPTED'])(
    'is length after %s, and an error if nothing was generated',
    (word) => {
      expect(resolveFinish(readFinish(word), text, call)).toBe('length');
      expect(resolveFinish(readFinish(word), calls, call)).toBe('length');
      expect(resolveFinish(readFinish(word), nothing, call)).toBeNull();
    },
  );

  it.each([
    ['error', 500],
    ['network_error', 502],
    ['insufficient_system_resource', 503],
    ['MALFORMED_FUNCTION_CALL', 500],
    ['malformed_tool_use', 500],
    ['some_error_of_the_future', 500],
  ])('is an error for %s, whatever was generated', (word, status) => {
    expect(readFinish(word)).toEqual({ kind: 'failed', word, status });
    expect(resolveFinish(readFinish(word), calls, call)).toBeNull();
  });

  it.each<[string, FinishReason]>([
    ['llm_guard_filter', 'content_filter'],
    ['policy_violation', 'content_filter'],
    ['thinking_budget', 'length'],
    ['output_limit_reached', 'length'],
    ['constructor', 'stop'],
    ['__proto__', 'stop'],
    ['of_the_future', 'stop'],
  ])('follows what the unknown word %s suggests, which the log keeps', (word, reason) => {
    const finish = readFinish(word);
    expect(resolveFinish(finish, text, call)).toBe(reason);
    expect(loggedFinish(finish, reason)).toBe(word);
    expect(resolveFinish(finish, nothing, call)).toBe(reason);
  });

  it('logs the reason of a known word', () => {
    expect(loggedFinish(readFinish('end_turn'), 'stop')).toBe('stop');
    expect(loggedFinish(readFinish('abort'), 'length')).toBe('length');
  });
});

describe('defaultArguments', () => {
  it.each([
    ['stop', '{}'],
    ['tool_calls', '{}'],
    ['length', ''],
    ['content_filter', ''],
  ] as const)('completes a call without arguments after %s with %j', (reason, text) => {
    expect(defaultArguments(reason)).toBe(text);
  });
});
