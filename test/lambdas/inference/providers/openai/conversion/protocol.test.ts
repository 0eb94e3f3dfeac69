import { describe, expect, it } from 'vitest';
import type { MediaPart } from '#lambdas/inference/completion/content.ts';
import type { CustomCall, Payload } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest, ParameterNames, Setting } from '#lambdas/inference/completion/request.ts';
import { type CatalogEntry, providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { createPrepare } from '#lambdas/inference/providers/provider.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { foreignCall } from '#test/support/providers/foreign-caller.ts';
import {
  assistant,
  call,
  functionTool,
  neutralRequest,
  reply,
  result,
  signature,
  system,
  text,
  thought,
  user,
} from '#test/support/providers/neutral-request.ts';
import { exchange, type ScriptedResponse, translatedChunks } from '#test/support/providers/provider-call.ts';

function entryOf(provider: string): CatalogEntry {
  const entry = providerCatalog[provider];
  if (entry === undefined) throw new Error(`The catalog has no ${provider}`);
  return entry;
}

async function send(
  request: CompletionRequest,
  {
    provider = 'openai',
    entry = {},
    stream = false,
    response,
  }: {
    provider?: string;
    entry?: Partial<CatalogEntry>;
    stream?: boolean;
    response?: ScriptedResponse;
  } = {},
) {
  const options = {
    name: provider,
    baseUrl: 'http://x.test',
    region: null,
    path: '/chat/completions',
    aws: exampleClientOptions,
  };
  const protocol = createOpenAiProtocol({ ...options, entry: { ...entryOf(provider), ...entry } });
  const foreign = foreignCall(request, { stream });
  const sent = await exchange(
    createPrepare(() => protocol),
    foreign.call,
    response,
  );
  return { ...sent, calls: foreign.calls, body: JSON.parse(sent.outgoing.body) };
}

const names = (overrides: Partial<ParameterNames>): ParameterNames => ({
  ...neutralRequest().names,
  ...overrides,
});

const setting = (fields: Partial<Setting>): Setting => ({
  name: 'x',
  key: null,
  value: 1,
  isDefault: false,
  loss: 'hint',
  replacement: null,
  ...fields,
});

const customCall: CustomCall = {
  type: 'custom_call',
  id: 'c',
  name: 'write',
  namespace: null,
  input: 'text',
  cacheControl: null,
  payload: null,
  param: 'calls.c',
};

describe('A request of a caller with another format', () => {
  it('is a chat request with the usage of a stream', async () => {
    const request = neutralRequest({
      system: [text('Be kind.')],
      turns: [user('Hi'), assistant(reply('Hello')), system('Be brief.'), user('And now?')],
      maxTokens: 9,
      stop: ['END'],
      user: { id: 'u', param: 'metadata.user_id' },
      settings: [setting({ name: 'service_class', key: 'serviceTier', value: 'flex' })],
    });
    const { body, ignoredParameters, outputLimit, outgoing } = await send(request, { stream: true });

    expect(body).toEqual({
      model: 'a-model',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'And now?' },
      ],
      stop: ['END'],
      max_completion_tokens: 9,
      user: 'u',
      service_tier: 'flex',
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(ignoredParameters).toEqual([]);
    expect(await outputLimit).toMatchObject({ maxOutputTokens: 9 });
    expect(outgoing.url.href).toBe('http://x.test/chat/completions');
  });

  it('follows the rules of the provider', async () => {
    const request = neutralRequest({ system: [text('Be kind.')], maxTokens: 9, seed: 3 });
    const { body } = await send(request, { provider: 'mistral' });
    expect(body).toMatchObject({ max_tokens: 9, random_seed: 3 });
    expect(body).not.toHaveProperty('max_completion_tokens');
  });

  it('keeps the digits of numbers in arguments', async () => {
    const turns = [
      user('Hi'),
      assistant(call('a', { arguments: { n: JSON.rawJSON('9007199254740993') } })),
      user(result('a')),
    ];
    const { body } = await send(neutralRequest({ turns }));
    expect(body.messages[1].tool_calls[0].function.arguments).toBe('{"n":9007199254740993}');
  });

  it('names unsupported parameters as its caller does', async () => {
    const settings = [
      setting({ name: 'sampling.k', key: 'topK' }),
      setting({ name: 'truncation', loss: 'hint' }),
      setting({ name: 'top_p_default', key: 'topP', isDefault: true }),
    ];
    const { body, ignoredParameters } = await send(neutralRequest({ settings, topK: 1 }), {
      provider: 'mistral',
    });
    expect(ignoredParameters).toEqual(['sampling.k', 'truncation']);
    expect(body).not.toHaveProperty('top_k');

    const essential = [setting({ name: 'conversation', loss: 'meaning' })];
    await expect(send(neutralRequest({ settings: essential }))).rejects.toMatchObject({
      code: 'unsupported_parameter',
      param: 'conversation',
      message: 'conversation is not supported by the provider openai',
    });
  });

  it('has media of results in a message after them, with the parts of the user', async () => {
    const image = {
      type: 'media' as const,
      medium: 'image' as const,
      source: { kind: 'base64' as const, mediaType: 'image/png', data: 'AAAA' },
      filename: null,
      detail: null,
      cacheControl: null,
      param: 'x',
    };
    const turns = [
      user('Hi'),
      assistant(call('a'), call('b')),
      user(result('a', { parts: [image, text('Rain')] }), result('b', { parts: [image] }), 'And?'),
    ];
    const { body } = await send(neutralRequest({ turns }));
    const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(body.messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'Rain' },
      { role: 'tool', tool_call_id: 'b', content: '' },
      { role: 'user', content: [imagePart, imagePart, { type: 'text', text: 'And?' }] },
    ]);
  });

  it('reports what chat cannot say, under the names of its caller', async () => {
    const breakpoint = { type: 'ephemeral' };
    const turns = [
      user('Hi'),
      assistant(
        thought('Hm', signature('s')),
        call('a', { hasInvalidArguments: true, cacheControl: breakpoint }),
      ),
      user(result('a', { isError: true })),
    ];
    const own = {
      resultError: 'is_error',
      reasoning: 'thinking',
      callArguments: 'input',
      cacheControl: 'cache',
    };
    const request = neutralRequest({ turns, names: names(own), omissions: ['citations'] });
    const { body, ignoredParameters } = await send(request);

    expect(ignoredParameters).toEqual(['citations', 'thinking', 'input', 'cache', 'is_error']);
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'The tool call failed:\nRain' },
    ]);
  });

  it('contains files of text as text, which every model accepts', async () => {
    const file = (filename: string | null): MediaPart => ({
      type: 'media',
      medium: 'document',
      source: { kind: 'base64', mediaType: 'text/plain', data: 'R3LDvMOfZQ==' },
      filename,
      detail: null,
      cacheControl: null,
      param: 'input',
    });
    const turns = [
      assistant(call('a')),
      { ...user(result('a', { parts: [file('a.txt')] })), parts: [file(null), text('And?')] },
    ];
    const { body } = await send(neutralRequest({ turns }));
    expect(body.messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'a.txt\nGrüße' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Grüße' },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  it("returns the data that the provider requires back, and no other provider's", async () => {
    const data = { extra_content: { google: { thought_signature: 'c2ln' } } };
    const details = (id: number) => ({ reasoning_details: [{ id }] });
    const own = (fields: object): Payload => ({ ...signature(JSON.stringify(fields), 'openai') });
    const turns = [
      assistant(
        thought('Hm', own(details(1))),
        thought('', own(details(2))),
        call('a', { payload: own(data) }),
        call('b', { payload: signature('c2ln', 'google') }),
      ),
    ];
    const { body, ignoredParameters } = await send(neutralRequest({ turns }), { provider: 'together' });
    const called = { type: 'function', function: { name: 'look', arguments: '{}' } };
    expect(body.messages[0]).toEqual({
      role: 'assistant',
      content: null,
      reasoning_details: [{ id: 1 }, { id: 2 }],
      tool_calls: [
        { id: 'a', ...called, ...data },
        { id: 'b', ...called },
      ],
    });
    expect(ignoredParameters).toEqual([]);
  });

  it("returns reasoning in the provider's field, without the data of another provider", async () => {
    const redacted = thought('', { format: 'anthropic', kind: 'redacted', data: 'r' });
    const withReasoning = (...parts: Parameters<typeof assistant>) =>
      send(neutralRequest({ turns: [user('Hi'), assistant(...parts, reply('Hello')), user('And?')] }), {
        provider: 'groq',
      });
    const shown = await withReasoning(thought('Hm', signature('s')), thought('So'));
    expect(shown.body.messages[1]).toEqual({ role: 'assistant', content: 'Hello', reasoning: 'HmSo' });
    expect(shown.ignoredParameters).toEqual([]);

    const hidden = await withReasoning(redacted);
    expect(hidden.body.messages[1]).toEqual({ role: 'assistant', content: 'Hello' });
    expect(hidden.ignoredParameters).toEqual(['messages.reasoning_content']);
  });

  it('has tools of every kind that chat knows, and unique ids and names that OpenAI accepts', async () => {
    const long = 'x'.repeat(41);
    const request = neutralRequest({
      tools: [
        functionTool('look.up', { strict: true }),
        functionTool('read', { namespace: 'files' }),
        { type: 'custom', name: 'write', namespace: null, description: null, format: null, param: 't' },
        { type: 'hosted', definition: { type: 'search' }, api: null, param: 't' },
      ],
      choice: { mode: 'function', name: 'write', namespace: null },
      turns: [
        user('Hi'),
        assistant(call(long, { name: 'look.up' }), call('a'), call('a'), customCall),
        user(result(long), result('a'), result('a'), result('c')),
      ],
    });
    const { body } = await send(request);

    expect(body.tools).toEqual([
      { type: 'function', function: { name: 'look_up', strict: true } },
      { type: 'function', function: { name: 'files__read' } },
      { type: 'custom', custom: { name: 'write' } },
      { type: 'search' },
    ]);
    expect(body.tool_choice).toEqual({ type: 'custom', custom: { name: 'write' } });
    const [, { tool_calls: calls }, ...results] = body.messages;
    expect(calls.map(({ id }: { id: string }) => id)).toEqual([
      expect.stringMatching(/^call_[0-9a-f]{32}$/),
      'a',
      'a_2',
      'c',
    ]);
    expect(calls[3]).toEqual({ id: 'c', type: 'custom', custom: { name: 'write', input: 'text' } });
    expect(results.map(({ tool_call_id }: { tool_call_id: string }) => tool_call_id)).toEqual(
      calls.map(({ id }: { id: string }) => id),
    );
  });

  it('is refused with a tool that runs at another provider, and with audio at a URL', async () => {
    const hosted = { type: 'hosted' as const, definition: {}, api: 'google' as const, param: 'tools[0]' };
    await expect(send(neutralRequest({ tools: [hosted] }))).rejects.toMatchObject({ param: 'tools[0].type' });
    const audio = {
      type: 'media' as const,
      medium: 'audio' as const,
      source: { kind: 'url' as const, url: 'https://x.example/a.wav' },
      filename: null,
      detail: null,
      cacheControl: null,
      param: 'input[0]',
    };
    const turns = [{ role: 'user' as const, toolResults: [], parts: [audio] }];
    await expect(send(neutralRequest({ turns }))).rejects.toMatchObject({
      code: 'unsupported_parameter',
      param: 'input[0]',
    });
  });

  it('omits stream_options after the provider has refused them', async () => {
    const request = neutralRequest();
    const options = {
      baseUrl: 'http://x.test',
      region: null,
      path: '/chat/completions',
      aws: exampleClientOptions,
    };
    const protocol = createOpenAiProtocol({ ...options, name: 'openai', entry: entryOf('openai') });
    const { call: sent } = foreignCall(request, { stream: true });
    protocol.rememberRefusals?.({ ...sent, omitted: ['stream_options'] });
    const { outgoing } = await protocol.translateRequest(sent);
    expect(JSON.parse(outgoing.body)).not.toHaveProperty('stream_options');
  });
});

