import { describe, expect, it } from 'vitest';
import { parseChatRequest as parseCallerRequest } from '#lambdas/inference/chat/body.ts';
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { createPrepare, type ProviderCall } from '#lambdas/inference/providers/provider.ts';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { parseChatRequest } from '#test/support/providers/openai/chat-request.ts';
import { mistralRules } from '#test/support/providers/openai/dialect-rules.ts';
import { findRejection } from '#test/support/providers/openai/protocol.ts';
import { exchange, providerCall } from '#test/support/providers/provider-call.ts';

function protocolOf(provider: string, settings?: ProviderSettings) {
  const access = readProviderAccess(settings === undefined ? {} : { [provider]: settings });
  const entry = access.find(({ name }) => name === provider)?.entry;
  if (entry === undefined) throw new Error(`${provider} is not in the catalog`);
  return createOpenAiProtocol({
    name: provider,
    baseUrl: 'https://x.test/v1',
    region: null,
    path: '/chat/completions',
    entry,
    aws: exampleClientOptions,
  });
}

async function send(
  provider: string,
  request: Record<string, unknown>,
  settings?: ProviderSettings,
  overrides: Partial<ProviderCall> = {},
) {
  const prepare = createPrepare(() => protocolOf(provider, settings));
  const callerHeaders = { 'user-agent': 'test', cookie: 'c' };
  const call = providerCall(request, { model: 'm', callerHeaders, ...overrides });
  const { outgoing, ignoredParameters } = await exchange(prepare, call);
  return {
    ...outgoing,
    body: JSON.parse(String(outgoing.body)),
    text: String(outgoing.body),
    ignoredParameters,
  };
}

const user = { role: 'user', content: 'Hi' };
const messages = [user];
const minimalBody = { model: 'm', messages };

describe('Headers in OpenAI format', () => {
  it.each([
    ['openai', { authorization: 'Bearer sk-1' }],
    ['azure', { 'api-key': 'sk-1' }],
  ])(
    'sends %s the API key in its own header and only allow-listed caller headers',
    async (provider, header) => {
      expect((await send(provider, {})).headers).toEqual({
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'user-agent': 'test',
        ...header,
      });
    },
  );
});

describe('Requests to OpenAI', () => {
  it('sends requests unchanged except for the model', async () => {
    const request = { max_completion_tokens: 5, seed: 1, user: 'u', custom: { a: 1 }, messages };
    const { text, ignoredParameters } = await send('openai', request);
    expect(text).toBe(
      '{"model":"m","messages":[{"role":"user","content":"Hi"}],"max_completion_tokens":5,"seed":1,"user":"u","custom":{"a":1}}',
    );
    expect(ignoredParameters).toEqual([]);
  });
});

describe('Invalid messages', () => {
  it.each(['groq', 'cerebras', 'fireworks'])(
    'removes fields invalid for the role at %s and reports each once',
    async (provider) => {
      const invalid = {
        role: 'system',
        content: 'Be brief',
        tool_calls: [{ id: 'c', own: 1 }],
        tool_call_id: 'c',
      };
      const { body, ignoredParameters } = await send(provider, { messages: [invalid, user] });
      expect(body.messages).toEqual([{ role: 'system', content: 'Be brief' }, user]);
      expect(ignoredParameters).toEqual(['messages.tool_calls', 'messages.tool_call_id']);
    },
  );

  it.each([{ toString: '' }, 7, null, undefined, 'judge'])('rejects the unknown role %j', async (role) => {
    await expect(send('cerebras', { messages: [{ role, content: 'Hi' }] })).rejects.toMatchObject({
      status: 400,
      param: 'messages[0].role',
      message: 'messages[0].role is not a role that this provider supports',
    });
  });
});

