import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccepted, expectRejected } from '#test/support/providers/bedrock/call.ts';
import { type BedrockUpstream, startBedrockUpstream } from '#test/support/providers/bedrock/upstream.ts';

let upstream: BedrockUpstream;
beforeAll(async () => {
  upstream = await startBedrockUpstream();
});
afterAll(() => upstream.stop());

const nova = 'amazon.nova-lite-v1:0';
const llama = 'us.meta.llama3-3-70b-instruct-v1:0';
const mistral = 'mistral.mistral-large-2402-v1:0';
const bodyFor = async (request: Record<string, unknown>) => (await expectAccepted(upstream, request)).body;
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const weather = { type: 'function', function: { name: 'weather', description: 'In a city', parameters } };
const weatherSpec = {
  toolSpec: { name: 'weather', description: 'In a city', inputSchema: { json: parameters } },
};
const hi = { role: 'user', content: 'Hi' };
const call = (id: string, args = '{"city":"Oslo"}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
});
const result = (id: string, content: unknown = '9 °C') => ({ role: 'tool', tool_call_id: id, content });
const history = [hi, { role: 'assistant', content: null, tool_calls: [call('a')] }, result('a')];

describe('Tools sent to Bedrock', () => {
  it('sends functions with an object schema, also without parameters', async () => {
    const withoutParameters = { type: 'function', function: { name: 'ships', description: ' ' } };

    expect((await bodyFor({ tools: [weather, withoutParameters] })).toolConfig).toEqual({
      tools: [weatherSpec, { toolSpec: { name: 'ships', inputSchema: { json: { type: 'object' } } } }],
    });
  });

  it("forwards Bedrock's system tools", async () => {
    const grounding = { type: 'system', systemTool: { name: 'nova_grounding' } };

    expect((await bodyFor({ model: nova, tools: [grounding] })).toolConfig).toEqual({
      tools: [{ systemTool: { name: 'nova_grounding' } }],
    });
  });

  it('sends strict only to models that support it, otherwise reports it as ignored', async () => {
    const closed = { ...parameters, $schema: 'x', additionalProperties: false };
    const tools = [{ type: 'function', function: { name: 'weather', strict: true, parameters: closed } }];
    const strict = await expectAccepted(upstream, { tools });
    const loose = await expectAccepted(upstream, { model: llama, tools });
    const other = await expectAccepted(upstream, { model: mistral, tools });
    const plain = await expectAccepted(upstream, { model: nova, tools });

    expect(strict.body.toolConfig).toEqual({
      tools: [
        {
          toolSpec: {
            name: 'weather',
            inputSchema: { json: { ...parameters, additionalProperties: false } },
            strict: true,
          },
        },
      ],
    });
    expect(strict.ignored).toEqual([]);
    expect(loose.body.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: closed } } }],
    });
    expect(loose.ignored).toEqual(['tools.function.strict']);
    expect(other).toEqual(loose);
    expect(plain.body.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: parameters } } }],
    });
    expect(plain.ignored).toEqual(loose.ignored);
  });

  it('reports the schema of other properties that Nova does not take', async () => {
    const open = { ...parameters, additionalProperties: { type: 'string' } };
    const tools = [{ type: 'function', function: { name: 'weather', parameters: open } }];
    const { body, ignored } = await expectAccepted(upstream, { model: nova, tools });

    expect(body.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: parameters } } }],
    });
    expect(ignored).toEqual(['tools.function.parameters.additionalProperties']);
  });

  it('sends a closed empty schema for a strict function without parameters', async () => {
    const tools = [{ type: 'function', function: { name: 'ships', strict: true } }];
    const closed = { type: 'object', properties: {}, additionalProperties: false };

    expect((await bodyFor({ tools })).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'ships', inputSchema: { json: closed }, strict: true } }],
    });
  });

  it.each([
    ['auto', 'auto', {}],
    ['required', 'required', { toolChoice: { any: {} } }],
    [
      'a function',
      { type: 'function', function: { name: 'weather' } },
      { toolChoice: { tool: { name: 'weather' } } },
    ],
  ])('translates tool_choice: %s', async (_, tool_choice, translated) => {
    expect((await bodyFor({ tools: [weather], tool_choice })).toolConfig).toEqual({
      tools: [weatherSpec],
      ...translated,
    });
  });

  it.each([
    ['without earlier tool calls', [hi]],
    ['after earlier tool calls', history],
  ])('rejects tool_choice required without tools: %s', async (_, messages) => {
    expect(await expectRejected({ messages, tool_choice: 'required' })).toEqual({
      code: 'invalid_request_error',
      param: 'tool_choice',
      message: 'tool_choice requires a tool call, but the request has no tools',
    });
  });

  it('omits tools with tool_choice none', async () => {
    expect(await bodyFor({ messages: [hi], tools: [weather], tool_choice: 'none' })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    });
  });

  it.each([
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'weather' } },
      { type: 'tool', name: 'weather' },
    ],
  ])(
    "translates parallel_tool_calls false to Claude's tool_choice: %s",
    async (tool_choice, claudeChoice) => {
      const body = await bodyFor({ tools: [weather], tool_choice, parallel_tool_calls: false });

      expect(body.toolConfig).toEqual({ tools: [weatherSpec] });
      expect(body.additionalModelRequestFields).toEqual({
        tool_choice: { ...claudeChoice, disable_parallel_tool_use: true },
      });
    },
  );

  it('rejects parallel_tool_calls false for models other than Claude', async () => {
    const request = { model: nova, tools: [weather], parallel_tool_calls: false };

    expect(await expectRejected(request)).toEqual({
      code: 'unsupported_parameter',
      param: 'parallel_tool_calls',
      message: 'parallel_tool_calls can be false for Claude only: other models on Bedrock do not support it',
    });
  });
});

