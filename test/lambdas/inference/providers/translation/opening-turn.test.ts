import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';
import { findRejection } from '#test/support/providers/anthropic/request-rules.ts';
import { messagesRequest } from '#test/support/providers/anthropic/request-schema.ts';
import { expectAccepted } from '#test/support/providers/bedrock/call.ts';
import { type BedrockUpstream, startBedrockUpstream } from '#test/support/providers/bedrock/upstream.ts';
import { acceptedBody, callGoogle } from '#test/support/providers/google/call.ts';

let upstream: BedrockUpstream;
beforeAll(async () => {
  upstream = await startBedrockUpstream();
});
afterAll(() => upstream.stop());

const system = { role: 'system', content: 'Be brief.' };
const user = { role: 'user', content: 'Hi' };
const assistant = { role: 'assistant', content: 'Welcome' };
const emptyUser = { role: 'user', content: '' };
const placeholder = 'The conversation begins with the assistant.';
const earlierCall = {
  role: 'assistant',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
const result = { role: 'tool', tool_call_id: 'c1', content: 'Rain' };

/** The instructions, and the role and texts of each turn. */
type Outline = [system: string[], ...turns: [role: string, ...texts: string[]][]];

const conversations: [string, object[], Outline, ignored: string[]][] = [
  ['instructions only', [system], [[], ['user', 'Be brief.']], []],
  ['instructions and an empty user message', [system, emptyUser], [[], ['user', 'Be brief.']], []],
  [
    'instructions, and an assistant message first',
    [system, assistant, user],
    [['Be brief.'], ['user', placeholder], ['assistant', 'Welcome'], ['user', 'Hi']],
    ['messages.role'],
  ],
  [
    'an empty user message first',
    [emptyUser, assistant, user],
    [[], ['user', placeholder], ['assistant', 'Welcome'], ['user', 'Hi']],
    ['messages.role'],
  ],
  [
    'a tool call first',
    [earlierCall, result],
    [[], ['user', placeholder], ['assistant', 'call'], ['user', 'result']],
    ['messages.role'],
  ],
  ['a user message first', [system, user], [['Be brief.'], ['user', 'Hi']], []],
];

interface Block {
  text?: string;
  type?: string;
  functionCall?: object;
  functionResponse?: object;
  toolUse?: object;
  toolResult?: object;
}

function textOf({ text, type, functionCall, toolUse }: Block): string {
  if (text !== undefined) return text;
  return functionCall !== undefined || toolUse !== undefined || type === 'tool_use' ? 'call' : 'result';
}

describe('The first turn', () => {
  it.each(conversations)('is a user turn for Anthropic: %s', async (_, messages, outline, ignored) => {
    const { body, ignoredParameters } = await callAnthropic({ messages });
    const sent = messagesRequest.parse(body);

    expect(findRejection(sent)).toBeNull();
    expect([
      (body.system ?? []).map(textOf),
      ...body.messages.map((turn: { role: string; content: Block[] }) => [
        turn.role,
        ...turn.content.map(textOf),
      ]),
    ]).toEqual(outline);
    expect(ignoredParameters).toEqual(ignored);
  });

  it.each(conversations)('is a user turn for Bedrock: %s', async (_, messages, outline, expected) => {
    const { body, ignored } = await expectAccepted(upstream, { messages });
    const turns = body.messages as { role: string; content: Block[] }[];

    expect([
      ((body.system ?? []) as Block[]).map(textOf),
      ...turns.map(({ role, content }) => [role, ...content.map(textOf)]),
    ]).toEqual(outline);
    expect(ignored).toEqual(expected);
  });

  it.each(conversations)('is a user turn for Google: %s', async (_, messages, outline, ignored) => {
    const body = await acceptedBody({ messages });
    const instructions = body.systemInstruction as { parts: Block[] } | undefined;
    const contents = body.contents as { role: string; parts: Block[] }[];

    expect([
      (instructions?.parts ?? []).map(textOf),
      ...contents.map(({ role, parts }) => [role === 'model' ? 'assistant' : role, ...parts.map(textOf)]),
    ]).toEqual(outline);
    expect((await callGoogle({ messages })).ignoredParameters).toEqual(ignored);
  });

  it('contains the instructions, and no placeholder, for a model without system instructions', async () => {
    const { body, ignoredParameters } = await callGoogle({
      model: 'gemma-3-27b-it',
      messages: [system, assistant, user],
    });

    expect(body.contents.map(({ parts }: { parts: Block[] }) => parts.map(textOf))).toEqual([
      ['Be brief.'],
      ['Welcome'],
      ['Hi'],
    ]);
    expect(ignoredParameters).toEqual([]);
  });
});

describe('A prefill that ends in whitespace', () => {
  const prefill = (content: unknown) => [user, { role: 'assistant', content }];
  const parts = [
    { type: 'text', text: 'The ' },
    { type: 'text', text: 'answer:\n' },
    { type: 'text', text: ' ' },
  ];

  it.each([
    ['The answer: \n', ['The answer:'], ['messages.content']],
    [' The answer:', [' The answer:'], []],
    [parts, ['The ', 'answer:'], ['messages.content']],
  ])('is trimmed for Claude, and reported: %j', async (content, texts, ignored) => {
    const messages = prefill(content);
    const atAnthropic = await callAnthropic({ messages });
    const atBedrock = await expectAccepted(upstream, { messages });

    expect(findRejection(messagesRequest.parse(atAnthropic.body))).toBeNull();
    expect(atAnthropic.body.messages[1].content.map(textOf)).toEqual(texts);
    expect(atAnthropic.ignoredParameters).toEqual(ignored);
    expect(atBedrock.body.messages).toMatchObject([{}, { content: texts.map((text) => ({ text })) }]);
    expect(atBedrock.ignored).toEqual(ignored);
  });

  it('is trimmed before a last message that is left out', async () => {
    const { body, ignoredParameters } = await callAnthropic({ messages: [...prefill('Hello '), emptyUser] });

    expect(body.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Hello' }] });
    expect(ignoredParameters).toEqual(['messages.content']);
  });

  it('stays for other models, and in earlier turns', async () => {
    const nova = await expectAccepted(upstream, {
      model: 'amazon.nova-lite-v1:0',
      messages: prefill('The answer: '),
    });
    const { body, ignoredParameters } = await callAnthropic({ messages: [...prefill('Hello '), user] });

    expect(nova.body.messages).toMatchObject([{}, { content: [{ text: 'The answer: ' }] }]);
    expect(nova.ignored).toEqual([]);
    expect(body.messages[1].content).toEqual([{ type: 'text', text: 'Hello ' }]);
    expect(ignoredParameters).toEqual([]);
  });

  it('stays before a tool call', async () => {
    const { body } = await callAnthropic({
      messages: [user, { ...earlierCall, content: 'I look: ' }, result],
    });

    expect(body.messages[1].content[0]).toEqual({ type: 'text', text: 'I look: ' });
  });
});
