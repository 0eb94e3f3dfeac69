import { describe, expect, it } from 'vitest';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';

const ephemeral = { type: 'ephemeral' };
const oneHour = { type: 'ephemeral', ttl: '1h' };
const png = 'data:image/png;base64,iVBORw0KGgo=';
const pdf = 'data:application/pdf;base64,JVBERi0xLjQK';

async function messagesFor(messages: object[]): Promise<unknown> {
  return (await callAnthropic({ messages })).body.messages;
}
const contentFor = async (...content: object[]) => {
  const [message] = (await messagesFor([{ role: 'user', content }])) as { content: unknown }[];
  return message?.content;
};
const toolCall = (id: string, text = '{}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: text },
});

describe('Messages sent to Anthropic', () => {
  it('sends system and developer messages as system, with their cache_control', async () => {
    const { body } = await callAnthropic({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: oneHour }] },
        { role: 'user', content: 'Hi' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'system', content: '' },
      ],
    });

    expect(body.system).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: oneHour },
      { type: 'text', text: 'Be kind.' },
    ]);
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
  });

  it('merges consecutive user and tool messages into one turn, which starts with the tool results', async () => {
    expect(
      await messagesFor([
        { role: 'user', content: 'One' },
        { role: 'user', content: 'Two' },
        {
          role: 'assistant',
          content: '\n\n',
          tool_calls: [toolCall('a', '{"big":9007199254740993}'), toolCall('b')],
        },
        { role: 'tool', tool_call_id: 'b', content: 'B' },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A' }], cache_control: ephemeral },
        { role: 'user', content: 'Well?' },
      ]),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'weather', input: { big: 9007199254740992 } },
          { type: 'tool_use', id: 'b', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'B' }] },
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'text', text: 'A' }],
            cache_control: ephemeral,
          },
          { type: 'text', text: 'Well?' },
        ],
      },
    ]);
  });

  it('puts the cache_control of a message on its last block', async () => {
    expect(
      await messagesFor([
        { role: 'user', content: 'Hi', cache_control: oneHour },
        {
          role: 'assistant',
          content: 'Hm',
          tool_calls: [toolCall('a'), toolCall('b')],
          cache_control: ephemeral,
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A', cache_control: ephemeral }] },
      ]),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: oneHour }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hm' },
          { type: 'tool_use', id: 'a', name: 'weather', input: {} },
          { type: 'tool_use', id: 'b', name: 'weather', input: {}, cache_control: ephemeral },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'text', text: 'A' }],
            cache_control: ephemeral,
          },
        ],
      },
    ]);
  });

  it('preserves the digits of numbers in call arguments', async () => {
    const { outgoing } = await callAnthropic({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [toolCall('a', '{"big":9007199254740993,"one":1.0}')] },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ],
    });

    expect(outgoing.body).toContain('"input":{"big":9007199254740993,"one":1.0}');
    expect(outgoing.body).toContain('{"type":"tool_result","tool_use_id":"a"}');
  });

  it('replaces invalid tool call ids consistently in calls and results', async () => {
    expect(
      await messagesFor([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [toolCall('functions.weather:0'), toolCall('functions_weather_0')] },
        { role: 'tool', tool_call_id: 'functions.weather:0', content: 'A' },
        { role: 'tool', tool_call_id: 'functions_weather_0', content: 'B' },
      ]),
    ).toMatchObject([
      {},
      { content: [{ id: 'functions_2e_weather_3a_0' }, { id: 'functions_weather_0' }] },
      { content: [{ tool_use_id: 'functions_2e_weather_3a_0' }, { tool_use_id: 'functions_weather_0' }] },
    ]);
  });

  it.each([
    ['without content', {}],
    [
      'with only thinking blocks',
      { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }] },
    ],
  ])('omits an assistant message %s', async (_, fields) => {
    expect(
      await messagesFor([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', ...fields },
        { role: 'user', content: 'Hello?' },
      ]),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hello?' }] },
    ]);
  });

  it('omits blank texts and moves their cache_control to the previous block', async () => {
    const blank = { type: 'text', text: ' \n' };
    const { body } = await callAnthropic({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }, blank] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { ...blank, cache_control: ephemeral },
          ],
        },
        { role: 'assistant', tool_calls: [toolCall('a')] },
        { role: 'tool', tool_call_id: 'a', content: '\n' },
      ],
    });

    expect(body.system).toEqual([{ type: 'text', text: 'Be brief.' }]);
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: ephemeral }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ]);
  });

  it('sends signed thinking blocks back, before the text', async () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig', index: 0 },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'thinking', thinking: 'Of another provider' },
    ];

    expect(
      await messagesFor([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello', reasoning_content: 'Hm.', thinking_blocks },
        { role: 'user', content: 'Well?' },
      ]),
    ).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'text', text: 'Hello' },
        ],
      },
      {},
    ]);
  });
});