describe('Tool calls and results sent to Bedrock', () => {
  it('sends calls and results, preserving the digits of numbers', async () => {
    const args = '{"id":12345678901234567890,"share":1.0}';
    const messages = [
      hi,
      { role: 'assistant', content: 'I look.', tool_calls: [call('a', args), call('b', '')] },
      result('a', [{ type: 'text', text: '9 °C' }]),
      result('b', ''),
      { role: 'user', content: 'And?' },
    ];

    const { messages: sent } = await bodyFor({ messages, tools: [weather] });

    expect(sent).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { text: 'I look.' },
          { toolUse: { toolUseId: 'a', name: 'weather', input: JSON.parse(args) } },
          { toolUse: { toolUseId: 'b', name: 'weather', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ text: '9 °C' }] } },
          { toolResult: { toolUseId: 'b', content: [] } },
          { text: 'And?' },
        ],
      },
    ]);
    expect(upstream.requests.at(-1)?.body.toString()).toContain(`"input":${args}`);
  });

  it("does not send Claude's thinking blocks to other models, which reject signatures", async () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'Oslo?', signature: 'c2ln' }];
    const messages = [hi, { role: 'assistant', content: 'Hello', thinking_blocks }, hi];

    expect((await bodyFor({ model: nova, messages })).messages).toContainEqual({
      role: 'assistant',
      content: [{ text: 'Hello' }],
    });
  });

  it('sends an image as tool result', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const messages = [...history.slice(0, 2), result('a', [image])];

    expect((await bodyFor({ messages, tools: [weather] })).messages).toContainEqual({
      role: 'user',
      content: [
        {
          toolResult: {
            toolUseId: 'a',
            content: [{ image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }],
          },
        },
      ],
    });
  });

  it('replaces invalid tool call ids consistently in calls and results', async () => {
    const long = `call_${'x'.repeat(80)}`;
    const messages = [
      hi,
      { role: 'assistant', content: null, tool_calls: [call(long), call('functions.weather:0'), call('é')] },
      ...[long, 'functions.weather:0', 'é'].map((id) => result(id)),
    ];

    const body = JSON.stringify(await bodyFor({ messages, tools: [weather] }));

    expect([...body.matchAll(/"toolUseId":"([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'call_9d2c5a5ba9ff34261622906b44352f9a',
      'functions.weather:0',
      'call_4a99557e4033c3539de2eb65472017ca',
      'call_9d2c5a5ba9ff34261622906b44352f9a',
      'functions.weather:0',
      'call_4a99557e4033c3539de2eb65472017ca',
    ]);
  });

  it('shortens tool call ids to nine characters for Mistral', async () => {
    const body = JSON.stringify(await bodyFor({ model: mistral, messages: history, tools: [weather] }));

    expect(body.match(/"toolUseId":"[a-z0-9]{9}"/g)).toHaveLength(2);
  });

  it.each([
    [
      'the request has no tools',
      {},
      [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
    ],
    ['tool_choice is none', { tools: [weather], tool_choice: 'none' }, [weatherSpec]],
  ])('forbids Claude to call tools when %s but earlier messages have calls', async (_, request, tools) => {
    const body = await bodyFor({ messages: history, ...request });

    expect(body.toolConfig).toEqual({ tools });
    expect(body.additionalModelRequestFields).toEqual({ tool_choice: { type: 'none' } });
  });

  it('declares the tools of earlier calls to other models too', async () => {
    const body = await bodyFor({ model: nova, messages: history });

    expect(body.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
    });
    expect(body.additionalModelRequestFields).toBeUndefined();
  });

  it('rejects tool_choice none for other models when earlier messages have calls', async () => {
    const request = { model: nova, messages: history, tools: [weather], tool_choice: 'none' };

    expect(await expectRejected(request)).toEqual({
      code: 'unsupported_parameter',
      param: 'tool_choice',
      message:
        'tool_choice can be none after earlier tool calls for Claude only: other models on Bedrock do not support it',
    });
  });
});

describe('Tool names that Bedrock refuses', () => {
  const named = (name: string) => ({ type: 'function', function: { name } });

  it('are replaced in tools, the tool choice and earlier calls', async () => {
    const earlier = { id: 'a', type: 'function', function: { name: 'get.weather', arguments: '{}' } };
    const body = await bodyFor({
      messages: [hi, { role: 'assistant', tool_calls: [earlier] }, result('a')],
      tools: [named('get.weather'), named('x'.repeat(65))],
      tool_choice: named('get.weather'),
    });

    expect(body.toolConfig).toEqual({
      tools: ['get_weather', 'x'.repeat(64)].map((name) => ({
        toolSpec: { name, inputSchema: { json: { type: 'object' } } },
      })),
      toolChoice: { tool: { name: 'get_weather' } },
    });
    expect(body.messages).toContainEqual({
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 'a', name: 'get_weather', input: {} } }],
    });
  });

  it('are not replaced by the name of the tool for JSON output', async () => {
    const json_schema = { name: 'city', schema: { type: 'object' } };
    const body = await bodyFor({
      model: nova,
      tools: [named('json.answer')],
      response_format: { type: 'json_schema', json_schema },
    });

    expect(body.toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: 'json_answer' } }, { toolSpec: { name: 'json_answer_' } }],
    });
  });
});
