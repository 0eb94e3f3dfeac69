import { describe, expect, it } from 'vitest';
import { readMessages, toConversation } from '#lambdas/inference/providers/translation/messages.ts';
import { fc } from '#test/support/fast-check.ts';

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
