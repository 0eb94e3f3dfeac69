import { describe, expect, it } from 'vitest';
import type { AssistantPart, Payload } from '#lambdas/inference/completion/conversation.ts';
import {
  mayHaveSignatures,
  readSignatures,
  type SignatureOwner,
  type SignedData,
  writeSignature,
} from '#lambdas/inference/completion/signatures.ts';
import { isSignedByOther } from '#lambdas/inference/messages/signatures.ts';
import { fc } from '#test/support/fast-check.ts';
import { readMessages } from '#test/support/messages/read.ts';
import { signature } from '#test/support/providers/neutral-request.ts';

const word = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map((text) => text.toWellFormed());
const payload = fc.record<Payload>({
  format: fc.constantFrom('openai', 'responses', 'anthropic', 'google', 'bedrock'),
  kind: fc.constantFrom('signature', 'redacted', 'encrypted'),
  data: word,
});
const signed = fc.record<SignedData>({
  provider: word,
  owner: fc.oneof(fc.constantFrom('thinking', 'text'), fc.record({ callId: word })),
  payload: fc.option(payload),
});

describe('A signature', () => {
  it('names the provider, what the data belongs to, and the data', () => {
    expect(
      writeSignature({ provider: 'google', owner: { callId: 'a/b' }, payload: signature('x+/=', 'google') }),
    ).toBe('gateway/google/call/a%2Fb/google/signature/x%2B%2F%3D;');
    expect(writeSignature({ provider: 'my vllm', owner: 'thinking', payload: null })).toBe(
      'gateway/my%20vllm/thinking////;',
    );
  });

  it('is read as it was written, also joined with others', () => {
    fc.assert(
      fc.property(fc.array(signed, { maxLength: 4 }), (list) => {
        expect(readSignatures(list.map(writeSignature).join(''))).toEqual(list);
      }),
    );
  });

  it.each([
    ['', 'none'],
    ['EqQB/gateway/', "Claude's"],
    ['gateway/google/thinking///', 'a truncated one'],
    ['gateway/google/thinking///;', 'one with too few fields'],
    ['gateway/google/image////;', 'one of something else'],
    ['gateway/google/text//google/signature/%E0%A4;', 'one with an invalid escape'],
  ])('is not read from %j, %s', (text) => {
    expect(readSignatures(text)).toEqual([]);
  });

  it('has no data of an unknown format or kind', () => {
    const read = ['gateway/p/text//cohere/signature/x;', 'gateway/p/text//google/other/x;'].map(
      readSignatures,
    );
    const [expected]: SignedData[] = [{ provider: 'p', owner: 'text', payload: null }];
    expect(read).toEqual([[expected], [expected]]);
  });
});

describe('Thinking', () => {
  const tag = (provider: string) => writeSignature({ provider, owner: 'thinking', payload: null });

  it.each<[block: object, provider: string | null, isOther: boolean]>([
    [{ type: 'thinking', thinking: '', signature: tag('google') }, 'google', false],
    [{ type: 'thinking', thinking: '', signature: tag('google') }, 'vllm', true],
    [{ type: 'thinking', thinking: '', signature: tag('google') }, null, true],
    [{ type: 'thinking', thinking: '', signature: tag('google') + tag('vllm') }, 'google', true],
    [{ type: 'thinking', thinking: '', signature: 'EqQBCkg=' }, null, false],
    [{ type: 'thinking', thinking: '' }, null, false],
    [{ type: 'thinking', thinking: '', signature: null }, null, false],
    [{ type: 'redacted_thinking', data: tag('google') }, null, false],
    [{ type: 'text', text: '', signature: tag('google') }, null, false],
  ])('%j is that of another provider than %s: %s', (block, provider, isOther) => {
    expect(isSignedByOther({ ...block }, provider)).toBe(isOther);
  });

  it.each([
    ['{"signature":"gateway/google/thinking////;"}', true],
    [String.raw`{"signature":"gateway\/google\/thinking\/\/\/\/;"}`, true],
    ['{"signature":"EqQB","text":"the gateway"}', false],
  ])('is searched in the text of a request: %s', (text, mayHave) => {
    expect(mayHaveSignatures({ text })).toBe(mayHave);
  });
});

