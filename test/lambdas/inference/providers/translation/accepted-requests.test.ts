import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import { fc } from '#test/support/fast-check.ts';
import { findRejection as anthropicRejection } from '#test/support/providers/anthropic/request-rules.ts';
import { messagesRequest } from '#test/support/providers/anthropic/request-schema.ts';
import { exampleClaudeModel } from '#test/support/providers/bedrock/call.ts';
import { findRejection as bedrockRejection } from '#test/support/providers/bedrock/request-rules.ts';
import { findShapeError } from '#test/support/providers/bedrock/request-schema.ts';
import { findRejection as googleRejection } from '#test/support/providers/google/request-rules.ts';
import { generateContentRequest } from '#test/support/providers/google/request-schema.ts';
import { readRequest } from '#test/support/providers/provider-call.ts';

const text = fc.constantFrom('Hi', 'Well: ', '', ' ', '\n');
const callId = fc.constantFrom('call_0', 'call_0_2', 'functions.look:0', 'é', '', 'x'.repeat(80));
const toolName = fc.constantFrom(
  'look',
  'look_up',
  'look.up',
  'look:up',
  '1st',
  'ü',
  'y'.repeat(70),
  'y'.repeat(71),
);
const callArguments = fc.constantFrom('{"n":9007199254740993}', '{}', '{"a":', 'null', '[1]', '');

/** Calls with their results, which may arrive in another order if their ids are different. */
const toolRound = fc
  .array(fc.record({ id: callId, name: toolName, arguments: callArguments }), { minLength: 1, maxLength: 4 })
  .chain((calls) => {
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Rain' }));
    const toolCalls = calls.map(({ id, ...callee }) => ({ id, type: 'function', function: callee }));
    return fc
      .tuple(text, fc.shuffledSubarray(results, { minLength: results.length }))
      .map(([content, shuffled]) => [{ role: 'assistant', content, tool_calls: toolCalls }, ...shuffled]);
  });
const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: text });
const conversation = fc
  .array(
    fc.oneof(
      message.map((it) => [it]),
      toolRound,
    ),
    { maxLength: 8 },
  )
  .map((rounds) => [...rounds.flat(), { role: 'user', content: 'Go on' }]);
const tools = fc
  .uniqueArray(toolName, { maxLength: 4 })
  .map((names) => names.map((name) => ({ type: 'function', function: { name } })));

describe('Conversations of any form', () => {
  const requests = fc.record({ messages: conversation, tools });
  const expectAccepted = (rejection: (request: Record<string, unknown>) => string | null) =>
    fc.assert(
      fc.property(requests, (request) => {
        expect(rejection(request)).toBeNull();
      }),
    );

  it('are accepted by Anthropic', () => {
    expectAccepted((request) => {
      const target = { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false };
      const { body } = toMessagesRequest(readRequest(request), target);
      return anthropicRejection(messagesRequest.parse(JSON.parse(JSON.stringify(body))));
    });
  });

  it('are accepted by Bedrock', () => {
    expectAccepted((request) => {
      const target = { provider: 'bedrock', model: exampleClaudeModel };
      const { body } = toConverseRequest(readRequest(request), target);
      const sent = JSON.parse(JSON.stringify(body));
      return (
        findShapeError(sent, exampleClaudeModel) ??
        bedrockRejection(sent as ConverseRequest, exampleClaudeModel)
      );
    });
  });

  it('are accepted by Google', () => {
    const model = 'gemini-3.5-flash';
    expectAccepted((request) => {
      const { body } = toGoogleRequest(readRequest(request), { provider: 'google', model });
      return googleRejection(generateContentRequest.parse(JSON.parse(JSON.stringify(body))), model);
    });
  });
});
