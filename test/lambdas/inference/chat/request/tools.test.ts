import { describe, expect, it } from 'vitest';
import { readToolUse as readTools } from '#lambdas/inference/chat/request/tools.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';

function readToolUse(body: Record<string, unknown>) {
  const { toolNames: _, ...use } = readTools(body);
  return use;
}

function errorFor(body: Record<string, unknown>) {
  try {
    readToolUse(body);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  return null;
}

const tool = (name: string, fields: object = {}) => ({ type: 'function', function: { name, ...fields } });
const parsedTool = (name: string, param: string, overrides: object = {}) => ({
  type: 'function',
  name,
  namespace: null,
  description: null,
  parameters: null,
  strict: null,
  cacheControl: null,
  param,
  ...overrides,
});

describe('readToolUse', () => {
  it('reads function tools and the path of each', () => {
    const parameters = { type: 'object', properties: { constructor: { type: 'string' } } };
    const tools = [
      tool('look', { description: 'Looks', parameters, strict: true }),
      tool('go', { description: null, parameters: null, strict: null }),
      tool('empty', { parameters: {} }),
    ];
    expect(readToolUse({ tools })).toEqual({
      tools: [
        parsedTool('look', 'tools[0]', { description: 'Looks', parameters, strict: true }),
        parsedTool('go', 'tools[1]'),
        parsedTool('empty', 'tools[2]', { parameters: {} }),
      ],
      choice: null,
    });
  });

  it('keeps __proto__ and constructor in a schema', () => {
    const schema = '{"properties":{"__proto__":{"type":"string"},"constructor":{}},"required":["__proto__"]}';
    const [parsed] = readToolUse({ tools: [tool('look', { parameters: JSON.parse(schema) })] }).tools;
    expect(JSON.stringify(parsed?.type === 'function' && parsed.parameters)).toBe(schema);
  });

  it.each([undefined, null, []])('reads tools %j as none', (tools) => {
    expect(readToolUse({ tools })).toEqual({ tools: [], choice: null });
  });

  it('reads cache_control beside or inside the function, preferring the outer one', () => {
    const [outer, inner] = [{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }];
    const tools = [
      { ...tool('a', { cache_control: inner }), cache_control: outer },
      tool('b', { cache_control: inner }),
      { ...tool('c'), cache_control: null },
    ];
    expect(readToolUse({ tools }).tools).toEqual([
      parsedTool('a', 'tools[0]', { cacheControl: outer }),
      parsedTool('b', 'tools[1]', { cacheControl: inner }),
      parsedTool('c', 'tools[2]'),
    ]);
  });

  it.each([
    { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    { type: 'custom', name: 'look', input_schema: { type: 'object' } },
    { google_search: {} },
    { name: 'look', input_schema: {} },
  ])('keeps a provider-specific tool unchanged: %j', (definition) => {
    expect(readToolUse({ tools: [definition] }).tools).toEqual([
      { type: 'hosted', api: null, definition, param: 'tools[0]' },
    ]);
  });

  it('reads custom tools, and does not mistake those of Anthropic for them', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } };
    const tools = [
      { type: 'custom', custom: { name: 'b', description: 'Writes', format } },
      { type: 'custom', custom: { name: 'c' } },
    ];
    expect(readToolUse({ tools }).tools).toEqual([
      { type: 'custom', name: 'b', namespace: null, description: 'Writes', format, param: 'tools[0]' },
      { type: 'custom', name: 'c', namespace: null, description: null, format: null, param: 'tools[1]' },
    ]);
    expect(errorFor({ tools: [{ type: 'custom', custom: {} }] })).toEqual({
      code: 'invalid_request_error',
      param: 'tools[0].custom.name',
    });
  });

  it.each<[unknown, string]>([
    [{}, 'tools'],
    ['look', 'tools'],
    [[tool('a'), null], 'tools[1]'],
    [['look'], 'tools[0]'],
    [[{ function: { name: 'a' } }], 'tools[0].type'],
    [[{ type: 'function' }], 'tools[0].function'],
    [[{ type: 'function', function: 'look' }], 'tools[0].function'],
    [[{ type: 'function', name: 'look', parameters: {} }], 'tools[0].function'],
    [[{ type: 'function', function: {} }], 'tools[0].function.name'],
    [[tool('a', { description: 5 })], 'tools[0].function.description'],
    [[tool('a', { parameters: 'object' })], 'tools[0].function.parameters'],
    [[tool('a', { parameters: [] })], 'tools[0].function.parameters'],
    [[tool('a', { strict: 'yes' })], 'tools[0].function.strict'],
    [[tool('a', { cache_control: 'yes' })], 'tools[0].function.cache_control'],
    [[{ ...tool('a'), cache_control: 'yes' }], 'tools[0].cache_control'],
  ])('rejects tools %j with param %s', (tools, param) => {
    expect(errorFor({ tools })).toEqual({ code: 'invalid_request_error', param });
  });
});

