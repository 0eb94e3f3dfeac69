import { describe, expect, it } from 'vitest';
import { readMessages, toConversation } from '#lambdas/inference/chat/request/messages.ts';
import { assistantMessages } from '#lambdas/inference/completion/conversation.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { fc } from '#test/support/fast-check.ts';

function errorFor(...messages: unknown[]) {
  try {
    readMessages(messages);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  return null;
}

const ephemeral = { type: 'ephemeral' };
const text = (value: string, param: string, cacheControl: object | null = null) => ({
  type: 'text',
  text: value,
  cacheControl,
  param,
});
const call = (fields: object = {}, callee: object = {}) => ({
  id: 'c1',
  type: 'function',
  function: { name: 'look', arguments: '{}', ...callee },
  ...fields,
});
const assistant = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });

function roundTripArguments(value: unknown): string {
  const [message] = readMessages([assistant(call({}, { arguments: value }))]);
  const [part] = message?.role === 'assistant' ? message.parts : [];
  return JSON.stringify(part?.type === 'call' ? part.arguments : null);
}

describe('readMessages', () => {
  it.each(['system', 'developer'])('reads %s messages as system messages', (role) => {
    const content = [{ type: 'text', text: 'b', cache_control: ephemeral }];
    expect(
      readMessages([
        { role, content: 'a' },
        { role, content },
      ]),
    ).toEqual([
      { role: 'system', parts: [text('a', 'messages[0].content')] },
      { role: 'system', parts: [text('b', 'messages[1].content[0]', ephemeral)] },
    ]);
  });

  it('reads user messages with parts of any type', () => {
    const image_url = { url: 'https://x.example/y.png' };
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url },
    ];
    expect(readMessages([{ role: 'user', name: 'Ada', content, cache_control: ephemeral }])).toEqual([
      {
        role: 'user',
        parts: [
          text('Look', 'messages[0].content[0]'),
          {
            type: 'media',
            medium: 'image',
            source: { kind: 'url', url: image_url.url },
            filename: null,
            detail: null,
            cacheControl: ephemeral,
            param: 'messages[0].content[1]',
          },
        ],
      },
    ]);
  });

  it('reads assistant messages as reasoning, text and tool calls, with their signatures', () => {
    const signed = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });
    const message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Well' },
        { type: 'text', text: 'now' },
      ],
      tool_calls: [call(signed('s')), call({ id: 'c2' })],
      thinking_blocks: [
        1,
        { type: 'redacted_thinking', data: 'xyz' },
        { type: 'thinking', thinking: 'Hm', signature: 'abc' },
        { type: 'thinking', thinking: 'unsigned' },
      ],
      reasoning_content: 'Hm unsigned',
      images: [{ type: 'image_url' }],
      ...signed('m'),
    };
    const parsedCall = {
      type: 'call',
      id: 'c1',
      name: 'look',
      namespace: null,
      arguments: {},
      hasInvalidArguments: false,
      cacheControl: null,
      payload: null,
    };
    const google = (data: string) => ({ format: 'google', kind: 'signature', data });
    expect(readMessages([message])).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: '', payload: { format: 'anthropic', kind: 'redacted', data: 'xyz' } },
          { type: 'reasoning', text: 'Hm', payload: { format: 'anthropic', kind: 'signature', data: 'abc' } },
          { type: 'reasoning', text: 'unsigned', payload: null },
          { ...text('Well', 'messages[0].content[0]'), payload: null },
          { ...text('now', 'messages[0].content[1]'), payload: google('m') },
          { ...parsedCall, payload: google('s'), param: 'messages[0].tool_calls[0]' },
          { ...parsedCall, id: 'c2', param: 'messages[0].tool_calls[1]' },
        ],
        hasImages: true,
      },
    ]);
  });

  it.each([
    [{ reasoning_content: 'Hm' }, ['Hm']],
    [{ reasoning: 'Hm' }, ['Hm']],
    [{ reasoning_content: 'a', reasoning: 'b' }, ['a']],
    [{ reasoning_content: 'a', thinking_blocks: [{ type: 'redacted_thinking', data: 'x' }] }, ['', 'a']],
    [{ reasoning_content: '', reasoning: 5, thinking_blocks: {} }, []],
  ])('reads the reasoning of %j as %j', (fields, expected) => {
    const [message] = readMessages([{ role: 'assistant', ...fields }]);
    const parts = message?.role === 'assistant' ? message.parts : [];
    expect(parts.map((part) => (part.type === 'reasoning' ? part.text : part))).toEqual(expected);
  });

  it.each([
    [{ content: null, refusal: 'No' }, [text('No', 'messages[0].refusal', ephemeral)]],
    [{ content: '', refusal: 'No' }, [text('No', 'messages[0].refusal', ephemeral)]],
    [{ content: 'Yes', refusal: 'No' }, [text('Yes', 'messages[0].content', ephemeral)]],
    [{ content: [{ type: 'refusal', refusal: 'No' }] }, [text('No', 'messages[0].content[0]', ephemeral)]],
    [{ content: null, refusal: null, tool_calls: null, function_call: null, audio: null }, []],
    [{}, []],
  ])('reads an assistant message with %j as parts %j', (fields, parts) => {
    const message = { role: 'assistant', ...fields, cache_control: ephemeral };
    expect(readMessages([message])).toEqual([
      { role: 'assistant', parts: parts.map((part) => ({ ...part, payload: null })), hasImages: false },
    ]);
  });

  it('reads calls of custom tools', () => {
    const custom = { id: 'c', type: 'custom', custom: { name: 'patch', input: ' *** Begin' } };
    expect(readMessages([assistant(custom)])).toMatchObject([
      {
        parts: [
          {
            type: 'custom_call',
            id: 'c',
            name: 'patch',
            namespace: null,
            input: ' *** Begin',
            payload: null,
            param: 'messages[0].tool_calls[0]',
          },
        ],
      },
    ]);
  });

  it('reads tool messages, with their cache_control separate from that of the parts', () => {
    const content = [
      { type: 'text', text: '21' },
      { type: 'text', text: '22', cache_control: ephemeral },
    ];
    expect(
      readMessages([
        { role: 'tool', tool_call_id: 'c1', content: '20', cache_control: ephemeral },
        { role: 'tool', tool_call_id: 'c2', content },
        { role: 'tool', tool_call_id: 'c3', content: '' },
      ]),
    ).toEqual([
      {
        role: 'tool',
        toolCallId: 'c1',
        parts: [text('20', 'messages[0].content')],
        isError: false,
        cacheControl: ephemeral,
        param: 'messages[0].tool_call_id',
      },
      {
        role: 'tool',
        toolCallId: 'c2',
        parts: [text('21', 'messages[1].content[0]'), text('22', 'messages[1].content[1]', ephemeral)],
        isError: false,
        cacheControl: null,
        param: 'messages[1].tool_call_id',
      },
      {
        role: 'tool',
        toolCallId: 'c3',
        parts: [],
        isError: false,
        cacheControl: null,
        param: 'messages[2].tool_call_id',
      },
    ]);
  });

  it('moves cache_control of an assistant message to its last part or call', () => {
    const oneHour = { type: 'ephemeral', ttl: '1h' };
    const readCacheControls = (message: object) => {
      const [parsed] = readMessages([{ role: 'assistant', cache_control: ephemeral, ...message }]);
      const parts = parsed?.role === 'assistant' ? parsed.parts : [];
      return parts.map((part) => (part.type === 'reasoning' ? part : part.cacheControl));
    };
    expect(readCacheControls({ content: 'a' })).toEqual([ephemeral]);
    expect(readCacheControls({ content: 'a', tool_calls: [call(), call()] })).toEqual([
      null,
      null,
      ephemeral,
    ]);
    expect(readCacheControls({ tool_calls: [call({ cache_control: oneHour })] })).toEqual([oneHour]);
    expect(readCacheControls({ tool_calls: [call({ cache_control: oneHour }), call()] })).toEqual([
      oneHour,
      ephemeral,
    ]);
  });

  const user = { role: 'user', content: 'Hi' };
  const image = { type: 'image_url', image_url: { url: 'https://x.example/y.png' } };
  it.each<[unknown, string]>([
    [null, ''],
    ['Hi', ''],
    [[], ''],
    [{ content: 'Hi' }, '.role'],
    [{ role: 'function', name: 'f', content: 'x' }, '.role'],
    [{ role: 'constructor', content: 'x' }, '.role'],
    [{ role: 'user', content: 5 }, '.content'],
    [{ role: 'user', content: 'Hi', cache_control: 'ephemeral' }, '.cache_control'],
    [{ role: 'user', content: ['Hi'] }, '.content[0]'],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { ...image, image_url: {} },
        ],
      },
      '.content[1].image_url.url',
    ],
    [{ role: 'system', content: [image] }, '.content[0]'],
    [{ role: 'developer', content: [{ type: 'text', text: 'a' }, image] }, '.content[1]'],
    [{ role: 'assistant', content: [image] }, '.content[0]'],
    [{ role: 'assistant', content: null, refusal: 5 }, '.refusal'],
    [{ role: 'assistant', tool_calls: {} }, '.tool_calls'],
    [assistant(null), '.tool_calls[0]'],
    [assistant(call(), { id: 'c', type: 'custom' }), '.tool_calls[1]'],
    [assistant({ id: 'c', type: 'custom', custom: { input: '' } }), '.tool_calls[0].custom.name'],
    [assistant({ id: 'c', type: 'custom', custom: { name: 'f', input: {} } }), '.tool_calls[0].custom.input'],
    [assistant(call({ id: undefined })), '.tool_calls[0].id'],
    [assistant(call({ id: 7 })), '.tool_calls[0].id'],
    [assistant(call({ cache_control: 7 })), '.tool_calls[0].cache_control'],
    [assistant(call({}, { name: null })), '.tool_calls[0].function.name'],
    [assistant(call({}, { arguments: {} })), '.tool_calls[0].function.arguments'],
    [{ role: 'tool', content: 'x' }, '.tool_call_id'],
    [{ role: 'tool', tool_call_id: 5, content: 'x' }, '.tool_call_id'],
    [{ role: 'tool', tool_call_id: 'c', content: {} }, '.content'],
  ])('rejects the message %j with param suffix %j', (message, path) => {
    expect(errorFor(user, user, message)).toEqual({
      code: 'invalid_request_error',
      param: `messages[2]${path}`,
    });
  });

  it.each(['function_call', 'audio'])('rejects %s in an assistant message as unsupported', (field) => {
    expect(errorFor({ role: 'assistant', content: 'x', [field]: { id: 'a' } })).toEqual({
      code: 'unsupported_parameter',
      param: `messages[0].${field}`,
    });
  });
});

