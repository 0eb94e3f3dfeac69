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
const bodyOf = async (request: Record<string, unknown>) => (await expectAccepted(upstream, request)).body;
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

describe('tools for Bedrock', () => {
  it('have a schema that says it is of an object', async () => {
    const bare = { type: 'function', function: { name: 'ships', description: ' ' } };

    expect((await bodyOf({ tools: [weather, bare] })).toolConfig).toEqual({
      tools: [weatherSpec, { toolSpec: { name: 'ships', inputSchema: { json: { type: 'object' } } } }],
    });
  });

  it('of its own are taken in its own words', async () => {
    const grounding = { type: 'system', systemTool: { name: 'nova_grounding' } };

    expect((await bodyOf({ model: nova, tools: [grounding] })).toolConfig).toEqual({
      tools: [{ systemTool: { name: 'nova_grounding' } }],
    });
  });

  it('are strict with a model that compiles schemas', async () => {
    const closed = { ...parameters, $schema: 'x', additionalProperties: false };
    const tools = [{ type: 'function', function: { name: 'weather', strict: true, parameters: closed } }];
    const strict = await expectAccepted(upstream, { tools });
    const loose = await expectAccepted(upstream, { model: nova, tools });
    const others = await Promise.all(
      [llama, mistral].map((model) => expectAccepted(upstream, { model, tools })),
    );

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
    expect(others).toEqual([loose, loose]);
  });

  it('are strict also without arguments', async () => {
    const tools = [{ type: 'function', function: { name: 'ships', strict: true } }];
    const closed = { type: 'object', properties: {}, additionalProperties: false };

    expect((await bodyOf({ tools })).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'ships', inputSchema: { json: closed }, strict: true } }],
    });
  });

  it.each([
    ['auto', 'auto', {}],
    ['required', 'required', { toolChoice: { any: {} } }],
    [
      'a name',
      { type: 'function', function: { name: 'weather' } },
      { toolChoice: { tool: { name: 'weather' } } },
    ],
  ])('can be chosen: %s', async (_, tool_choice, written) => {
    expect((await bodyOf({ tools: [weather], tool_choice })).toolConfig).toEqual({
      tools: [weatherSpec],
      ...written,
    });
  });

  it.each([
    ['nothing was called before', [hi]],
    ['something was', history],
  ])('cannot be wanted where there are none: %s', async (_, messages) => {
    expect(await expectRejected({ messages, tool_choice: 'required' })).toEqual({
      code: 'invalid_request_error',
      param: 'tool_choice',
      message: 'tool_choice asks for a call, and the request has no tools',
    });
  });

  it('are left out when none may be called', async () => {
    expect(await bodyOf({ messages: [hi], tools: [weather], tool_choice: 'none' })).toEqual({
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
    'are called one at a time by Claude, which has a choice of its own for it: %s',
    async (tool_choice, own) => {
      const body = await bodyOf({ tools: [weather], tool_choice, parallel_tool_calls: false });

      expect(body.toolConfig).toEqual({ tools: [weatherSpec] });
      expect(body.additionalModelRequestFields).toEqual({
        tool_choice: { ...own, disable_parallel_tool_use: true },
      });
    },
  );

  it('cannot be kept from being called at once with other models', async () => {
    const request = { model: nova, tools: [weather], parallel_tool_calls: false };

    expect(await expectRejected(request)).toEqual({
      code: 'unsupported_parameter',
      param: 'parallel_tool_calls',
      message: 'parallel_tool_calls can be false with Claude only: no other model on Bedrock can be told',
    });
  });
});

describe('a loop of tools with Bedrock', () => {
  it('gives calls and results back, numbers with every digit', async () => {
    const args = '{"id":12345678901234567890,"share":1.0}';
    const messages = [
      hi,
      { role: 'assistant', content: 'I look.', tool_calls: [call('a', args), call('b', '')] },
      result('a', [{ type: 'text', text: '9 °C' }]),
      result('b', ''),
      { role: 'user', content: 'And?' },
    ];

    const { messages: sent } = await bodyOf({ messages, tools: [weather] });

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

  it('keeps the thoughts of Claude from other models, which refuse what is signed', async () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'Oslo?', signature: 'c2ln' }];
    const messages = [hi, { role: 'assistant', content: 'Hello', thinking_blocks }, hi];

    expect((await bodyOf({ model: nova, messages })).messages).toContainEqual({
      role: 'assistant',
      content: [{ text: 'Hello' }],
    });
  });

  it('can have an image for a result', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const messages = [...history.slice(0, 2), result('a', [image])];

    expect((await bodyOf({ messages, tools: [weather] })).messages).toContainEqual({
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

  it('has ids that Bedrock takes, of a call and its result the same', async () => {
    const long = `call_${'x'.repeat(80)}`;
    const messages = [
      hi,
      { role: 'assistant', content: null, tool_calls: [call(long), call('functions.weather:0'), call('é')] },
      ...[long, 'functions.weather:0', 'é'].map((id) => result(id)),
    ];

    const body = JSON.stringify(await bodyOf({ messages, tools: [weather] }));

    expect([...body.matchAll(/"toolUseId":"([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'call_9d2c5a5ba9ff34261622906b44352f9a',
      'functions.weather:0',
      'call_4a99557e4033c3539de2eb65472017ca',
      'call_9d2c5a5ba9ff34261622906b44352f9a',
      'functions.weather:0',
      'call_4a99557e4033c3539de2eb65472017ca',
    ]);
  });

  it('has ids of nine letters with Mistral', async () => {
    const body = JSON.stringify(await bodyOf({ model: mistral, messages: history, tools: [weather] }));

    expect(body.match(/"toolUseId":"[a-z0-9]{9}"/g)).toHaveLength(2);
  });

  it.each([
    [
      'tools are not given',
      {},
      [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
    ],
    ['none may be called', { tools: [weather], tool_choice: 'none' }, [weatherSpec]],
  ])('ends when %s: Claude is told not to call', async (_, request, tools) => {
    const body = await bodyOf({ messages: history, ...request });

    expect(body.toolConfig).toEqual({ tools });
    expect(body.additionalModelRequestFields).toEqual({ tool_choice: { type: 'none' } });
  });

  it('names the tools of before to other models too', async () => {
    const body = await bodyOf({ model: nova, messages: history });

    expect(body.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
    });
    expect(body.additionalModelRequestFields).toBeUndefined();
  });

  it('cannot be forbidden to other models', async () => {
    const request = { model: nova, messages: history, tools: [weather], tool_choice: 'none' };

    expect(await expectRejected(request)).toEqual({
      code: 'unsupported_parameter',
      param: 'tool_choice',
      message:
        'tool_choice can be none with Claude only when earlier messages hold tool calls: no other model on Bedrock can be told',
    });
  });
});
