import { describe, expect, it } from 'vitest';
import { readResponses, refusalOf } from '#test/support/responses/read.ts';

const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
const patch = { type: 'custom', name: 'patch' };
const search = { type: 'web_search' };
const tools = [
  tool('look'),
  tool('go'),
  patch,
  search,
  { type: 'namespace', name: 'team', tools: [tool('ask'), tool('go')] },
];
const chosen = (name: string, namespace: string | null = null) => ({ mode: 'function', name, namespace });
const allowed = (mode: string, ...entries: unknown[]) => ({ type: 'allowed_tools', mode, tools: entries });

describe('The tool choice', () => {
  it.each([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'required' }],
    [{ type: 'function', name: 'look' }, chosen('look')],
    [{ type: 'custom', name: 'patch' }, chosen('patch')],
    [{ type: 'function', name: 'ask' }, chosen('ask', 'team')],
    [{ type: 'function', name: 'ask', namespace: 'team' }, chosen('ask', 'team')],
    [{ type: 'function', name: 'go' }, chosen('go')],
    [{ type: 'function', name: 'go', namespace: 'team' }, chosen('go', 'team')],
    [null, null],
  ])('%j is %j', (tool_choice, choice) => {
    const use = readResponses({ tools, tool_choice });
    expect(use.choice).toEqual(choice);
    expect(use.tools).toHaveLength(6);
  });

  it.each([
    ['auto', [{ type: 'function', name: 'look' }], ['look']],
    [
      'required',
      [
        { type: 'custom', name: 'patch' },
        { type: 'function', name: 'go' },
      ],
      ['go', 'patch'],
    ],
    ['auto', [{ type: 'web_search' }], ['web_search']],
  ])('%s between some tools leaves out the others: %j', (mode, entries, names) => {
    const use = readResponses({ tools, tool_choice: allowed(mode, ...entries) });
    expect(use.choice).toEqual({ mode });
    const kept = use.tools.map((each) => (each.type === 'hosted' ? each.definition.type : each.name));
    expect([...new Set(kept)]).toEqual(names);
    // The names at the provider do not depend on the choice.
    expect(use.toolNames).toHaveLength(5);
  });

  it.each([
    [5, 'tool_choice'],
    ['any', 'tool_choice'],
    [[], 'tool_choice'],
    [{}, 'tool_choice.type'],
    [{ type: 'function' }, 'tool_choice.name'],
    [{ type: 'custom', name: 5 }, 'tool_choice.name'],
    [{ type: 'function', name: 'look', namespace: 5 }, 'tool_choice.namespace'],
    [{ type: 'allowed_tools', tools: [{ type: 'function', name: 'look' }] }, 'tool_choice'],
    [allowed('none'), 'tool_choice'],
    [{ type: 'allowed_tools', mode: 'auto', tools: {} }, 'tool_choice.tools'],
    [allowed('auto', { type: 'function', name: 'find' }), 'tool_choice.tools[0]'],
    [allowed('auto', { type: 'function', name: 'look' }, { type: 'function' }), 'tool_choice.tools[1]'],
    [allowed('auto', 'look'), 'tool_choice.tools[0]'],
    [allowed('auto', { type: 'file_search' }), 'tool_choice.tools[0]'],
    [allowed('required'), 'tool_choice'],
  ])('is refused as %j', (tool_choice, param) => {
    expect(refusalOf({ tools, tool_choice })).toMatchObject({ code: 'invalid_request_error', param });
  });

  it.each(['required', { type: 'function', name: 'look' }])('of %j needs a tool', (tool_choice) => {
    expect(refusalOf({ tool_choice })).toEqual({
      code: 'invalid_request_error',
      param: 'tool_choice',
      message: 'tool_choice requires a tool call, but the request has no tools',
    });
  });
});

describe('Calls one at a time', () => {
  const one = [tool('look')];

  it.each([
    ['by default', {}, null, true],
    ['of several tools', { tools, tool_choice: 'auto' }, false, false],
    ['of several tools that are required', { tools, tool_choice: 'required' }, false, false],
    ['of one tool, which may be called more than once', { tools: one }, false, false],
    ['of one tool that is required', { tools: one, tool_choice: 'required' }, null, true],
    ['of one chosen tool', { tools, tool_choice: { type: 'function', name: 'look' } }, null, true],
    ['of no tool', { tools, tool_choice: 'none' }, null, true],
    ['without tools', { tools: [] }, null, true],
    [
      'of tools in an item',
      { tools: one, tool_choice: 'required', input: [{ type: 'additional_tools', tools }] },
      false,
      false,
    ],
    [
      'of tools in a group',
      { tools: [{ type: 'namespace', name: 'team', tools: one }], tool_choice: 'required' },
      false,
      false,
    ],
  ] as const)('%s make a difference: %s', (title, fields, parallelToolCalls, isDefault) => {
    const asked = title === 'by default' ? fields : { ...fields, parallel_tool_calls: false };
    const request = readResponses(asked);
    const setting = request.settings.find(({ key }) => key === 'parallelToolCalls');
    expect([request.parallelToolCalls, setting?.isDefault ?? true]).toEqual([parallelToolCalls, isDefault]);
  });
});