describe('stream_options', () => {
  it.each(['mistral', 'cohere'])(
    'does not send stream_options to %s, which always reports usage',
    async (provider) => {
      const withUsage = await send(provider, { stream: true, stream_options: { include_usage: true } });
      expect([withUsage.body, withUsage.ignoredParameters]).toEqual([{ ...minimalBody, stream: true }, []]);

      const withObfuscation = await send(provider, {
        stream: true,
        stream_options: { include_obfuscation: false },
      });
      expect([withObfuscation.body, withObfuscation.ignoredParameters]).toEqual([
        { ...minimalBody, stream: true },
        ['stream_options.include_obfuscation'],
      ]);
    },
  );

  it('adds include_usage to streams of other providers', async () => {
    expect((await send('groq', { stream: true })).body).toEqual({
      ...minimalBody,
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});

describe('The setting streamUsage', () => {
  const requested = { stream: true, stream_options: { include_usage: true, include_obfuscation: false } };

  it('leaves out stream_options if it is false, and reports what the caller requested', async () => {
    const settings = { baseUrl: 'https://x.test/v1', streamUsage: false };
    const own = await send('my-llm', requested, settings);
    expect([own.body, own.ignoredParameters]).toEqual([
      { ...minimalBody, stream: true },
      ['stream_options.include_usage', 'stream_options.include_obfuscation'],
    ]);

    const added = await send('my-llm', { stream: true }, settings);
    expect([added.body, added.ignoredParameters]).toEqual([{ ...minimalBody, stream: true }, []]);

    const declined = await send(
      'my-llm',
      { stream: true, stream_options: { include_usage: false } },
      settings,
    );
    expect([declined.body, declined.ignoredParameters]).toEqual([{ ...minimalBody, stream: true }, []]);
  });

  it('sends stream_options if it is true', async () => {
    const { body, ignoredParameters } = await send('mistral', requested, { streamUsage: true });
    expect([body, ignoredParameters]).toEqual([{ ...minimalBody, ...requested }, []]);
  });
});

describe('stream_options that the provider refused', () => {
  const streamed = { stream: true };
  const withSources = { stream: true, data_sources: [{ type: 'azure_search' }] };
  const bodyOf = async (protocol: ReturnType<typeof protocolOf>, request: Record<string, unknown>) =>
    JSON.parse((await protocol.translateRequest(providerCall(request))).outgoing.body);

  it.each([
    [streamed, streamed, false],
    [streamed, { stream: true, stream_options: { include_usage: true } }, false],
    [withSources, withSources, false],
    [withSources, streamed, true],
    [streamed, withSources, true],
    [{ stream: true, stream_options: { include_obfuscation: 1 } }, streamed, true],
  ])('after the refusal of %j, are sent with %j: %j', async (refused, next, isSent) => {
    const protocol = protocolOf('azure', { baseUrl: 'https://x.test/v1' });
    expect(await bodyOf(protocol, next)).toHaveProperty('stream_options');

    protocol.rememberRefusals?.({ ...providerCall(refused), omitted: ['stream_options'] });

    expect('stream_options' in (await bodyOf(protocol, next))).toBe(isSent);
  });

  it('are left out of the next attempt, and reported if the caller sent them', async () => {
    const request = { stream: true, stream_options: { include_usage: true } };
    const { body, ignoredParameters } = await send('openai', request, undefined, {
      omitted: ['stream_options'],
    });
    expect(body).toEqual({ ...minimalBody, stream: true });
    expect(ignoredParameters).toEqual(['stream_options.include_usage']);
  });
});

describe('Reasoning in earlier messages', () => {
  const conversation = (fields: object) => [user, { role: 'assistant', content: 'Hi', ...fields }, user];

  it.each<[string, ProviderSettings | undefined, object, object]>([
    ['vllm', undefined, { reasoning_content: 'Hm' }, { reasoning: 'Hm' }],
    ['ollama', undefined, { reasoning_content: 'Hm' }, { reasoning: 'Hm' }],
    ['vllm', undefined, { reasoning: 'Own', reasoning_content: 'Hm' }, { reasoning: 'Own' }],
    ['vllm', undefined, { reasoning: null, reasoning_content: 'Hm' }, { reasoning: 'Hm' }],
    ['vllm', undefined, { reasoning_content: null }, {}],
    ['vllm', undefined, { reasoning: 'Hm' }, { reasoning: 'Hm' }],
    ['vllm', { reasoningField: null }, { reasoning_content: 'Hm' }, { reasoning_content: 'Hm' }],
    ['vllm', { reasoningField: 'reasoning_content' }, { reasoning: 'Hm' }, { reasoning_content: 'Hm' }],
    ['my-llm', { reasoningField: 'reasoning' }, { reasoning_content: 'Hm' }, { reasoning: 'Hm' }],
    ['my-llm', {}, { reasoning_content: 'Hm' }, { reasoning_content: 'Hm' }],
    [
      'openai',
      undefined,
      { reasoning: 'A', reasoning_content: 'B' },
      { reasoning: 'A', reasoning_content: 'B' },
    ],
  ])('sends %s with %j for %j the fields %j', async (provider, settings, sent, received) => {
    const baseUrl = settings === undefined ? undefined : { baseUrl: 'https://x.test/v1', ...settings };
    const { body, ignoredParameters } = await send(provider, { messages: conversation(sent) }, baseUrl);
    expect(body.messages).toEqual(conversation(received));
    expect(ignoredParameters).toEqual([]);
  });

  it('changes only assistant messages, and no digits of numbers', async () => {
    const text =
      '{"model":"m","seed":9007199254740993,"messages":[{"role":"user","reasoning_content":"Hm"}]}';
    const { outgoing } = await protocolOf('vllm').translateRequest({
      ...providerCall({}),
      model: 'm',
      request: parseCallerRequest(text),
    });
    expect(outgoing.body).toBe(text);
  });
});

describe('PDFs in image_url', () => {
  const url = 'data:application/pdf;base64,AAAA';
  const content = (image: unknown, others = {}) => [
    { type: 'text', text: 'Read' },
    { type: 'image_url', image_url: image, ...others },
  ];
  const messagesOf = (image: unknown, others = {}) => [{ role: 'user', content: content(image, others) }];

  it.each(['openai', 'azure', 'openrouter'])('become a file for %s', async (provider) => {
    const file = { type: 'file', file: { filename: 'document.pdf', file_data: url } };
    const settings = { baseUrl: 'https://x.test/v1' };
    for (const image of [{ url }, { url, detail: 'auto' }, url]) {
      const { body, ignoredParameters } = await send(provider, { messages: messagesOf(image) }, settings);
      expect(body.messages[0].content).toEqual([{ type: 'text', text: 'Read' }, file]);
      expect(ignoredParameters).toEqual([]);
    }
    const cached = { cache_control: { type: 'ephemeral' } };
    const request = { messages: messagesOf({ url, detail: 'high' }, cached) };
    const { body, ignoredParameters } = await send(provider, request, settings);
    expect(body.messages[0].content[1]).toEqual({ ...file, ...cached });
    expect(ignoredParameters).toEqual(['image_url.detail']);
  });

  it('become a document for mistral', async () => {
    const { body } = await send('mistral', { messages: messagesOf({ url }) });
    expect(body.messages[0].content[1]).toEqual({
      type: 'document_url',
      document_url: url,
      document_name: 'document.pdf',
    });
  });

  it('are recognized with an escaped slash', async () => {
    const text = JSON.stringify({ model: 'm', messages: messagesOf({ url }) }).replaceAll('/', '\\/');
    const call = { ...providerCall({}), model: 'm', request: parseCallerRequest(text) };
    const { outgoing } = await protocolOf('openai').translateRequest(call);
    expect(JSON.parse(outgoing.body).messages[0].content[1].file.file_data).toBe(url);
  });

  it.each<[string, unknown]>([
    ['groq', { url }],
    ['vllm', { url }],
    ['openai', { url: 'data:image/png;base64,AAAA' }],
    ['openai', { url: 'https://x.test/?a=data:application/pdf,' }],
    ['openai', { url: 'data:application/pdf-x;base64,AAAA' }],
    ['openai', null],
  ])('leave other parts and providers alone: %s %j', async (provider, image) => {
    const request = { model: 'm', messages: messagesOf(image) };
    expect((await send(provider, request)).text).toBe(JSON.stringify(request));
  });
});

describe('max_tokens', () => {
  it.each([
    ['mistral', 'max_tokens'],
    ['deepseek', 'max_tokens'],
    ['together', 'max_tokens'],
    ['ollama', 'max_tokens'],
    ['groq', 'max_completion_tokens'],
  ])('sends %s the token limit as %s', async (provider, name) => {
    expect((await send(provider, { max_completion_tokens: 5 })).body).toEqual({ ...minimalBody, [name]: 5 });
  });

  it('prefers max_completion_tokens over max_tokens', async () => {
    const { body } = await send('mistral', { max_tokens: 9, max_completion_tokens: 5 });
    expect(body).toEqual({ ...minimalBody, max_tokens: 5 });
    expect((await send('mistral', { max_tokens: 9, max_completion_tokens: null })).body).toEqual({
      ...minimalBody,
      max_tokens: 9,
    });
  });
});

describe('Developer messages', () => {
  it.each([
    ['deepseek', 'system'],
    ['ollama', 'system'],
    ['cerebras', 'system'],
    ['mistral', 'system'],
    ['openai', 'developer'],
    ['groq', 'developer'],
  ])('sends %s developer messages with the role %s', async (provider, role) => {
    const { body } = await send(provider, { messages: [{ role: 'developer', content: 'Be brief' }, user] });
    expect(body.messages).toEqual([{ role, content: 'Be brief' }, user]);
  });
});

describe('Assistant messages for providers that reject unknown fields', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const result = { role: 'tool', tool_call_id: 'a', content: '1' };
  const minimalAssistant = { role: 'assistant', content: null, tool_calls: [call] };

  it.each([
    ['groq', 'reasoning'],
    ['cerebras', 'reasoning'],
    ['fireworks', 'reasoning_content'],
  ])('sends %s only supported fields, and reasoning as %s', async (provider, reasoningField) => {
    const received = {
      ...minimalAssistant,
      refusal: null,
      annotations: [],
      tool_calls: [{ ...call, index: 0 }],
    };
    const withReasoning = { ...received, reasoning: 'Hm', reasoning_content: 'Hm' };
    const { body, ignoredParameters } = await send(provider, { messages: [user, withReasoning, result] });
    expect(body.messages).toEqual([user, { ...minimalAssistant, [reasoningField]: 'Hm' }, result]);
    expect(ignoredParameters).toEqual([]);

    for (const field of ['reasoning', 'reasoning_content']) {
      const { body } = await send(provider, { messages: [user, { ...received, [field]: 'Hm' }, result] });
      expect(body.messages[1]).toEqual({ ...minimalAssistant, [reasoningField]: 'Hm' });
    }
  });

  it.each(['groq', 'cerebras', 'fireworks'])(
    'reports fields of other providers that %s does not support as ignored',
    async (provider) => {
      const fromOtherProvider = {
        ...minimalAssistant,
        thinking_blocks: [],
        tool_calls: [{ ...call, extra_content: { google: {} } }],
      };
      const withCacheControl = { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: {} }] };
      const tool = { type: 'function', function: { name: 'f' } };
      const { body, ignoredParameters } = await send(provider, {
        messages: [withCacheControl, fromOtherProvider, result],
        tools: [{ ...tool, cache_control: {} }],
      });
      expect(body).toEqual({
        ...minimalBody,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }, minimalAssistant, result],
        tools: [tool],
      });
      expect(ignoredParameters).toEqual([
        'cache_control',
        'messages.thinking_blocks',
        'tool_calls.extra_content',
      ]);
    },
  );

  it.each(['groq', 'cerebras', 'fireworks'])('sends %s a supported request unchanged', async (provider) => {
    const request = {
      messages: [user, minimalAssistant, result, { ...user, name: 'Ada' }],
      temperature: 0.5,
    };
    expect((await send(provider, request)).text).toBe(JSON.stringify({ model: 'm', ...request }));
  });
});

