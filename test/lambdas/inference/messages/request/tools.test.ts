import { describe, expect, it } from 'vitest';
import { readMessages, refusalOf } from '#test/support/messages/read.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const tool = (name: string, fields: object = {}) => ({ name, input_schema: schema, ...fields });
const read = (name: string, param: string, fields: object = {}) => ({
  type: 'function',
  name,
  namespace: null,
  description: null,
  parameters: schema,
  strict: null,
  cacheControl: null,
  param,
  ...fields,
});
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };

describe('Tools', () => {
  it("are functions of the caller, or Anthropic's own", () => {
    const ephemeral = { type: 'ephemeral' };
    const { tools, toolNames, choice } = readMessages({
      tools: [
        tool('look', { description: 'Looks', strict: true, cache_control: ephemeral }),
        tool('go', { type: 'custom', strict: null }),
        search,
        { type: 'bash_20250124', name: 'bash' },
        { type: 'mcp_toolset', mcp_server_name: 'x' },
      ],
    });
    expect(tools).toEqual([
      read('look', 'tools.0', { description: 'Looks', strict: true, cacheControl: ephemeral }),
      read('go', 'tools.1'),
      { type: 'hosted', definition: search, api: 'anthropic', param: 'tools.2' },
      {
        type: 'hosted',
        definition: { type: 'bash_20250124', name: 'bash' },
        api: 'anthropic',
        param: 'tools.3',
      },
      {
        type: 'hosted',
        definition: { type: 'mcp_toolset', mcp_server_name: 'x' },
        api: 'anthropic',
        param: 'tools.4',
      },
    ]);
    expect(toolNames.map(({ name }) => name)).toEqual(['look', 'go', 'web_search', 'bash']);
    expect(choice).toBeNull();
  });

  it('are none by default', () => {
    const none = { tools: [], toolNames: [], choice: null, parallelToolCalls: null };
    expect(readMessages({})).toMatchObject(none);
    expect(readMessages({ tools: null, tool_choice: null })).toMatchObject(none);
  });

  it('keep the digits of the numbers in their schemas', () => {
    const digits = '{"type":"object","properties":{"id":{"enum":[9007199254740993,1.0]}}}';
    const body = `{"model":"m","messages":[],"tools":[{"name":"look","input_schema":${digits}}]}`;
    const [read] = readMessages(body).tools;
    expect(JSON.stringify(read?.type === 'function' ? read.parameters : null)).toBe(digits);
  });

  it.each([
    [{}, 'tools'],
    [[5], 'tools.0'],
    [[{ input_schema: schema }], 'tools.0.name'],
    [[{ name: 'look' }], 'tools.0.input_schema'],
    [[tool('look', { description: 5 })], 'tools.0.description'],
    [[tool('a'), tool('look', { strict: 'yes' })], 'tools.1.strict'],
    [[tool('look', { cache_control: 5 })], 'tools.0.cache_control'],
  ])('are refused as %j', (tools, param) => {
    expect(refusalOf({ tools })).toMatchObject({ code: 'invalid_request_error', param });
  });
});

describe('The tool choice', () => {
  it.each([
    [{ type: 'auto' }, { mode: 'auto' }, null],
    [{ type: 'auto', disable_parallel_tool_use: false }, { mode: 'auto' }, true],
    [{ type: 'auto', disable_parallel_tool_use: true }, { mode: 'auto' }, false],
    [{ type: 'any', disable_parallel_tool_use: true }, { mode: 'required' }, null],
    // The choice of one tool allows a single call anyway, and none allows no call.
    [
      { type: 'tool', name: 'look', disable_parallel_tool_use: true },
      { mode: 'function', name: 'look', namespace: null },
      null,
    ],
    [{ type: 'none', disable_parallel_tool_use: true }, { mode: 'none' }, null],
  ])('is %j', (tool_choice, choice, parallelToolCalls) => {
    expect(readMessages({ tools: [tool('look')], tool_choice })).toMatchObject({ choice, parallelToolCalls });
  });

  it.each([
    ['auto', 'tool_choice'],
    [{}, 'tool_choice.type'],
    [{ type: 'required' }, 'tool_choice.type'],
    [{ type: 'tool' }, 'tool_choice.name'],
    [{ type: 'any', disable_parallel_tool_use: 1 }, 'tool_choice.disable_parallel_tool_use'],
  ])('is refused as %j', (tool_choice, param) => {
    expect(refusalOf({ tools: [tool('look')], tool_choice })).toMatchObject({
      code: 'invalid_request_error',
      param,
    });
  });

  it.each([{ type: 'any' }, { type: 'tool', name: 'look' }])('of %j needs a tool', (tool_choice) => {
    expect(refusalOf({ tool_choice })).toEqual({
      code: 'invalid_request_error',
      param: 'tool_choice',
      message: 'tool_choice requires a tool call, but the request has no tools',
    });
  });
});
