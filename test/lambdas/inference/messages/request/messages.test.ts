import { describe, expect, it } from 'vitest';
import { readMessages, refusalOf } from '#test/support/messages/read.ts';

const ephemeral = { type: 'ephemeral' };
const text = (value: string, param: string, fields: object = {}) => ({
  type: 'text',
  text: value,
  cacheControl: null,
  param,
  ...fields,
});
const use = (id: string, fields: object = {}) => ({
  type: 'tool_use',
  id,
  name: 'look',
  input: {},
  ...fields,
});
const call = (id: string, param: string, fields: object = {}) => ({
  type: 'call',
  id,
  name: 'look',
  namespace: null,
  arguments: {},
  hasInvalidArguments: false,
  cacheControl: null,
  payload: null,
  param,
  ...fields,
});
const question = { role: 'user', content: 'Hi' };
const questionTurn = (index: number) => ({
  role: 'user',
  toolResults: [],
  parts: [text('Hi', `messages.${index}.content`)],
});

describe('The system prompt', () => {
  it.each([
    ['a text', 'Be brief.', [text('Be brief.', 'system')]],
    [
      'blocks',
      [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Be kind.', cache_control: ephemeral },
      ],
      [text('Be brief.', 'system.0'), text('Be kind.', 'system.1', { cacheControl: ephemeral })],
    ],
    ['missing', undefined, []],
    ['null', null, []],
    ['empty', '', []],
  ])('can be %s', (_, system, parts) => {
    expect(readMessages({ system }).system).toEqual(parts);
  });

  it.each([
    [5, 'system'],
    [[5], 'system.0'],
    [[{ type: 'image', source: { type: 'url', url: 'https://x.example' } }], 'system.0'],
  ])('is refused as %j', (system, param) => {
    expect(refusalOf({ system })).toMatchObject({ code: 'invalid_request_error', param });
  });
});

describe('Instructions among the messages', () => {
  const brief = { role: 'system', content: 'Be brief.' };

  it('stay at their place', () => {
    const content = [{ type: 'text', text: 'Be kind.', cache_control: ephemeral }];
    expect(
      readMessages({ messages: [question, brief, { role: 'system', content }, question] }),
    ).toMatchObject({
      system: [],
      turns: [
        questionTurn(0),
        { role: 'system', parts: [text('Be brief.', 'messages.1.content')] },
        { role: 'system', parts: [text('Be kind.', 'messages.2.content.0', { cacheControl: ephemeral })] },
        questionTurn(3),
      ],
    });
  });

  it('belong to the system prompt before the first message', () => {
    expect(readMessages({ system: 'Be kind.', messages: [brief, question] })).toMatchObject({
      system: [text('Be kind.', 'system'), text('Be brief.', 'messages.0.content')],
      turns: [questionTurn(1)],
    });
  });
});