describe('Requests to Mistral', () => {
  const call = (id: string, rest: object = {}) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
    ...rest,
  });
  const mistral = async (request: Record<string, unknown>) => {
    const { body, text, ignoredParameters } = await send('mistral', request);
    const parsed = parseChatRequest(Buffer.from(text));
    expect(parsed === null ? 'The body is not a request' : findRejection(parsed, mistralRules)).toBeNull();
    return { body, ignored: ignoredParameters };
  };

  it('sends a request that Mistral supports unchanged', async () => {
    const request = {
      messages,
      temperature: 0.5,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: 'any',
      safe_prompt: true,
    };
    expect((await send('mistral', request)).text).toBe(JSON.stringify({ model: 'm', ...request }));
  });

  it("renames parameters to Mistral's names", async () => {
    expect((await mistral({ seed: 7, max_completion_tokens: 5 })).body).toEqual({
      ...minimalBody,
      random_seed: 7,
      max_tokens: 5,
    });
  });

  it('omits unsupported hints and reports them as ignored', async () => {
    expect(
      await mistral({ user: 'u', store: true, top_k: 5, service_tier: 'auto', logprobs: false, tools: [] }),
    ).toEqual({
      body: minimalBody,
      ignored: ['store', 'top_k', 'user'],
    });
  });

  it.each([
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { '1': 5 } }],
    [
      'messages[0].function_call',
      { messages: [{ role: 'assistant', function_call: { name: 'f', arguments: '' } }] },
    ],
    ['messages[1].role', { messages: [user, { role: 'function', name: 'f', content: '1' }] }],
    ['messages[0].role', { messages: [{ role: 'constructor', content: '1' }] }],
  ])('rejects %s as unsupported', async (param, request) => {
    await expect(send('mistral', request)).rejects.toMatchObject({
      code: 'unsupported_parameter',
      status: 400,
      param,
    });
  });

  it('sends developer messages as system messages', async () => {
    expect(
      (await mistral({ messages: [{ role: 'developer', content: 'Be brief' }, user] })).body.messages,
    ).toEqual([{ role: 'system', content: 'Be brief' }, user]);
  });

  it('removes response fields from assistant messages', async () => {
    const assistantMessage = {
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      annotations: [],
      audio: null,
      function_call: null,
      reasoning_content: 'Hm',
      parsed: null,
    };
    expect(await mistral({ messages: [user, assistantMessage, { ...user, name: 'Ada' }] })).toEqual({
      body: { ...minimalBody, messages: [user, { role: 'assistant', content: 'Hi' }, user] },
      ignored: ['messages.name', 'messages.reasoning_content'],
    });
  });

  it('sends refusals as text', async () => {
    const refusal = { role: 'assistant', content: null, refusal: 'No' };
    const inParts = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] };
    expect((await mistral({ messages: [user, refusal, user, inParts, user] })).body.messages).toEqual([
      user,
      { role: 'assistant', content: 'No' },
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'No' }] },
      user,
    ]);
  });

  it("keeps Mistral's tool call ids and shortens others", async () => {
    const history = [
      user,
      {
        role: 'assistant',
        tool_calls: [call('gSIMJiOkT'), call('call_NZa7xqfefoaMI2YYHowVXVlU', { extra_content: {} })],
      },
      { role: 'tool', tool_call_id: 'call_NZa7xqfefoaMI2YYHowVXVlU', content: '1' },
      { role: 'tool', tool_call_id: 'gSIMJiOkT', content: '2' },
    ];
    const { body, ignored } = await mistral({ messages: history });
    const short = body.messages[2].tool_call_id;
    expect(short).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(body.messages[1]).toEqual({ role: 'assistant', tool_calls: [call('gSIMJiOkT'), call(short)] });
    expect(body.messages[3]).toEqual(history[3]);
    expect(ignored).toEqual(['tool_calls.extra_content']);
  });

  it('sends files as documents and omits cache_control', async () => {
    const content = [
      { type: 'text', text: 'Read', cache_control: { type: 'ephemeral' } },
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      { type: 'file', file: { file_id: 'f-1' } },
    ];
    expect(await mistral({ messages: [{ role: 'user', content }] })).toEqual({
      body: {
        ...minimalBody,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Read' },
              content[1],
              {
                type: 'document_url',
                document_url: 'data:application/pdf;base64,AAAA',
                document_name: 'a.pdf',
              },
              { type: 'file', file_id: 'f-1' },
            ],
          },
        ],
      },
      ignored: ['cache_control'],
    });
  });

  it("sends audio and tools in Mistral's format", async () => {
    const input_audio = { data: 'AAAA', format: 'wav' };
    const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }];
    const callee = { name: 'f', strict: true };
    const tools = [{ type: 'function', function: callee, cache_control: { type: 'ephemeral' } }];
    expect(await mistral({ messages, tools })).toEqual({
      body: {
        ...minimalBody,
        messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: 'AAAA' }] }],
        tools: [
          { type: 'function', function: { ...callee, parameters: { type: 'object', properties: {} } } },
        ],
      },
      ignored: ['cache_control'],
    });
  });

  it('preserves the digits of numbers in a rewritten request', async () => {
    const text =
      '{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":1.0,"seed":9007199254740993}';
    const prepare = createPrepare(() => protocolOf('mistral'));
    const call = providerCall({});
    const { outgoing } = await exchange(prepare, {
      ...call,
      model: 'm',
      request: parseCallerRequest(text),
    });
    expect(outgoing.body).toBe(
      '{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":1.0,"random_seed":9007199254740993}',
    );
  });
});