describe('readToolUse with tool_choice', () => {
  const tools = [tool('look'), tool('go'), { type: 'web_search', name: 'search' }];

  it.each([
    [undefined, null],
    [null, null],
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'required' }],
    [
      { type: 'function', function: { name: 'go' } },
      { mode: 'function', name: 'go', namespace: null },
    ],
    [
      { type: 'custom', custom: { name: 'patch' } },
      { mode: 'function', name: 'patch', namespace: null },
    ],
  ])('reads tool_choice %j as %j and keeps all tools', (tool_choice, choice) => {
    expect(readToolUse({ tools, tool_choice })).toEqual({ tools: readToolUse({ tools }).tools, choice });
  });

  const allowed = (allowed_tools: unknown) => ({ type: 'allowed_tools', allowed_tools });
  it.each([
    ['auto', [tool('go')], ['tools[1]']],
    ['required', [tool('go'), tool('look')], ['tools[0]', 'tools[1]']],
    ['auto', [{ type: 'web_search' }, tool('look')], ['tools[0]', 'tools[2]']],
    ['auto', [tool('go'), tool('go')], ['tools[1]']],
    ['auto', [], []],
  ])('keeps only allowed tools, mode %s: %j', (mode, list, params) => {
    const use = readToolUse({ tools, tool_choice: allowed({ mode, tools: list }) });
    expect([use.choice, use.tools.map(({ param }) => param)]).toEqual([{ mode }, params]);
  });

  it('handles 30,000 allowed tools of the same name', () => {
    const many = Array.from({ length: 30_000 }, () => tool('go'));
    const use = readToolUse({ tools: many, tool_choice: allowed({ mode: 'auto', tools: many }) });
    expect(use.tools.length).toBe(30_000);
  });

  it.each([
    'required',
    { type: 'function', function: { name: 'go' } },
    allowed({ mode: 'required', tools: [] }),
  ])('rejects tool_choice %j without tools', (tool_choice) => {
    expect(errorFor({ tools: [], tool_choice })).toEqual({
      code: 'invalid_request_error',
      param: 'tool_choice',
    });
  });

  const list = 'tool_choice.allowed_tools';
  it.each<[unknown, string]>([
    ['any', 'tool_choice'],
    [5, 'tool_choice'],
    [[], 'tool_choice'],
    [{}, 'tool_choice'],
    [{ type: 'auto' }, 'tool_choice'],
    [{ type: 'tool', name: 'go' }, 'tool_choice'],
    [{ type: 'function', name: 'go' }, 'tool_choice'],
    [{ type: 'custom', name: 'go' }, 'tool_choice'],
    [{ type: 'custom', custom: {} }, 'tool_choice.custom.name'],
    [{ type: 'function', function: {} }, 'tool_choice.function.name'],
    [allowed(undefined), list],
    [allowed({ tools: [] }), list],
    [allowed({ mode: 'none', tools: [] }), list],
    [allowed({ mode: 'auto', tools: {} }), `${list}.tools`],
    [allowed({ mode: 'auto', tools: [tool('go'), tool('fly')] }), `${list}.tools[1]`],
    [allowed({ mode: 'auto', tools: ['go'] }), `${list}.tools[0]`],
    [allowed({ mode: 'auto', tools: [{}] }), `${list}.tools[0]`],
    [allowed({ mode: 'auto', tools: [{ type: 'function' }] }), `${list}.tools[0]`],
  ])('rejects tool_choice %j with param %s', (tool_choice, param) => {
    expect(errorFor({ tools, tool_choice })).toEqual({ code: 'invalid_request_error', param });
  });
});