describe('Content sent to Anthropic', () => {
  it('sends images by URL and as base64', async () => {
    expect(
      await contentFor(
        { type: 'text', text: '' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' }, cache_control: ephemeral },
        { type: 'image_url', image_url: { url: png } },
        { type: 'image_url', image_url: { url: 'data:image/jpg;base64,/9j/' } },
      ),
    ).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' }, cache_control: ephemeral },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/' } },
    ]);
  });

  it('sends PDF files as base64 or by URL, and text files as text', async () => {
    const text = `data:text/csv;base64,${Buffer.from('å,1').toString('base64')}`;

    expect(
      await contentFor(
        { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
        { type: 'file', file: { filename: 'a.csv', file_data: text } },
        { type: 'file', file: { file_data: 'https://example.com/b.pdf' } },
      ),
    ).toEqual([
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'å,1' }, title: 'a.csv' },
      { type: 'document', source: { type: 'url', url: 'https://example.com/b.pdf' } },
    ]);
  });

  it.each([
    [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 'messages[0].content[0]'],
    [{ type: 'file', file: { file_data: 'data:application/zip;base64,AAAA' } }, 'messages[0].content[0]'],
    [{ type: 'file', file: { file_id: 'file-1' } }, 'messages[0].content[0].file.file_id'],
  ])('rejects unsupported content: %j', async (part, param) => {
    await expect(contentFor(part)).rejects.toMatchObject({ status: 400, param });
  });
});

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (overrides: object = {}) => ({
  type: 'function',
  function: { name: 'weather', description: 'Now', parameters, ...overrides },
});
const anthropicTool = { name: 'weather', description: 'Now', input_schema: parameters };

async function toolsFor(request: Record<string, unknown>) {
  const { tools, tool_choice } = (await callAnthropic(request)).body;
  return { ...(tools && { tools }), ...(tool_choice && { tool_choice }) };
}

describe('Tools sent to Anthropic', () => {
  it('sends function parameters as input_schema', async () => {
    expect(await toolsFor({ tools: [tool()] })).toEqual({ tools: [anthropicTool] });
  });

  it('adds the type object to schemas without a type', async () => {
    const withoutParameters = { type: 'function', function: { name: 'a' } };
    const untyped = { type: 'function', function: { name: 'b', parameters: { properties: {} } } };

    expect(await toolsFor({ tools: [withoutParameters, untyped] })).toEqual({
      tools: [
        { name: 'a', input_schema: { type: 'object' } },
        { name: 'b', input_schema: { type: 'object', properties: {} } },
      ],
    });
  });

  it('sends strict and cache_control of functions, and sends server tools unchanged', async () => {
    const search = { type: 'web_search_20260209', name: 'web_search', max_uses: 2 };
    const closed = { ...parameters, additionalProperties: false };

    expect(
      await toolsFor({
        tools: [
          tool({ strict: true, parameters: { ...closed, examples: [{ city: 'Oslo' }] } }),
          { ...tool({ name: 'other', strict: false }), cache_control: { type: 'ephemeral' } },
          search,
        ],
      }),
    ).toEqual({
      tools: [
        { ...anthropicTool, input_schema: closed, strict: true },
        { ...anthropicTool, name: 'other', cache_control: { type: 'ephemeral' } },
        search,
      ],
    });
  });

  it('sends a closed empty schema for a strict function without parameters', async () => {
    const tools = [{ type: 'function', function: { name: 'a', strict: true } }];

    expect(await toolsFor({ tools })).toEqual({
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
  ])('translates the tool choice %j', async (choice, expected) => {
    expect((await toolsFor({ tools: [tool()], ...choice })).tool_choice).toEqual(expected);
  });

  it('declares the tools of earlier calls with tool_choice none when the request has no tools', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'weather' } })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'Rain' },
      { role: 'tool', tool_call_id: 'b', content: 'Rain' },
    ];

    expect(await toolsFor({ messages })).toEqual({
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  it('rejects tool_choice required without tools, and omits tool_choice none', async () => {
    expect(await toolsFor({ tool_choice: 'none', parallel_tool_calls: false })).toEqual({});
    await expect(toolsFor({ tool_choice: 'required' })).rejects.toMatchObject({
      code: 'invalid_request_error',
      param: 'tool_choice',
    });
  });
});