describe('An assistant message', () => {
  const partsOf = (...content: unknown[]) => {
    const [, turn] = readMessages({ messages: [question, { role: 'assistant', content }] }).turns;
    return turn?.role === 'assistant' ? turn.messages : [];
  };

  it('has its blocks in their order, with signatures, withheld thinking and breakpoints', () => {
    expect(
      partsOf(
        { type: 'thinking', thinking: 'Hm', signature: 's1' },
        { type: 'text', text: 'Well', cache_control: ephemeral },
        use('a', { input: { city: 'Rome' }, cache_control: ephemeral, caller: { type: 'direct' } }),
        { type: 'redacted_thinking', data: 'r' },
        { type: 'thinking', thinking: 'unsigned', signature: '' },
        { type: 'thinking', thinking: 'unsigned too' },
        use('b'),
        { type: 'text', text: 'Then' },
      ),
    ).toEqual([
      {
        role: 'assistant',
        hasImages: false,
        parts: [
          { type: 'reasoning', text: 'Hm', payload: { format: 'anthropic', kind: 'signature', data: 's1' } },
          text('Well', 'messages.1.content.1', { cacheControl: ephemeral, payload: null }),
          call('a', 'messages.1.content.2', { arguments: { city: 'Rome' }, cacheControl: ephemeral }),
          { type: 'reasoning', text: '', payload: { format: 'anthropic', kind: 'redacted', data: 'r' } },
          { type: 'reasoning', text: 'unsigned', payload: null },
          { type: 'reasoning', text: 'unsigned too', payload: null },
          call('b', 'messages.1.content.6'),
          text('Then', 'messages.1.content.7', { payload: null }),
        ],
      },
    ]);
  });

  it('can be a text, without a turn of its own after another', () => {
    const turns = readMessages({
      messages: [question, { role: 'assistant', content: 'One' }, { role: 'assistant', content: 'Two' }],
    }).turns;
    expect(turns).toEqual([
      questionTurn(0),
      {
        role: 'assistant',
        messages: [1, 2].map((index) => ({
          role: 'assistant',
          hasImages: false,
          parts: [text(index === 1 ? 'One' : 'Two', `messages.${index}.content`, { payload: null })],
        })),
      },
    ]);
  });

  it('keeps the digits of numbers in the input of a tool', () => {
    const content = '[{"type":"tool_use","id":"a","name":"look","input":{"id":9007199254740993,"at":1.0}}]';
    const body = `{"model":"m","messages":[{"role":"assistant","content":${content}}]}`;
    const [turn] = readMessages(body).turns;
    const [part] = turn?.role === 'assistant' ? (turn.messages[0]?.parts ?? []) : [];
    expect(JSON.stringify(part?.type === 'call' ? part.arguments : null)).toBe(
      '{"id":9007199254740993,"at":1.0}',
    );
  });

  it.each([
    [{ type: 'text' }, 'text'],
    [{ type: 'thinking' }, 'thinking'],
    [{ type: 'thinking', thinking: 'Hm', signature: 5 }, 'signature'],
    [{ type: 'redacted_thinking' }, 'data'],
    [{ type: 'tool_use', name: 'look', input: {} }, 'id'],
    [{ type: 'tool_use', id: 'a', input: {} }, 'name'],
    [{ type: 'tool_use', id: 'a', name: 'look' }, 'input'],
    [{ type: 'tool_use', id: 'a', name: 'look', input: '{}' }, 'input'],
    [{ type: 'tool_use', id: 'a', name: 'look', input: 1.5 }, 'input'],
    [use('a', { cache_control: 5 }), 'cache_control'],
    [{ type: 5 }, 'type'],
  ])('is refused with the block %j', (block, field) => {
    const messages = [question, { role: 'assistant', content: [block] }];
    expect(refusalOf({ messages })).toMatchObject({
      code: 'invalid_request_error',
      param: `messages.1.content.0.${field}`,
    });
  });

  it.each(['image', 'compaction', 'tool_result'])('is refused with a block of the type %s', (type) => {
    expect(refusalOf({ messages: [question, { role: 'assistant', content: [{ type }] }] })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'messages.1.content.0.type',
    });
  });
});

