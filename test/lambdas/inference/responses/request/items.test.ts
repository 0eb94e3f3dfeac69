import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readResponses, refusalOf } from '#test/support/responses/read.ts';

const text = (value: string, param: string, fields: object = {}) => ({
  type: 'text',
  text: value,
  cacheControl: null,
  param,
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
const reply = (value: string, param: string) => text(value, param, { payload: null });
const user = (...parts: object[]) => ({ role: 'user', toolResults: [], parts });
const assistant = (...messages: object[][]) => ({
  role: 'assistant',
  messages: messages.map((parts) => ({ role: 'assistant', parts, hasImages: false })),
});
const result = (id: string, param: string, parts: object[]) => ({
  role: 'tool',
  toolCallId: id,
  parts,
  isError: false,
  cacheControl: null,
  param,
});
const functionCall = (id: string, fields: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'look',
  arguments: '{}',
  ...fields,
});
const output = (id: string, value: unknown = 'Rain') => ({
  type: 'function_call_output',
  call_id: id,
  output: value,
});
const question = { role: 'user', content: 'Hi' };

const read = (...input: JsonObject[]) => {
  const { system, turns, omissions } = readResponses({ input });
  return { system, turns, omissions };
};

describe('The instructions', () => {
  it.each([
    ['a text', 'Be brief.', [text('Be brief.', 'instructions')]],
    ['missing', undefined, []],
    ['null', null, []],
    ['empty', '', []],
  ])('can be %s', (_, instructions, system) => {
    expect(readResponses({ instructions }).system).toEqual(system);
  });

  it('have the first messages of the system and of the developer, others stay at their place', () => {
    const { system, turns } = readResponses({
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
        { role: 'system', content: 'Be quick.' },
        question,
        { role: 'developer', content: 'Be slow.' },
        { role: 'system', content: '' },
        { role: 'system', content: 'Be fair.' },
        question,
      ],
    });
    expect(system).toEqual([
      text('Be brief.', 'instructions'),
      text('Be kind.', 'input[0].content[0]'),
      text('Be quick.', 'input[1].content'),
    ]);
    expect(turns).toEqual([
      user(text('Hi', 'input[2].content')),
      { role: 'system', parts: [text('Be slow.', 'input[3].content')] },
      { role: 'system', parts: [text('Be fair.', 'input[5].content')] },
      user(text('Hi', 'input[6].content')),
    ]);
  });
});