const completion = (message: object, finish_reason = 'stop') => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
});

async function readResult(response: ScriptedResponse, request = neutralRequest(), stream = false) {
  const sent = await send(request, { response, stream });
  if (sent.response.kind !== 'success') return { error: sent.response.error, calls: sent.calls };
  await translatedChunks(sent.response);
  return { error: sent.response.reader.facts.error, calls: sent.calls, facts: sent.response.reader.facts };
}

describe('The response to a caller with another format', () => {
  it('is read into its writer, with its names of tools', async () => {
    const request = neutralRequest({ tools: [functionTool('read', { namespace: 'files' })] });
    const toolCall = { id: 'a', type: 'function', function: { name: 'files__read', arguments: '{}' } };
    const message = { content: 'Hi', reasoning_content: 'Hm', tool_calls: [toolCall] };
    const { calls, facts } = await readResult({ body: completion(message, 'tool_calls') }, request);

    expect(calls).toEqual([
      ['reasoning', 'Hm'],
      ['text', 'Hi'],
      [
        'toolCall',
        {
          id: 'a',
          name: 'read',
          namespace: 'files',
          mayContinueName: false,
          isCustom: false,
          payload: null,
          extra: {},
        },
      ],
      ['arguments', '{}'],
      ['finish', 'tool_calls'],
    ]);
    expect(facts?.usage).toMatchObject({ freshInputTokens: 3, outputTokens: 4 });
  });

  it('can call a custom tool', async () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'write', input: 'text' } };
    const { calls, error } = await readResult({ body: completion({ tool_calls: [custom] }, 'tool_calls') });
    expect(error).toBeNull();
    expect(calls).toEqual([
      [
        'toolCall',
        { id: 'a', name: 'write', mayContinueName: false, isCustom: true, payload: null, extra: {} },
      ],
      ['arguments', 'text'],
      ['finish', 'tool_calls'],
    ]);
  });

  it('is read from a stream', async () => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const body = [chunk({ content: 'H' }), chunk({ content: 'i' }), chunk({}, 'stop'), 'data: [DONE]\n\n'];
    const { calls } = await readResult({ body }, neutralRequest(), true);
    expect(calls).toEqual([
      ['begin'],
      ['text', 'H'],
      ['begin'],
      ['text', 'i'],
      ['begin'],
      ['finish', 'stop'],
    ]);
  });

  it.each([
    ['max_completion_tokens', 'limit'],
    ['temperature', null],
    ['messages[0].content', 'input'],
    ['thinking', 'thinking'],
    ['other', null],
  ])('has the name of its caller for the parameter %s of an error', async (param, expected) => {
    const request = neutralRequest({
      settings: [setting({ name: 'limit', key: 'maxTokens' })],
      names: names({ messages: 'input' }),
      providerFields: { thinking: {} },
    });
    const body = { error: { message: 'No', type: 'invalid_request_error', param, code: 'bad' } };
    const { error } = await readResult({ status: 400, body }, request);
    expect(error).toMatchObject({ status: 400, message: 'No', providerCode: 'bad', param: expected });
  });

  it('can be an error that is not JSON', async () => {
    const { error } = await readResult({ status: 503, body: ['<html>'] });
    expect(error).toMatchObject({ code: 'provider_unavailable' });
  });
});
