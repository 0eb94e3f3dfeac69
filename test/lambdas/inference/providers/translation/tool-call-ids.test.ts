import { describe, expect, it } from 'vitest';
import { readCompletionRequest } from '#lambdas/inference/chat/request/request.ts';
import { callsIn, type Turn } from '#lambdas/inference/completion/conversation.ts';
import { withUniqueCallIds } from '#lambdas/inference/providers/translation/tool-call-ids.ts';
import { fc } from '#test/support/fast-check.ts';

const toAccepted = (id: string) => id.replace(/[^a-z0-9_]/g, '_');
const calls = (...ids: string[]) => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const results = (...ids: string[]) => ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }));

const calledIds = (turn: Turn) =>
  turn.role === 'assistant' ? callsIn(turn.messages).map(({ id }) => id) : [];

/** Lists the ids of each turn. */
function idsOf(turns: readonly Turn[]): string[][] {
  return turns.map((turn) =>
    turn.role === 'user' ? turn.toolResults.map(({ toolCallId }) => toolCallId) : calledIds(turn),
  );
}

const uniqueIds = (...messages: object[]) =>
  idsOf(withUniqueCallIds(readCompletionRequest({ messages }).turns, toAccepted));

describe('withUniqueCallIds', () => {
  it('keeps ids that are unique and accepted, also in results of another order', () => {
    expect(uniqueIds(calls('a', 'b'), ...results('b', 'a'), calls('a_2'), ...results('a_2'))).toEqual([
      ['a', 'b'],
      ['b', 'a'],
      ['a_2'],
      ['a_2'],
    ]);
  });

  it('renames calls that reuse the id of an earlier turn, with their results', () => {
    expect(uniqueIds(calls('a'), ...results('a'), calls('a'), ...results('a'))).toEqual([
      ['a'],
      ['a'],
      ['a_2'],
      ['a_2'],
    ]);
  });

  it('assigns results in the order of the calls of a turn that have the same id', () => {
    expect(uniqueIds(calls('a', 'b', 'a'), ...results('a', 'a', 'b'))).toEqual([
      ['a', 'b', 'a_2'],
      ['a', 'a_2', 'b'],
    ]);
  });

  it('does not give a renamed call the id of another call', () => {
    expect(uniqueIds(calls('a', 'a', 'a_2', 'a.2', 'a:2'))).toEqual([['a', 'a_3', 'a_2', 'a_2_2', 'a_2_3']]);
  });

  it('keeps the id of a result without a call', () => {
    expect(uniqueIds(...results('b:1'))).toEqual([['b_1']]);
  });

  it('makes ids unique in linear time', () => {
    const ids = Array.from({ length: 20_000 }, () => 'a');
    const [called = [], resolved] = uniqueIds(calls(...ids), ...results(...ids));

    expect(new Set(called).size).toBe(20_000);
    expect(resolved).toEqual(called);
  });

  it('makes all ids unique and accepted, and has one result for each call, for any conversation', () => {
    const turn = fc.array(fc.constantFrom('a', 'a_2', 'a.2', 'b', ''), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 5 }), (turns) => {
        const messages = turns.flatMap((ids) => [
          { role: 'user', content: 'x' },
          calls(...ids),
          ...results(...ids),
        ]);
        const renamed = uniqueIds(...messages, { role: 'user', content: 'x' });
        const called = renamed.filter((_, index) => index % 2 === 1);
        const resolved = renamed.filter((_, index) => index % 2 === 0).slice(1);

        expect(new Set(called.flat()).size).toBe(called.flat().length);
        expect(called.flat().every((id) => toAccepted(id) === id)).toBe(true);
        expect(resolved.map((ids) => ids.toSorted())).toEqual(called.map((ids) => ids.toSorted()));
      }),
    );
  });
});
