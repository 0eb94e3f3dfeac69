import { describe, expect, it } from 'vitest';
import { customToolNames } from '#lambdas/inference/responses/request/tools.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readResponses, refusalOf } from '#test/support/responses/read.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const tool = (name: string, fields: object = {}) => ({
  type: 'function',
  name,
  parameters: schema,
  ...fields,
});
const named = (name: string, namespace: string | null = null) => ({ name, namespace });
const read = (name: string, param: string, fields: object = {}) => ({
  type: 'function',
  ...named(name),
  description: null,
  parameters: schema,
  strict: null,
  cacheControl: null,
  param,
  ...fields,
});
const textSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as text.' } },
  required: ['input'],
  additionalProperties: false,
};
const patch = { type: 'custom', name: 'patch' };
const search = { type: 'web_search', external_web_access: true };
const group = (name: string, ...tools: JsonObject[]) => ({ type: 'namespace', name, tools });
const item = (type: string, ...tools: JsonObject[]) => ({ type, role: 'developer', tools });
const hosted = (definition: JsonObject, param: string) => ({
  type: 'hosted',
  definition,
  api: 'responses',
  param,
});

describe('Tools', () => {
  it('are functions of the caller, its custom tools as functions, and tools of the provider', () => {
    const { tools, toolNames, choice } = readResponses({
      tools: [
        tool('look', { description: 'Looks', strict: true }),
        { type: 'function', name: 'go', parameters: null, strict: null, description: null },
        { ...patch, description: 'Patches', format: { type: 'text' } },
        {
          ...patch,
          name: 'exec',
          description: 'Runs',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
        },
        { ...patch, name: 'say', format: { type: 'grammar', syntax: 'regex', definition: '.*' } },
        patch,
        search,
      ],
    });
    const custom = (name: string, param: string, description: string | null) =>
      read(name, param, { description, parameters: textSchema });
    expect(tools).toEqual([
      read('look', 'tools[0]', { description: 'Looks', strict: true }),
      read('go', 'tools[1]', { parameters: null }),
      // A definition replaces an earlier one of the same name.
      custom('patch', 'tools[5]', null),
      custom('exec', 'tools[3]', 'Runs\n\nThe input must match this lark grammar:\nstart: "x"'),
      custom('say', 'tools[4]', 'The input must match this regex grammar:\n.*'),
      hosted(search, 'tools[6]'),
    ]);
    expect(toolNames.map(({ name }) => name)).toEqual(['look', 'go', 'patch', 'exec', 'say']);
    expect(choice).toBeNull();
  });

  it('can be in groups, with custom tools', () => {
    const { tools, toolNames } = readResponses({
      tools: [tool('look'), group('team', tool('look'), patch), group('other', tool('look'))],
    });
    expect(tools).toEqual([
      read('look', 'tools[0]'),
      read('look', 'tools[1].tools[0]', { namespace: 'team' }),
      read('patch', 'tools[1].tools[1]', { namespace: 'team', parameters: textSchema }),
      read('look', 'tools[2].tools[0]', { namespace: 'other' }),
    ]);
    expect(toolNames).toMatchObject([
      named('look'),
      named('look', 'team'),
      named('patch', 'team'),
      named('look', 'other'),
    ]);
  });

  it('can be in items of the input', () => {
    const body = {
      tools: [tool('look', { description: 'Old' })],
      input: [
        item('additional_tools', group('functions', patch, tool('wait'))),
        { role: 'user', content: 'Hi' },
        {
          ...item('tool_search_output', tool('look', { description: 'New' }), tool('go')),
          call_id: 'a',
          execution: 'client',
        },
      ],
    };
    const { tools, turns, omissions } = readResponses(body);
    expect(tools).toMatchObject([
      { name: 'look', description: 'New', param: 'input[2].tools[0]' },
      { name: 'patch', namespace: 'functions', param: 'input[0].tools[0].tools[0]' },
      { name: 'wait', namespace: 'functions', param: 'input[0].tools[0].tools[1]' },
      { name: 'go', namespace: null, param: 'input[2].tools[1]' },
    ]);
    expect([turns.length, omissions]).toEqual([1, []]);
    expect(customToolNames(body)).toEqual([named('patch', 'functions')]);
  });

  it('of a group that is given again are added to it', () => {
    const body = {
      input: [
        item('tool_search_output', group('mail', tool('send', { description: 'Old' }), patch)),
        item('tool_search_output', group('mail', tool('read'), tool('send', { description: 'New' }))),
        { role: 'user', content: 'Hi' },
      ],
    };
    const { tools } = readResponses(body);
    const found = tools.flatMap((each) =>
      each.type === 'hosted' ? [] : [[each.name, each.namespace, each.description]],
    );
    expect(found).toEqual(
      expect.arrayContaining([
        ['send', 'mail', 'New'],
        ['patch', 'mail', null],
        ['read', 'mail', null],
      ]),
    );
    expect(found).toHaveLength(3);
    expect(customToolNames(body)).toEqual([named('patch', 'mail')]);
  });

  it('keep the digits of the numbers in their schemas', () => {
    const digits = '{"type":"object","properties":{"id":{"enum":[9007199254740993,1.0]}}}';
    const definition = `{"type":"function","name":"look","parameters":${digits}}`;
    const input = '{"role":"user","content":"Hi"}';
    for (const body of [
      `{"model":"p/m","input":[${input}],"tools":[${definition}]}`,
      `{"model":"p/m","input":[{"type":"additional_tools","tools":[${definition}]},${input}]}`,
    ]) {
      const [first] = readResponses(body).tools;
      expect(JSON.stringify(first?.type === 'function' ? first.parameters : null)).toBe(digits);
    }
  });

  it('of the provider may have no name, and be given more than once', () => {
    const servers = ['a', 'b'].map((server_label) => ({ type: 'mcp', server_label }));
    expect(readResponses({ tools: servers }).tools).toEqual(
      servers.map((server, at) => hosted(server, `tools[${at}]`)),
    );
  });

  it('are none by default', () => {
    const none = { tools: [], toolNames: [], choice: null, parallelToolCalls: null };
    expect(readResponses({})).toMatchObject(none);
    expect(readResponses({ tools: null, tool_choice: null })).toMatchObject(none);
  });

  it.each([
    [{}, 'tools'],
    [[5], 'tools[0]'],
    [[{ name: 'look' }], 'tools[0].type'],
    [[{ type: 'function' }], 'tools[0].name'],
    [[tool('look', { description: 5 })], 'tools[0].description'],
    [[tool('a'), tool('look', { strict: 'yes' })], 'tools[1].strict'],
    [[tool('look', { parameters: 'x' })], 'tools[0].parameters'],
    [[{ type: 'custom' }], 'tools[0].name'],
    [[{ ...patch, format: 'text' }], 'tools[0].format'],
    [[{ type: 'namespace', tools: [] }], 'tools[0].name'],
    [[{ type: 'namespace', name: 'team', tools: {} }], 'tools[0].tools'],
    [[group('team', tool('look'), { type: 'custom' })], 'tools[0].tools[1].name'],
  ])('are refused as %j', (tools, param) => {
    expect(refusalOf({ tools })).toMatchObject({ code: 'invalid_request_error', param });
  });

  it('are refused in an item', () => {
    expect(refusalOf({ input: [item('additional_tools', { type: 'function' })] })).toMatchObject({
      code: 'invalid_request_error',
      param: 'input[0].tools[0].name',
    });
  });
});

describe('The names of custom tools', () => {
  it('are read without complaint from any value', () => {
    for (const body of [
      {},
      { tools: 5 },
      { tools: [null, 5, {}, { type: 'namespace', tools: 7 }], input: [7] },
    ])
      expect(() => customToolNames({ ...body })).not.toThrow(TypeError);
  });
});
