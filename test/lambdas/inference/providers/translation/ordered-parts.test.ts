import { describe, expect, it } from 'vitest';
import type { Turn } from '#lambdas/inference/completion/conversation.ts';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { exampleClaudeModel } from '#test/support/providers/bedrock/call.ts';
import {
  assistant,
  call,
  functionTool,
  neutralRequest,
  reply,
  result,
  signature,
  system,
  text,
  thought,
  user,
} from '#test/support/providers/neutral-request.ts';

const tools = [functionTool('look')];

function messagesFor(...turns: Turn[]) {
  const target = { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false };
  return toMessagesRequest(neutralRequest({ tools, turns }), target);
}

function converseFor(...turns: Turn[]) {
  return toConverseRequest(neutralRequest({ tools, turns }), {
    provider: 'bedrock',
    model: exampleClaudeModel,
  });
}

function contentsFor(...turns: Turn[]) {
  return toGoogleRequest(neutralRequest({ tools, turns }), { provider: 'google', model: 'gemini-3.5-flash' });
}

describe('Parts of an assistant message', () => {
  const turns = [
    user('Hi'),
    assistant(
      thought('First', signature('s1')),
      reply('Well'),
      call('a'),
      thought('', { format: 'anthropic', kind: 'redacted', data: 'r' }),
      thought('unsigned'),
      thought('of another', signature('g', 'google')),
      reply(' '),
      call('b', { payload: signature('g1', 'google') }),
      reply('Then', signature('g2', 'google')),
      thought('Last', signature('s2')),
    ),
    user(result('a'), result('b')),
  ];

  it('keep their order at Anthropic, with the reasoning that Claude signed', () => {
    expect(messagesFor(...turns).body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'First', signature: 's1' },
          { type: 'text', text: 'Well' },
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
          { type: 'redacted_thinking', data: 'r' },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
          { type: 'text', text: 'Then' },
        ],
      },
      {
        role: 'user',
        content: ['a', 'b'].map((id) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: [{ type: 'text', text: 'Rain' }],
        })),
      },
    ]);
  });

  it('keep their order at Bedrock', () => {
    const { messages } = converseFor(...turns).body;
    expect(messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'First', signature: 's1' } } },
          { text: 'Well' },
          { toolUse: { toolUseId: 'a', name: 'look', input: {} } },
          { reasoningContent: { redactedContent: 'r' } },
          { toolUse: { toolUseId: 'b', name: 'look', input: {} } },
          { text: 'Then' },
        ],
      },
      { role: 'user' },
    ]);
  });

  it('keep their order at Google, with the signatures that Gemini made', () => {
    const { contents } = contentsFor(...turns).body;
    expect(contents).toMatchObject([
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'Well' },
          {
            functionCall: { id: 'a', name: 'look', args: {} },
            thoughtSignature: 'skip_thought_signature_validator',
          },
          { text: ' ' },
          { functionCall: { id: 'b', name: 'look', args: {} }, thoughtSignature: 'g1' },
          { text: 'Then', thoughtSignature: 'g2' },
        ],
      },
      { role: 'user' },
    ]);
  });

  it('start with thinking where a budget for thinking requires it', () => {
    const thinkingOf = (...parts: Parameters<typeof assistant>) => {
      const request = neutralRequest({
        tools,
        turns: [user('Hi'), assistant(...parts), user(result('a'))],
        reasoningEffort: 'low',
      });
      const target = { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false };
      return toMessagesRequest(request, target).body.thinking !== undefined;
    };
    const signed = thought('First', signature('s1'));
    expect(thinkingOf(signed, call('a'))).toBe(true);
    expect(thinkingOf(thought('unsigned'), signed, call('a'))).toBe(true);
    expect(thinkingOf(reply('Well'), signed, call('a'))).toBe(false);
    expect(thinkingOf(call('a'))).toBe(false);
  });
});

describe('A failed tool call', () => {
  const turns = [user('Hi'), assistant(call('a')), user(result('a', { isError: true }))];
  const lastOf = (messages: unknown): unknown => (Array.isArray(messages) ? messages.at(-1) : null);

  it('is marked as an error', () => {
    expect(lastOf(messagesFor(...turns).body.messages)).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [{ type: 'text', text: 'Rain' }],
          is_error: true,
        },
      ],
    });
    expect(lastOf(converseFor(...turns).body.messages)).toEqual({
      role: 'user',
      content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'Rain' }], status: 'error' } }],
    });
    expect(lastOf(contentsFor(...turns).body.contents)).toEqual({
      role: 'user',
      parts: [{ functionResponse: { id: 'a', name: 'look', response: { error: 'Rain' } } }],
    });
  });
});

describe('Instructions between turns', () => {
  const outline = (messages: unknown, field: 'content' | 'parts') =>
    (Array.isArray(messages) ? messages : []).map((message: JsonObject) => {
      const parts = message[field];
      return [message.role, ...(Array.isArray(parts) ? parts.map(({ text: value }) => value ?? '') : [])];
    });

  it('become text of the user at their place, which is reported', () => {
    const turns = [user('Hi'), assistant(call('a')), system('Be brief.'), user(result('a'), 'And now?')];
    const expected = ['user', '', '<system>\nBe brief.\n</system>', 'And now?'];
    const anthropic = messagesFor(...turns);
    const bedrock = converseFor(...turns);
    const google = contentsFor(...turns);

    expect(outline(anthropic.body.messages, 'content').at(-1)).toEqual(expected);
    expect(outline(bedrock.body.messages, 'content').at(-1)).toEqual(expected);
    expect(outline(google.body.contents, 'parts').at(-1)).toEqual(expected);
    expect([anthropic.ignored, bedrock.ignored, google.ignoredParameters]).toEqual(
      Array.from({ length: 3 }, () => ['messages.role']),
    );
  });

  it('open a turn of the user between two of the assistant, and the conversation', () => {
    const turns = [
      system('Be kind.'),
      assistant(reply('Hello')),
      system('Be brief.'),
      assistant(reply('Hi')),
    ];
    expect(outline(messagesFor(...turns).body.messages, 'content')).toEqual([
      ['user', '<system>\nBe kind.\n</system>'],
      ['assistant', 'Hello'],
      ['user', '<system>\nBe brief.\n</system>'],
      ['assistant', 'Hi'],
    ]);
  });

  it('are left out if they are blank', () => {
    const blank = { role: 'system' as const, parts: [text(' ')] };
    expect(outline(messagesFor(user('Hi'), blank).body.messages, 'content')).toEqual([['user', 'Hi']]);
  });
});