describe('The input', () => {
  it.each<[title: string, input: unknown, turns: object[]]>([
    ['a text', 'Hello', [user(text('Hello', 'input'))]],
    ['empty', '', []],
    ['missing', null, []],
    ['an empty list', [], []],
  ])('can be %s', (_, input, turns) => {
    expect(readResponses({ input }).turns).toEqual(turns);
  });

  it('has the messages of the user that follow each other in one turn', () => {
    expect(
      read(
        question,
        { type: 'message', role: 'user', id: 'msg_1', status: 'completed', content: 'And?' },
        { role: 'user', content: '' },
      ).turns,
    ).toEqual([user(text('Hi', 'input[0].content'), text('And?', 'input[1].content'))]);
  });

  it('has the items of a response in one message, in order', () => {
    const { turns } = read(
      question,
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [
          { type: 'output_text', text: 'Well', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      functionCall('a', { arguments: '{"n":9007199254740993}', id: 'fc_1', status: 'completed' }),
      { role: 'assistant', content: 'Then' },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'b', name: 'patch', input: '*** Begin' },
      functionCall('c', { name: 'go', namespace: 'team' }),
      output('a'),
      { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'Done' }] },
      output('c', ''),
      { role: 'user', content: 'And?' },
    );
    expect(turns).toMatchObject([
      user(text('Hi', 'input[0].content')),
      assistant([
        { type: 'reasoning', text: 'Hm', payload: null },
        reply('Well', 'input[2].content[0]'),
        reply('No', 'input[2].content[1]'),
        call('a', 'input[3]', { arguments: { n: expect.anything() } }),
        reply('Then', 'input[4].content'),
        call('b', 'input[5]', { name: 'patch', arguments: { input: '*** Begin' } }),
        call('c', 'input[6]', { name: 'go', namespace: 'team' }),
      ]),
      {
        role: 'user',
        toolResults: [
          result('a', 'input[7].call_id', [text('Rain', 'input[7].output')]),
          result('b', 'input[8].call_id', [text('Done', 'input[8].output[0]')]),
          result('c', 'input[9].call_id', []),
        ],
        parts: [text('And?', 'input[10].content')],
      },
    ]);
    expect(JSON.stringify(turns)).toContain('"arguments":{"n":9007199254740993}');
  });

  it('has the items of each response in a message of its own', () => {
    expect(
      read(question, functionCall('a'), output('a'), functionCall('b'), output('b'), {
        role: 'assistant',
        content: 'Done',
      }).turns,
    ).toEqual([
      user(text('Hi', 'input[0].content')),
      assistant([call('a', 'input[1]')]),
      {
        role: 'user',
        toolResults: [result('a', 'input[2].call_id', [text('Rain', 'input[2].output')])],
        parts: [],
      },
      assistant([call('b', 'input[3]')]),
      {
        role: 'user',
        toolResults: [result('b', 'input[4].call_id', [text('Rain', 'input[4].output')])],
        parts: [],
      },
      assistant([reply('Done', 'input[5].content')]),
    ]);
  });

  it.each([
    ['', {}, false],
    [' ', {}, false],
    [undefined, {}, false],
    ['nope', {}, true],
    ['[1]', {}, true],
    ['{"a":', {}, true],
  ])('has the arguments %j as %j, which are invalid: %s', (json, parsed, isInvalid) => {
    expect(read(functionCall('a', { arguments: json })).turns).toEqual([
      assistant([call('a', 'input[0]', { arguments: parsed, hasInvalidArguments: isInvalid })]),
    ]);
  });

  it.each<[input: unknown, param: string]>([
    [5, 'input'],
    [{}, 'input'],
    [[5], 'input[0]'],
    [[null], 'input[0]'],
    [[question, { type: 5 }], 'input[1].type'],
    [[{ content: 'Hi' }], 'input[0].role'],
    [[{ role: 'tool', content: 'Hi' }], 'input[0].role'],
    [[{ role: 'user', content: 5 }], 'input[0].content'],
    [[functionCall('a', { call_id: 5 })], 'input[0].call_id'],
    [[functionCall('a', { name: null })], 'input[0].name'],
    [[functionCall('a', { namespace: 5 })], 'input[0].namespace'],
    [[functionCall('a', { arguments: {} })], 'input[0].arguments'],
    [[{ type: 'custom_tool_call', call_id: 'a', name: 'patch' }], 'input[0].input'],
    [[{ type: 'function_call_output', output: 'Rain' }], 'input[0].call_id'],
    [[output('a', 5)], 'input[0].output'],
    [[output('a', [{ type: 'input_text' }])], 'input[0].output[0].text'],
    [[{ type: 'custom_tool_call_output', call_id: 'a', output: {} }], 'input[0].output'],
  ])('is refused as %j', (input, param) => {
    expect(refusalOf({ input })).toMatchObject({ code: 'invalid_request_error', param });
  });

  it.each<[item: JsonObject, param: string, advice: RegExp]>([
    [{ type: 'item_reference', id: 'msg_1' }, 'input[1].type', /store: false/],
    [{ id: 'msg_1' }, 'input[1].type', /store: false/],
    [{ type: 'compaction', encrypted_content: 'x' }, 'input[1].type', /earlier items/],
    [{ type: 'compaction_trigger' }, 'input[1].type', /compaction/],
  ])('cannot have %j, which this provider does not keep', (item, param, advice) => {
    const { code, param: named, message } = refusalOf({ input: [question, item] });
    expect([code, named]).toEqual(['unsupported_parameter', param]);
    expect(message).toMatch(advice);
  });

  it('can have very many items', () => {
    const count = 100_000;
    const items = Array.from({ length: count }, (_, at) => functionCall(`call_${at}`));
    const [turn] = read(...items).turns;
    expect(turn?.role === 'assistant' ? turn.messages[0]?.parts.length : 0).toBe(count);
  });
});