describe('The data in the thinking of a request', () => {
  const google = (data: string) => signature(data, 'google');
  const thinking = (text: string, ...list: [SignatureOwner, Payload | null, string?][]) => ({
    type: 'thinking',
    thinking: text,
    signature: list
      .map(([owner, data, provider = 'google']) => writeSignature({ provider, owner, payload: data }))
      .join(''),
  });
  const text = (value: string) => ({ type: 'text', text: value });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
  /** The text or the id of each part, and its data. */
  const outline = (part: AssistantPart) => [
    part.type === 'text' || part.type === 'reasoning' ? part.text : part.type === 'call' ? part.id : '',
    part.payload?.data ?? null,
  ];
  const read = (content: object[], provider: string | null) =>
    readMessages({ messages: [{ role: 'assistant', content }] }, provider)
      .turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []))
      .flatMap(({ parts }) => parts.map(outline));

  it.each<[title: string, content: object[], parts: unknown[]]>([
    [
      'the thinking itself',
      [thinking('Hm', ['thinking', google('x')]), text('Hi')],
      [
        ['Hm', 'x'],
        ['Hi', null],
      ],
    ],
    [
      'the text before it',
      [text('One'), text('Two'), thinking('', ['text', google('x')]), text('Three')],
      [
        ['One', null],
        ['Two', 'x'],
        ['Three', null],
      ],
    ],
    [
      'a call with its id, and a text',
      [text('One'), thinking('', ['text', google('x')], [{ callId: 'b' }, google('y')]), use('a'), use('b')],
      [
        ['One', 'x'],
        ['a', null],
        ['b', 'y'],
      ],
    ],
    [
      'calls, when all thinking has been joined at the front',
      [
        thinking('HmSo', ['thinking', null], [{ callId: 'a' }, google('x')], [{ callId: 'b' }, google('y')]),
        text('Hi'),
        use('a'),
        use('b'),
      ],
      [
        ['HmSo', null],
        ['Hi', null],
        ['a', 'x'],
        ['b', 'y'],
      ],
    ],
    [
      'the thinking itself, joined with thinking without data',
      [thinking('HmSo', ['thinking', google('x')], ['thinking', null]), use('a')],
      [
        ['HmSo', 'x'],
        ['a', null],
      ],
    ],
    [
      'parts of thinking that have been joined',
      [thinking('HmSo', ['thinking', google('x')], ['thinking', google('y')]), use('a')],
      [
        ['HmSo', 'x'],
        ['', 'y'],
        ['a', null],
      ],
    ],
    [
      'the first text, when all thinking has been joined at the front',
      [thinking('', ['text', google('x')]), text('One'), text('Two')],
      [
        ['One', 'x'],
        ['Two', null],
      ],
    ],
    [
      'nothing, if the call is missing',
      [thinking('Hm', [{ callId: 'c' }, google('x')]), use('a')],
      [
        ['Hm', null],
        ['a', null],
      ],
    ],
  ])('belongs to %s', (_, content, parts) => {
    expect(read(content, 'google')).toEqual(parts);
  });

  it('is left out with the thinking of another provider, unless it is that of Claude', () => {
    const foreign = thinking('Hm', ['thinking', google('x')], [{ callId: 'a' }, google('y')]);
    const content = [foreign, { type: 'thinking', thinking: 'So', signature: 'EqQB' }, text('Hi'), use('a')];
    for (const provider of ['vllm', null]) {
      const { omissions } = readMessages({ messages: [{ role: 'assistant', content }] }, provider);
      expect([read(content, provider), omissions]).toEqual([
        [
          ['So', 'EqQB'],
          ['Hi', null],
          ['a', null],
        ],
        ['messages.content.thinking'],
      ]);
    }
  });
});
