import { describe, expect, it } from 'vitest';
import { readMessages, toConversation } from '#lambdas/inference/providers/translation/messages.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { fc } from '#test/support/fast-check.ts';

function errorOf(...messages: unknown[]) {
  try {
    readMessages(messages);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  return null;
}

const mark = { type: 'ephemeral' };
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

function argumentsOf(value: unknown): string {
  const [message] = readMessages([assistant(call({}, { arguments: value }))]);
  return JSON.stringify(message?.role === 'assistant' ? message.toolCalls[0]?.arguments : null);
}

describe('messages', () => {
  it.each(['system', 'developer'])('of the role %s are the system', (role) => {
    const content = [{ type: 'text', text: 'b', cache_control: mark }];
    expect(
      readMessages([
        { role, content: 'a' },
        { role, content },
      ]),
    ).toEqual([
      { role: 'system', parts: [text('a', 'messages[0].content')] },
      { role: 'system', parts: [text('b', 'messages[1].content[0]', mark)] },
    ]);
  });

  it('of a user have parts of any kind', () => {
    const image_url = { url: 'https://x.example/y.png' };
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url },
    ];
    expect(readMessages([{ role: 'user', name: 'Ada', content, cache_control: mark }])).toEqual([
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
            cacheControl: mark,
            param: 'messages[0].content[1]',
          },
        ],
      },
    ]);
  });

  it('of the assistant have text, calls, and what it was made of', () => {
    const calls = [call({ extra_content: { google: { thought_signature: 's' } } }), call({ id: 'c2' })];
    const message = { role: 'assistant', content: 'Well', tool_calls: calls, thinking_blocks: [1] };
    const read = { id: 'c1', name: 'look', arguments: {}, cacheControl: null };
    expect(readMessages([message])).toEqual([
      {
        role: 'assistant',
        parts: [text('Well', 'messages[0].content')],
        toolCalls: [
          { ...read, source: calls[0], param: 'messages[0].tool_calls[0]' },
          { ...read, id: 'c2', source: calls[1], param: 'messages[0].tool_calls[1]' },
        ],
        source: message,
        param: 'messages[0]',
      },
    ]);
  });

  it.each([
    [{ content: null, refusal: 'No' }, [text('No', 'messages[0].refusal', mark)]],
    [{ content: '', refusal: 'No' }, [text('No', 'messages[0].refusal', mark)]],
    [{ content: 'Yes', refusal: 'No' }, [text('Yes', 'messages[0].content', mark)]],
    [{ content: [{ type: 'refusal', refusal: 'No' }] }, [text('No', 'messages[0].content[0]', mark)]],
    [{ content: null, refusal: null, tool_calls: null, function_call: null, audio: null }, []],
    [{}, []],
  ])('of the assistant with %j have the parts %j', (fields, parts) => {
    const message = { role: 'assistant', ...fields, cache_control: mark };
    expect(readMessages([message])).toEqual([
      { role: 'assistant', parts, toolCalls: [], source: message, param: 'messages[0]' },
    ]);
  });

  it('of a tool have text or media, and their mark apart from those of the parts', () => {
    const content = [
      { type: 'text', text: '21' },
      { type: 'text', text: '22', cache_control: mark },
    ];
    expect(
      readMessages([
        { role: 'tool', tool_call_id: 'c1', content: '20', cache_control: mark },
        { role: 'tool', tool_call_id: 'c2', content },
        { role: 'tool', tool_call_id: 'c3', content: '' },
      ]),
    ).toEqual([
      {
        role: 'tool',
        toolCallId: 'c1',
        parts: [text('20', 'messages[0].content')],
        cacheControl: mark,
        param: 'messages[0]',
      },
      {
        role: 'tool',
        toolCallId: 'c2',
        parts: [text('21', 'messages[1].content[0]'), text('22', 'messages[1].content[1]', mark)],
        cacheControl: null,
        param: 'messages[1]',
      },
      { role: 'tool', toolCallId: 'c3', parts: [], cacheControl: null, param: 'messages[2]' },
    ]);
  });

  it('of the assistant that are marked for the cache are marked at their end', () => {
    const own = { type: 'ephemeral', ttl: '1h' };
    const marksOf = (message: object) => {
      const [read] = readMessages([{ role: 'assistant', cache_control: mark, ...message }]);
      const { parts, toolCalls } = read?.role === 'assistant' ? read : { parts: [], toolCalls: [] };
      return [...parts, ...toolCalls].map(({ cacheControl }) => cacheControl);
    };
    expect(marksOf({ content: 'a' })).toEqual([mark]);
    expect(marksOf({ content: 'a', tool_calls: [call(), call()] })).toEqual([null, null, mark]);
    expect(marksOf({ tool_calls: [call({ cache_control: own })] })).toEqual([own]);
    expect(marksOf({ tool_calls: [call({ cache_control: own }), call()] })).toEqual([own, mark]);
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
    [assistant(call(), { id: 'c', type: 'custom', custom: { name: 'f', input: '' } }), '.tool_calls[1]'],
    [assistant(call({ id: undefined })), '.tool_calls[0].id'],
    [assistant(call({ id: 7 })), '.tool_calls[0].id'],
    [assistant(call({ cache_control: 7 })), '.tool_calls[0].cache_control'],
    [assistant(call({}, { name: null })), '.tool_calls[0].function.name'],
    [assistant(call({}, { arguments: {} })), '.tool_calls[0].function.arguments'],
    [{ role: 'tool', content: 'x' }, '.tool_call_id'],
    [{ role: 'tool', tool_call_id: 5, content: 'x' }, '.tool_call_id'],
    [{ role: 'tool', tool_call_id: 'c', content: {} }, '.content'],
  ])('such as %j are refused at %j', (message, place) => {
    expect(errorOf(user, user, message)).toEqual({
      code: 'invalid_request_error',
      param: `messages[2]${place}`,
    });
  });

  it.each(['function_call', 'audio'])('of the assistant cannot have %s', (field) => {
    expect(errorOf({ role: 'assistant', content: 'x', [field]: { id: 'a' } })).toEqual({
      code: 'unsupported_parameter',
      param: `messages[0].${field}`,
    });
  });
});