describe('readMessages tool call arguments', () => {
  it.each([
    ['{"city":"Oslo"}', '{"city":"Oslo"}'],
    [' { "a" : [ 1 , null ] } ', '{"a":[1,null]}'],
    ['', '{}'],
    [' \n', '{}'],
    [undefined, '{}'],
    [null, '{}'],
    ['{"a":1.0,"b":9007199254740993,"c":[1e3,-0.0]}', '{"a":1.0,"b":9007199254740993,"c":[1e3,-0.0]}'],
    ['{"__proto__":{"polluted":1},"constructor":2}', '{"__proto__":{"polluted":1},"constructor":2}'],
  ])('reads arguments %j as %s', (value, expected) => {
    expect(roundTripArguments(value)).toBe(expected);
    expect('polluted' in {}).toBe(false);
  });

  it.each(['{"city":"Os', 'Oslo', '[]', '"{}"', '5', '1.0', 'null', 'true', '{}{}', '['.repeat(100_000)])(
    'reads the invalid arguments %j as an empty object',
    (value) => {
      const [message] = readMessages([assistant(call({}, { arguments: value }))]);

      expect(message).toMatchObject({ parts: [{ arguments: {}, hasInvalidArguments: true }] });
    },
  );
});

describe('toConversation', () => {
  /** Summarizes a conversation: the system texts, and the texts, results and calls of each turn. */
  function outline(messages: unknown) {
    const { system, turns } = toConversation(readMessages(messages));
    const texts = (parts: readonly { type: string; text?: string }[]) => parts.map(({ text }) => text ?? '');
    return {
      system: texts(system),
      turns: turns.map((turn) =>
        turn.role === 'user'
          ? { results: turn.toolResults.map(({ toolCallId }) => toolCallId), user: texts(turn.parts) }
          : {
              assistant: assistantMessages([turn]).map(({ parts }) =>
                parts.map((part) => (part.type === 'call' ? `call ${part.id}` : texts([part]).join(''))),
              ),
            },
      ),
    };
  }

  const user = (content: string) => ({ role: 'user', content });
  const assistant = (content: string, ...ids: string[]) => ({
    role: 'assistant',
    content,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
  });
  const tool = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'x' });

  it('accepts more parts in a message than a function call accepts arguments', () => {
    const content = Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a' }));
    const { system, turns } = outline([
      { role: 'system', content },
      { role: 'user', content },
    ]);
    expect(system.length).toBe(200_000);
    expect(turns.map(({ user: texts }) => texts?.length)).toEqual([200_000]);
  });

  it('collects system and developer messages from any position, in order', () => {
    const messages = [
      { role: 'system', content: 'a' },
      user('1'),
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'b' },
          { type: 'text', text: 'c' },
        ],
      },
      assistant('2'),
      { role: 'system', content: 'd' },
    ];
    expect(outline(messages)).toEqual({
      system: ['a', 'b', 'c', 'd'],
      turns: [{ results: [], user: ['1'] }, { assistant: [['2']] }],
    });
  });

  it('leaves instructions in their places where an API takes them there', () => {
    const messages = [
      { role: 'system', content: 'a' },
      { role: 'developer', content: 'b' },
      user('1'),
      { role: 'developer', content: 'c' },
      { role: 'system', content: '' },
      assistant('2'),
    ];
    const { system, turns } = toConversation(readMessages(messages), { keepsPlaces: true });
    expect(system.map((part) => part.text)).toEqual(['a', 'b']);
    expect(turns).toMatchObject([
      { role: 'user', parts: [{ text: '1' }] },
      { role: 'system', parts: [{ text: 'c' }] },
      { role: 'assistant' },
    ]);
  });

  it('merges consecutive results and the user messages after them into one turn', () => {
    expect(outline([user('1'), assistant('', 'a', 'b'), tool('b'), tool('a'), user('2'), user('3')])).toEqual(
      {
        system: [],
        turns: [
          { results: [], user: ['1'] },
          { assistant: [['call a', 'call b']] },
          { results: ['b', 'a'], user: ['2', '3'] },
        ],
      },
    );
  });

  it('puts results before user text, even when they came after it', () => {
    expect(outline([assistant('', 'a', 'b'), tool('a'), user('1'), tool('b')]).turns.at(-1)).toEqual({
      results: ['a', 'b'],
      user: ['1'],
    });
  });

  it('groups consecutive assistant messages into one turn without merging them', () => {
    expect(outline([user('1'), assistant('2', 'a'), assistant('3'), user('4')]).turns).toEqual([
      { results: [], user: ['1'] },
      { assistant: [['2', 'call a'], ['3']] },
      { results: [], user: ['4'] },
    ]);
  });

  it('keeps empty turns', () => {
    expect(outline([user(''), assistant(''), user('1')]).turns).toEqual([
      { results: [], user: [] },
      { assistant: [[]] },
      { results: [], user: ['1'] },
    ]);
  });

  it.each([[[]], [null], [undefined]])('returns no turns for messages %j', (messages) => {
    expect(outline(messages)).toEqual({ system: [], turns: [] });
  });

  it('alternates roles and keeps all content for any order of messages', () => {
    const kinds = fc.array(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(kinds, (roles) => {
        const messages = roles.map((role, index) => ({
          role,
          content: `${index}`,
          tool_call_id: `${index}`,
        }));
        const { system, turns } = outline(messages);
        const findIndexes = (...wanted: string[]) =>
          roles.flatMap((role, index) => (wanted.includes(role) ? [`${index}`] : []));
        const flat = (pick: (turn: (typeof turns)[number]) => string[]) => turns.flatMap(pick);
        expect(system).toEqual(findIndexes('system', 'developer'));
        expect(flat((turn) => turn.user ?? [])).toEqual(findIndexes('user'));
        expect(flat((turn) => turn.results ?? [])).toEqual(findIndexes('tool'));
        expect(flat((turn) => turn.assistant?.flat() ?? [])).toEqual(findIndexes('assistant'));
        const roleOfTurns = turns.map(({ assistant }) => (assistant === undefined ? 'user' : 'assistant'));
        expect(roleOfTurns.every((role, turn) => role !== roleOfTurns[turn - 1])).toBe(true);
      }),
    );
  });
});
