import { describe, expect, it } from 'vitest';
import {
  createToolCallTracker,
  offeredToolNames,
} from '#lambdas/inference/providers/openai/tool-call-tracker.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';

interface Delta {
  index?: number;
  id?: string;
  name?: string;
  arguments?: string;
}

const deltaOf = ({ name, arguments: text, ...rest }: Delta): JsonObject => ({
  ...rest,
  function: { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) },
});

const offering = (...names: string[]) =>
  offeredToolNames({ tools: names.map((name) => ({ type: 'function', function: { name } })) });

/** Assembles the calls as a client does; `offered` are the names in the request. */
function assemble(deltas: readonly Delta[], offered: readonly string[] = []) {
  const tracker = createToolCallTracker(offering(...offered));
  const calls: { name: string; text: string }[] = [];
  for (const delta of deltas) {
    const { index, isNew, name, isRepetition } = tracker.track(deltaOf(delta));
    expect(isNew).toBe(index === calls.length);
    const call = calls[index] ?? { name: '', text: '' };
    calls[index] = call;
    call.name += name;
    if (!isRepetition) call.text += delta.arguments ?? '';
  }
  return {
    calls: calls.map(({ name, text }) => `${name}(${text})`),
    withoutArguments: tracker.withoutArguments(),
  };
}

describe('createToolCallTracker', () => {
  it.each<[string, readonly Delta[], readonly string[]]>([
    [
      'one id for two indexes and names',
      [
        { index: 0, id: 'call_1', name: 'f' },
        { index: 1, id: 'call_1', name: 'g' },
        { index: 0, id: 'call_1', arguments: '{"a":1}' },
        { index: 1, id: 'call_1', arguments: '{"b":2}' },
      ],
      ['f({"a":1})', 'g({"b":2})'],
    ],
    [
      'one id and one index for two names',
      [
        { index: 0, id: 'call_1', name: 'f', arguments: '{"a":1}' },
        { index: 0, id: 'call_1', name: 'g', arguments: '{"b":2}' },
      ],
      ['f({"a":1})', 'g({"b":2})'],
    ],
    [
      'one id, index and name for two whole calls',
      [
        { index: 0, id: 'call_1', name: 'f', arguments: '{"a":1}' },
        { index: 0, id: 'call_1', name: 'f', arguments: '{"a":2}' },
      ],
      ['f({"a":1})', 'f({"a":2})'],
    ],
    [
      'a whole call twice',
      [
        { index: 0, id: 'call_1', name: 'f', arguments: '{"a":1}' },
        { index: 0, id: 'call_1', name: 'f', arguments: '{"a":1}' },
      ],
      ['f({"a":1})'],
    ],
    [
      'a name in fragments',
      [
        { index: 0, id: 'a', name: 'get_' },
        { index: 0, name: 'weather' },
        { index: 0, arguments: '{}' },
      ],
      ['get_weather({})'],
    ],
    [
      'a whole name in each delta',
      [
        { index: 0, id: 'a', name: 'f' },
        { index: 0, name: 'f', arguments: '{"a":' },
        { index: 0, id: 'a', name: 'f', arguments: '1}' },
      ],
      ['f({"a":1})'],
    ],
    [
      'a new id in each delta',
      [
        { index: 0, id: 'a', name: 'f' },
        { index: 0, id: 'b', arguments: '{' },
        { index: 0, id: 'c', arguments: '}' },
      ],
      ['f({})'],
    ],
    [
      'the index 0 for all calls',
      [
        { index: 0, id: 'a', name: 'f', arguments: '{}' },
        { index: 0, id: 'b', name: 'f', arguments: '{}' },
        { index: 0, arguments: '' },
      ],
      ['f({})', 'f({})'],
    ],
    [
      'an index that grows with each delta',
      [
        { index: 0, id: 'a', name: 'f' },
        { index: 1, id: 'a', arguments: '{"a":' },
        { index: 2, id: 'a', arguments: '1}' },
      ],
      ['f({"a":1})'],
    ],
    [
      'neither ids nor indexes',
      [
        { name: 'f', arguments: '{"a":1}' },
        { name: 'f', arguments: '{"a":1}' },
        { name: 'g' },
        { arguments: '{}' },
      ],
      ['f({"a":1})', 'f({"a":1})', 'g({})'],
    ],
    [
      'the name after the id',
      [
        { index: 0, id: 'a' },
        { index: 0, name: 'f' },
        { index: 0, arguments: '{}' },
      ],
      ['f({})'],
    ],
  ])('keeps calls apart: %s', (_case, deltas, calls) => {
    expect(assemble(deltas).calls).toEqual(calls);
  });

  it('tells the names that the request offers from fragments', () => {
    const deltas = [
      { index: 0, name: 'read' },
      { index: 0, name: 'read_file' },
    ];
    expect(assemble(deltas, ['read', 'read_file']).calls).toEqual(['read()', 'read_file()']);
    expect(
      assemble(
        [
          { index: 0, name: 'aa' },
          { index: 0, name: 'a' },
        ],
        ['aaa'],
      ).calls,
    ).toEqual(['aaa()']);
  });

  it('lists the calls without arguments', () => {
    const deltas = [
      { index: 0, id: 'a', name: 'f', arguments: '' },
      { index: 1, id: 'b', name: 'g', arguments: '{}' },
      { index: 2, id: 'c', name: 'h', arguments: ' ' },
    ];
    expect(assemble(deltas).withoutArguments).toEqual([0, 2]);
    expect(createToolCallTracker([]).withoutArguments()).toEqual([]);
  });

  it('assembles the same calls from any fragments, in order or interleaved', () => {
    const name = fc.constantFrom('get_weather', 'get', 'search', 'aa', 'aaaa');
    const calls = fc.array(fc.record({ name, value: fc.string() }), { minLength: 1, maxLength: 4 });
    const split = fc.array(fc.nat(100), { maxLength: 3 });
    fc.assert(
      fc.property(calls, split, split, fc.boolean(), (expected, inName, inText, interleaved) => {
        const fragments = (text: string, at: number[]) => {
          const ends = [...new Set(at.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
          return [...ends, text.length].map((end, place) => text.slice(ends[place - 1] ?? 0, end));
        };
        const byCall = expected.map(({ name, value }, index): Delta[] => [
          { index, id: `call_${index}`, name: '' },
          ...fragments(name, inName)
            .filter((part) => part !== '')
            .map((part) => ({ index, name: part })),
          ...fragments(JSON.stringify({ value }), inText).map((part) => ({ index, arguments: part })),
        ]);
        const longest = Math.max(...byCall.map(({ length }) => length));
        const deltas = interleaved
          ? Array.from({ length: longest }, (_, step) => byCall.flatMap((list) => list[step] ?? [])).flat()
          : byCall.flat();
        const names = [...new Set(expected.map((call) => call.name))];
        // Equal fragments in a row could also be the repetition of a whole name.
        fc.pre(
          expected.every((call) =>
            names.every((other) => other === call.name || !call.name.startsWith(other)),
          ),
        );
        expect(assemble(deltas, names).calls).toEqual(
          expected.map((call) => `${call.name}(${JSON.stringify({ value: call.value })})`),
        );
      }),
    );
  });

  it('tells a thousand calls apart', () => {
    const deltas = Array.from({ length: 1000 }, (_, index) => [
      { index, id: 'same', name: `f${index}` },
      { index, arguments: '{}' },
    ]).flat();
    expect(assemble(deltas).calls).toEqual(Array.from({ length: 1000 }, (_, index) => `f${index}({})`));
  });
});