describe('the arguments of a tool call', () => {
  it.each([
    ['{"city":"Oslo"}', '{"city":"Oslo"}'],
    [' { "a" : [ 1 , null ] } ', '{"a":[1,null]}'],
    ['', '{}'],
    [' \n', '{}'],
    [undefined, '{}'],
    [null, '{}'],
    ['{"a":1.0,"b":9007199254740993,"c":[1e3,-0.0]}', '{"a":1.0,"b":9007199254740993,"c":[1e3,-0.0]}'],
    ['{"__proto__":{"polluted":1},"constructor":2}', '{"__proto__":{"polluted":1},"constructor":2}'],
  ])('%j are %s', (value, expected) => {
    expect(argumentsOf(value)).toBe(expected);
    expect('polluted' in {}).toBe(false);
  });

  it.each(['{"city":"Os', 'Oslo', '[]', '"{}"', '5', '1.0', 'null', 'true', '{}{}', '['.repeat(100_000)])(
    'that are %j are refused',
    (value) => {
      expect(errorOf(assistant(call({}, { arguments: value })))).toEqual({
        code: 'invalid_request_error',
        param: 'messages[0].tool_calls[0].function.arguments',
      });
    },
  );
});

describe('turns', () => {
  /** What was said, in short: the system's words, and each turn with who says what. */
  function outline(messages: unknown) {
    const { system, turns } = toConversation(readMessages(messages));
    const words = (parts: readonly { type: string; text?: string }[]) => parts.map(({ text }) => text ?? '');
    return {
      system: words(system),
      turns: turns.map((turn) =>
        turn.role === 'user'
          ? { results: turn.toolResults.map(({ toolCallId }) => toolCallId), user: words(turn.parts) }
          : {
              assistant: turn.messages.map(({ parts, toolCalls }) => [
                ...words(parts),
                ...toolCalls.map(({ id }) => `call ${id}`),
              ]),
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

  describe('a conversation', () => {
    it('can have more parts in a message than a function takes arguments', () => {
      const content = Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a' }));
      const { system, turns } = outline([
        { role: 'system', content },
        { role: 'user', content },
      ]);
      expect(system.length).toBe(200_000);
      expect(turns.map(({ user: words }) => words?.length)).toEqual([200_000]);
    });

    it('has the words of system and developer apart, wherever they stood, in order', () => {
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

    it('has several results in a row, and what the user said then, in one turn', () => {
      expect(
        outline([user('1'), assistant('', 'a', 'b'), tool('b'), tool('a'), user('2'), user('3')]),
      ).toEqual({
        system: [],
        turns: [
          { results: [], user: ['1'] },
          { assistant: [['call a', 'call b']] },
          { results: ['b', 'a'], user: ['2', '3'] },
        ],
      });
    });

    it('has results before what the user said, also where they came after it', () => {
      expect(outline([assistant('', 'a', 'b'), tool('a'), user('1'), tool('b')]).turns.at(-1)).toEqual({
        results: ['a', 'b'],
        user: ['1'],
      });
    });

    it('has several messages of the assistant in one turn, each by itself', () => {
      expect(outline([user('1'), assistant('2', 'a'), assistant('3'), user('4')]).turns).toEqual([
        { results: [], user: ['1'] },
        { assistant: [['2', 'call a'], ['3']] },
        { results: [], user: ['4'] },
      ]);
    });

    it('keeps turns in which nothing is said', () => {
      expect(outline([user(''), assistant(''), user('1')]).turns).toEqual([
        { results: [], user: [] },
        { assistant: [[]] },
        { results: [], user: ['1'] },
      ]);
    });

    it.each([[[]], [null], [undefined]])('of %j has no turns', (messages) => {
      expect(outline(messages)).toEqual({ system: [], turns: [] });
    });

    it('alternates, and loses nothing, whatever the order of messages', () => {
      const kinds = fc.array(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'), {
        maxLength: 20,
      });
      fc.assert(
        fc.property(kinds, (roles) => {
          const messages = roles.map((role, place) => ({
            role,
            content: `${place}`,
            tool_call_id: `${place}`,
          }));
          const { system, turns } = outline(messages);
          const placesOf = (...wanted: string[]) =>
            roles.flatMap((role, place) => (wanted.includes(role) ? [`${place}`] : []));
          const flat = (pick: (turn: (typeof turns)[number]) => string[]) => turns.flatMap(pick);
          expect(system).toEqual(placesOf('system', 'developer'));
          expect(flat((turn) => turn.user ?? [])).toEqual(placesOf('user'));
          expect(flat((turn) => turn.results ?? [])).toEqual(placesOf('tool'));
          expect(flat((turn) => turn.assistant?.flat() ?? [])).toEqual(placesOf('assistant'));
          const speakers = turns.map(({ assistant }) => (assistant === undefined ? 'user' : 'assistant'));
          expect(speakers.every((speaker, turn) => speaker !== speakers[turn - 1])).toBe(true);
        }),
      );
    });
  });
});