describe('Tool results', () => {
  const result = (id: string, fields: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...fields });
  const turnOf = (...contents: unknown[]) =>
    readMessages({
      messages: [
        { role: 'assistant', content: [use('a'), use('b'), use('c')] },
        ...contents.map((content) => ({ role: 'user', content })),
      ],
    }).turns[1];

  it('come first in the turn of the user, with their content and failures', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://x.example/y.png' } };
    expect(
      turnOf(
        [
          result('a', { content: 'Rain', is_error: true, cache_control: ephemeral }),
          { type: 'text', text: 'And now?' },
          result('b', { content: [{ type: 'text', text: 'Sun', cache_control: ephemeral }, image] }),
        ],
        [result('c')],
      ),
    ).toEqual({
      role: 'user',
      toolResults: [
        {
          role: 'tool',
          toolCallId: 'a',
          parts: [text('Rain', 'messages.1.content.0.content')],
          isError: true,
          cacheControl: ephemeral,
          param: 'messages.1.content.0.tool_use_id',
        },
        {
          role: 'tool',
          toolCallId: 'b',
          parts: [
            text('Sun', 'messages.1.content.2.content.0', { cacheControl: ephemeral }),
            {
              type: 'media',
              medium: 'image',
              source: { kind: 'url', url: 'https://x.example/y.png' },
              filename: null,
              detail: null,
              cacheControl: null,
              param: 'messages.1.content.2.content.1',
            },
          ],
          isError: false,
          cacheControl: null,
          param: 'messages.1.content.2.tool_use_id',
        },
        {
          role: 'tool',
          toolCallId: 'c',
          parts: [],
          isError: false,
          cacheControl: null,
          param: 'messages.2.content.0.tool_use_id',
        },
      ],
      parts: [text('And now?', 'messages.1.content.1')],
    });
  });

  it('name the tools that a search has found', () => {
    const content = [{ type: 'tool_reference', tool_name: 'look' }];
    expect(turnOf([result('a', { content })])).toMatchObject({
      toolResults: [{ parts: [text('look', 'messages.1.content.0.content.0')] }],
    });
  });

  it.each([
    [{ type: 'tool_result' }, 'tool_use_id'],
    [result('a', { content: 5 }), 'content'],
    [result('a', { content: [5] }), 'content.0'],
    [result('a', { is_error: 'yes' }), 'is_error'],
    [result('a', { cache_control: 5 }), 'cache_control'],
  ])('are refused with %j', (block, field) => {
    expect(refusalOf({ messages: [{ role: 'user', content: [block] }] })).toMatchObject({
      code: 'invalid_request_error',
      param: `messages.0.content.0.${field}`,
    });
  });
});

describe('The messages', () => {
  it.each([
    ['Hi', 'messages'],
    [['Hi'], 'messages.0'],
    [[{ content: 'Hi' }], 'messages.0.role'],
    [[{ role: 'tool', content: 'Hi' }], 'messages.0.role'],
    [[question, { role: 'user', content: 5 }], 'messages.1.content'],
    [[question, { role: 'system', content: [{ type: 'text' }] }], 'messages.1.content.0.text'],
  ])('are refused as %j', (messages, param) => {
    expect(refusalOf({ messages })).toMatchObject({ code: 'invalid_request_error', param });
  });
});

describe('A cache breakpoint of the request', () => {
  const lastOf = (fields: Record<string, unknown>) => {
    const { system, turns } = readMessages({ cache_control: ephemeral, ...fields });
    return turns.at(-1) ?? system;
  };
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'Rain' };

  it.each([
    ['the last text', { role: 'user', content: 'Hi' }, { parts: [{ cacheControl: ephemeral }] }],
    ['the last result', { role: 'user', content: [result] }, { toolResults: [{ cacheControl: ephemeral }] }],
    [
      'the last text of the assistant',
      { role: 'assistant', content: 'Hi' },
      { messages: [{}, { parts: [{ cacheControl: ephemeral }] }] },
    ],
    [
      'the last instructions',
      { role: 'system', content: 'Be brief.' },
      { parts: [{ cacheControl: ephemeral }] },
    ],
  ])('is that of %s', (_, message, expected) => {
    expect(
      lastOf({ messages: [question, { role: 'assistant', content: [use('a')] }, message] }),
    ).toMatchObject(expected);
  });

  it('is that of the system prompt without messages', () => {
    expect(lastOf({ system: 'Be brief.', messages: [] })).toEqual([
      text('Be brief.', 'system', { cacheControl: ephemeral }),
    ]);
  });

  it('does not replace the own one of the last block', () => {
    const own = { type: 'ephemeral', ttl: '1h' };
    const content = [{ type: 'text', text: 'Hi', cache_control: own }];
    expect(lastOf({ messages: [{ role: 'user', content }] })).toMatchObject({
      parts: [{ cacheControl: own }],
    });
  });

  it('must be an object', () => {
    expect(refusalOf({ cache_control: 'ephemeral' })).toMatchObject({ param: 'body.cache_control' });
  });
});
