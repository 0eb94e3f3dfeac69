/** What goes out to providers that do not take all of OpenAI's requests, to the byte where it counts. */
import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { createPrepare } from '#lambdas/inference/providers/provider.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { parseChatRequest } from '#test/support/providers/openai/chat-request.ts';
import { mistralRules } from '#test/support/providers/openai/dialect-rules.ts';
import { findRejection } from '#test/support/providers/openai/protocol.ts';
import { exchange, providerCall } from '#test/support/providers/provider-call.ts';

async function send(provider: string, request: Record<string, unknown>) {
  const entry = providerCatalog[provider];
  if (entry === undefined) throw new Error(`There is no ${provider}`);
  const prepare = createPrepare(() =>
    createOpenAiProtocol({
      name: provider,
      baseUrl: 'https://x.test/v1',
      region: null,
      entry,
      aws: exampleCaller,
    }),
  );
  const call = providerCall(request, { model: 'm', callerHeaders: { 'user-agent': 'test', cookie: 'c' } });
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
const sent = { model: 'm', messages };

describe('the credential', () => {
  it.each([
    ['openai', { authorization: 'Bearer sk-1' }],
    ['azure', { 'api-key': 'sk-1' }],
  ])(
    'goes to %s in its own header, and nothing of the caller’s but what is on the list',
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

describe('a request to OpenAI', () => {
  it('keeps all that it has, in every byte but the model', async () => {
    const request = { max_completion_tokens: 5, seed: 1, user: 'u', custom: { a: 1 }, messages };
    const { text, ignoredParameters } = await send('openai', request);
    expect(text).toBe(
      '{"model":"m","messages":[{"role":"user","content":"Hi"}],"max_completion_tokens":5,"seed":1,"user":"u","custom":{"a":1}}',
    );
    expect(ignoredParameters).toEqual([]);
  });
});

describe('a message that is not as it should be', () => {
  it.each(['groq', 'cerebras', 'fireworks'])('loses at %s what its role has not, once', async (provider) => {
    const odd = { role: 'system', content: 'Be brief', tool_calls: [{ id: 'c', own: 1 }], tool_call_id: 'c' };
    const { body, ignoredParameters } = await send(provider, { messages: [odd, user] });
    expect(body.messages).toEqual([{ role: 'system', content: 'Be brief' }, user]);
    expect(ignoredParameters).toEqual(['messages.tool_calls', 'messages.tool_call_id']);
  });

  it.each([{ toString: '' }, 7, null, undefined, 'judge'])('is refused with the role %j', async (role) => {
    await expect(send('cerebras', { messages: [{ role, content: 'Hi' }] })).rejects.toMatchObject({
      status: 400,
      param: 'messages[0].role',
      message: 'messages[0].role is none that is known here',
    });
  });
});

describe('stream options', () => {
  it.each(['mistral', 'cohere'])('do not go to %s, which tells usage unasked', async (provider) => {
    const asked = await send(provider, { stream: true, stream_options: { include_usage: true } });
    expect([asked.body, asked.ignoredParameters]).toEqual([{ ...sent, stream: true }, []]);

    const more = await send(provider, { stream: true, stream_options: { include_obfuscation: false } });
    expect([more.body, more.ignoredParameters]).toEqual([
      { ...sent, stream: true },
      ['stream_options.include_obfuscation'],
    ]);
  });

  it('ask all others for usage', async () => {
    expect((await send('groq', { stream: true })).body).toEqual({
      ...sent,
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});

describe('the limit of tokens', () => {
  it.each([
    ['mistral', 'max_tokens'],
    ['deepseek', 'max_tokens'],
    ['together', 'max_tokens'],
    ['ollama', 'max_tokens'],
    ['groq', 'max_completion_tokens'],
  ])('goes to %s as %s', async (provider, name) => {
    expect((await send(provider, { max_completion_tokens: 5 })).body).toEqual({ ...sent, [name]: 5 });
  });

  it('in its newer name wins', async () => {
    const { body } = await send('mistral', { max_tokens: 9, max_completion_tokens: 5 });
    expect(body).toEqual({ ...sent, max_tokens: 5 });
    expect((await send('mistral', { max_tokens: 9, max_completion_tokens: null })).body).toEqual({
      ...sent,
      max_tokens: 9,
    });
  });
});

describe('instructions of the developer', () => {
  it.each([
    ['deepseek', 'system'],
    ['ollama', 'system'],
    ['cerebras', 'system'],
    ['mistral', 'system'],
    ['openai', 'developer'],
    ['groq', 'developer'],
  ])('go to %s as those of the %s', async (provider, role) => {
    const { body } = await send(provider, { messages: [{ role: 'developer', content: 'Be brief' }, user] });
    expect(body.messages).toEqual([{ role, content: 'Be brief' }, user]);
  });
});

describe('an answer that comes back to a provider that knows fewer fields', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const result = { role: 'tool', tool_call_id: 'a', content: '1' };
  const kept = { role: 'assistant', content: null, tool_calls: [call] };

  it.each([
    ['groq', 'reasoning'],
    ['cerebras', 'reasoning'],
    ['fireworks', 'reasoning_content'],
  ])('%s, has nothing else, and its thoughts as %s', async (provider, thoughts) => {
    const answer = { ...kept, refusal: null, annotations: [], tool_calls: [{ ...call, index: 0 }] };
    const shown = { ...answer, reasoning: 'Hm', reasoning_content: 'Hm' };
    const { body, ignoredParameters } = await send(provider, { messages: [user, shown, result] });
    expect(body.messages).toEqual([user, { ...kept, [thoughts]: 'Hm' }, result]);
    expect(ignoredParameters).toEqual([]);

    for (const field of ['reasoning', 'reasoning_content']) {
      const { body } = await send(provider, { messages: [user, { ...answer, [field]: 'Hm' }, result] });
      expect(body.messages[1]).toEqual({ ...kept, [thoughts]: 'Hm' });
    }
  });

  it.each(['groq', 'cerebras', 'fireworks'])(
    '%s, tells what of another provider is lost',
    async (provider) => {
      const other = {
        ...kept,
        thinking_blocks: [],
        tool_calls: [{ ...call, extra_content: { google: {} } }],
      };
      const marked = { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: {} }] };
      const tool = { type: 'function', function: { name: 'f' } };
      const { body, ignoredParameters } = await send(provider, {
        messages: [marked, other, result],
        tools: [{ ...tool, cache_control: {} }],
      });
      expect(body).toEqual({
        ...sent,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }, kept, result],
        tools: [tool],
      });
      expect(ignoredParameters).toEqual([
        'cache_control',
        'messages.thinking_blocks',
        'tool_calls.extra_content',
      ]);
    },
  );

  it.each(['groq', 'cerebras', 'fireworks'])('%s, is untouched if it takes all of it', async (provider) => {
    const request = { messages: [user, kept, result, { ...user, name: 'Ada' }], temperature: 0.5 };
    expect((await send(provider, request)).text).toBe(JSON.stringify({ model: 'm', ...request }));
  });
});

describe('a request to Mistral', () => {
  const call = (id: string, rest: object = {}) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
    ...rest,
  });
  const mistral = async (request: Record<string, unknown>) => {
    const { body, text, ignoredParameters } = await send('mistral', request);
    const read = parseChatRequest(Buffer.from(text));
    expect(read === null ? 'The body is not a request' : findRejection(read, mistralRules)).toBeNull();
    return { body, ignored: ignoredParameters };
  };

  it('that Mistral takes goes out byte for byte', async () => {
    const request = {
      messages,
      temperature: 0.5,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: 'any',
      safe_prompt: true,
    };
    expect((await send('mistral', request)).text).toBe(JSON.stringify({ model: 'm', ...request }));
  });

  it('has Mistral’s names', async () => {
    expect((await mistral({ seed: 7, max_completion_tokens: 5 })).body).toEqual({
      ...sent,
      random_seed: 7,
      max_tokens: 5,
    });
  });

  it('leaves out what is a hint only, and tells', async () => {
    expect(
      await mistral({ user: 'u', store: true, top_k: 5, service_tier: 'auto', logprobs: false, tools: [] }),
    ).toEqual({
      body: sent,
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
  ])('cannot have %s', async (param, request) => {
    await expect(send('mistral', request)).rejects.toMatchObject({
      code: 'unsupported_parameter',
      status: 400,
      param,
    });
  });

  it('has roles that Mistral knows', async () => {
    expect(
      (await mistral({ messages: [{ role: 'developer', content: 'Be brief' }, user] })).body.messages,
    ).toEqual([{ role: 'system', content: 'Be brief' }, user]);
  });

  it('leaves out what an answer has and a question has not', async () => {
    const said = {
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      annotations: [],
      audio: null,
      function_call: null,
      reasoning_content: 'Hm',
      parsed: null,
    };
    expect(await mistral({ messages: [user, said, { ...user, name: 'Ada' }] })).toEqual({
      body: { ...sent, messages: [user, { role: 'assistant', content: 'Hi' }, user] },
      ignored: ['messages.name', 'messages.reasoning_content'],
    });
  });

  it('says a refusal as text', async () => {
    const refusing = { role: 'assistant', content: null, refusal: 'No' };
    const inParts = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] };
    expect((await mistral({ messages: [user, refusing, user, inParts, user] })).body.messages).toEqual([
      user,
      { role: 'assistant', content: 'No' },
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'No' }] },
      user,
    ]);
  });

  it('keeps the ids of Mistral’s own tool calls, and shortens those of others', async () => {
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

  it('has documents for files, and no marks for a cache that needs none', async () => {
    const content = [
      { type: 'text', text: 'Read', cache_control: { type: 'ephemeral' } },
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
      { type: 'file', file: { file_id: 'f-1' } },
    ];
    expect(await mistral({ messages: [{ role: 'user', content }] })).toEqual({
      body: {
        ...sent,
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

  it('has audio as text, and tools as Mistral knows them', async () => {
    const input_audio = { data: 'AAAA', format: 'wav' };
    const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio }] }];
    const callee = { name: 'f', strict: true };
    const tools = [{ type: 'function', function: callee, cache_control: { type: 'ephemeral' } }];
    expect(await mistral({ messages, tools })).toEqual({
      body: {
        ...sent,
        messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: 'AAAA' }] }],
        tools: [
          { type: 'function', function: { ...callee, parameters: { type: 'object', properties: {} } } },
        ],
      },
      ignored: ['cache_control'],
    });
  });

  it('that is written anew keeps the digits of its numbers', async () => {
    const text =
      '{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":1.0,"seed":9007199254740993}';
    const entry = providerCatalog.mistral;
    if (entry === undefined) throw new Error('There is no mistral');
    const prepare = createPrepare(() =>
      createOpenAiProtocol({
        name: 'mistral',
        baseUrl: 'https://x.test/v1',
        region: null,
        aws: exampleCaller,
        entry,
      }),
    );
    const call = providerCall({});
    const { outgoing } = await exchange(prepare, {
      ...call,
      model: 'm',
      request: { ...call.request, text, body: JSON.parse(text) },
    });
    expect(outgoing.body).toBe(
      '{"model":"m","messages":[{"role":"user","content":"Hi"}],"temperature":1.0,"random_seed":9007199254740993}',
    );
  });
});
