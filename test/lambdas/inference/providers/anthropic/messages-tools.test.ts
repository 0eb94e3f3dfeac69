import { describe, expect, it } from 'vitest';
import { askAnthropic } from '#test/support/providers/anthropic/anthropic-exchange.ts';

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (differences: object = {}) => ({
  type: 'function',
  function: { name: 'weather', description: 'Now', parameters, ...differences },
});
const schema = { name: 'weather', description: 'Now', input_schema: parameters };

async function toolsOf(request: Record<string, unknown>) {
  const { tools, tool_choice } = (await askAnthropic(request)).body;
  return { ...(tools && { tools }), ...(tool_choice && { tool_choice }) };
}

describe('tools', () => {
  it('have a schema for their input', async () => {
    expect(await toolsOf({ tools: [tool()] })).toEqual({ tools: [schema] });
  });

  it('take an object also where the caller did not say so', async () => {
    const bare = { type: 'function', function: { name: 'a' } };
    const untyped = { type: 'function', function: { name: 'b', parameters: { properties: {} } } };

    expect(await toolsOf({ tools: [bare, untyped] })).toEqual({
      tools: [
        { name: 'a', input_schema: { type: 'object' } },
        { name: 'b', input_schema: { type: 'object', properties: {} } },
      ],
    });
  });

  it('are strict, marked for the cache, or written in the words of Anthropic', async () => {
    const search = { type: 'web_search_20260209', name: 'web_search', max_uses: 2 };
    const closed = { ...parameters, additionalProperties: false };

    expect(
      await toolsOf({
        tools: [
          tool({ strict: true, parameters: { ...closed, examples: [{ city: 'Oslo' }] } }),
          { ...tool({ name: 'other', strict: false }), cache_control: { type: 'ephemeral' } },
          search,
        ],
      }),
    ).toEqual({
      tools: [
        { ...schema, input_schema: closed, strict: true },
        { ...schema, name: 'other', cache_control: { type: 'ephemeral' } },
        search,
      ],
    });
  });

  it('are strict also without arguments', async () => {
    const tools = [{ type: 'function', function: { name: 'a', strict: true } }];

    expect(await toolsOf({ tools })).toEqual({
      tools: [
        {
          name: 'a',
          input_schema: { type: 'object', properties: {}, additionalProperties: false },
          strict: true,
        },
      ],
    });
  });

  it.each([
    [{ tool_choice: 'auto' }, { type: 'auto' }],
    [{ tool_choice: 'none' }, { type: 'none' }],
    [{ tool_choice: 'required' }, { type: 'any' }],
    [{ tool_choice: { type: 'function', function: { name: 'weather' } } }, { type: 'tool', name: 'weather' }],
    [{ parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { parallel_tool_calls: false, tool_choice: 'required' },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [{ parallel_tool_calls: false, tool_choice: 'none' }, { type: 'none' }],
    [{ parallel_tool_calls: true }, undefined],
  ])('are chosen among: %j', async (choice, expected) => {
    expect((await toolsOf({ tools: [tool()], ...choice })).tool_choice).toEqual(expected);
  });

  it('that were called before are defined, and not to be called, when none are given', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'weather' } })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'Rain' },
      { role: 'tool', tool_call_id: 'b', content: 'Rain' },
    ];

    expect(await toolsOf({ messages })).toEqual({
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  it('that are not there cannot be chosen, unless it is none', async () => {
    expect(await toolsOf({ tool_choice: 'none', parallel_tool_calls: false })).toEqual({});
    await expect(toolsOf({ tool_choice: 'required' })).rejects.toMatchObject({
      code: 'invalid_request_error',
      param: 'tool_choice',
    });
  });
});
