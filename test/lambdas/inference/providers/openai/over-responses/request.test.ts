/** The requests to the Responses API of callers of chat, and of callers whose requests only the neutral form can show. */
import { describe, expect, it } from 'vitest';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { renderResponsesRequest } from '#lambdas/inference/providers/openai/over-responses/request.ts';
import type { OptionalField } from '#lambdas/inference/providers/provider.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { readMessages } from '#test/support/messages/read.ts';
import {
  assistant,
  call,
  neutralRequest,
  reply,
  signature,
  thought,
  user,
} from '#test/support/providers/neutral-request.ts';
import { readRequest } from '#test/support/providers/provider-call.ts';

interface Target {
  isOpenAi?: boolean;
  stream?: boolean;
  refused?: readonly OptionalField[];
}

const render = (request: CompletionRequest, { isOpenAi = true, stream = false, refused = [] }: Target = {}) =>
  renderResponsesRequest(request, {
    provider: 'openai',
    model: 'gpt-5.5',
    entry: { isOpenAi },
    stream,
    refused: new Set(refused),
  });

const hello = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
const minimal = {
  model: 'gpt-5.5',
  input: [hello],
  include: ['reasoning.encrypted_content'],
  store: false,
};

function refusalOf(request: () => unknown): Pick<GatewayError, 'code' | 'param'> | null {
  try {
    request();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { code: error.code, param: error.param };
  }
  return null;
}

describe('A request of chat', () => {
  const schema = { type: 'object', properties: {} };
  const grammar = { definition: 'start: "a"', syntax: 'lark' };
  it.each<[string, object, object, string[]]>([
    ['max_completion_tokens', { max_completion_tokens: 100 }, { max_output_tokens: 100 }, []],
    ['max_tokens', { max_tokens: 50 }, { max_output_tokens: 50 }, []],
    ['temperature and top_p', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }, []],
    ['reasoning_effort', { reasoning_effort: 'xhigh' }, { reasoning: { effort: 'xhigh' } }, []],
    ['verbosity', { verbosity: 'low' }, { text: { verbosity: 'low' } }, []],
    [
      'response_format',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', description: 'A', schema, strict: true },
        },
      },
      { text: { format: { type: 'json_schema', name: 'a', description: 'A', schema, strict: true } } },
      [],
    ],
    ['metadata', { metadata: { team: 'a' } }, { metadata: { team: 'a' } }, []],
    ['service_tier', { service_tier: 'flex' }, { service_tier: 'flex' }, []],
    ['moderation', { moderation: { model: 'omni' } }, { moderation: { model: 'omni' } }, []],
    [
      'prompt caching',
      { prompt_cache_key: 'k', prompt_cache_retention: '24h', prompt_cache_options: { mode: 'explicit' } },
      { prompt_cache_key: 'k', prompt_cache_retention: '24h', prompt_cache_options: { mode: 'explicit' } },
      [],
    ],
    [
      'logprobs',
      { logprobs: true, top_logprobs: 3 },
      { include: ['reasoning.encrypted_content', 'message.output_text.logprobs'], top_logprobs: 3 },
      [],
    ],
    ['safety_identifier', { safety_identifier: 'ada' }, { safety_identifier: 'ada' }, []],
    ['user', { user: 'ada' }, { safety_identifier: 'ada' }, []],
    ['a long user', { user: 'a'.repeat(65) }, {}, ['user']],
    [
      'hints without an equivalent',
      {
        seed: 7,
        top_k: 3,
        frequency_penalty: 1,
        presence_penalty: 1,
        prediction: { type: 'content', content: '' },
      },
      {},
      ['frequency_penalty', 'prediction', 'presence_penalty', 'seed', 'top_k'],
    ],
    ['defaults', { n: 1, stop: [], logprobs: false, logit_bias: {}, store: false }, {}, []],
    ['store', { store: true }, {}, ['store']],
    [
      'fields outside of chat',
      { truncation: 'auto', reasoning: { summary: 'concise' } },
      { truncation: 'auto', reasoning: { summary: 'concise' } },
      [],
    ],
    [
      'functions',
      {
        tools: [{ type: 'function', function: { name: 'look', parameters: schema, strict: true } }],
        tool_choice: 'required',
        parallel_tool_calls: false,
      },
      {
        tools: [{ type: 'function', name: 'look', parameters: schema, strict: true }],
        tool_choice: 'required',
        parallel_tool_calls: false,
      },
      [],
    ],
    [
      'a chosen function',
      {
        tools: [{ type: 'function', function: { name: 'look' } }],
        tool_choice: { type: 'function', function: { name: 'look' } },
      },
      {
        tools: [{ type: 'function', name: 'look', parameters: null, strict: false }],
        tool_choice: { type: 'function', name: 'look' },
      },
      [],
    ],
    [
      'a chosen custom tool with a grammar',
      {
        tools: [{ type: 'custom', custom: { name: 'patch', format: { type: 'grammar', grammar } } }],
        tool_choice: { type: 'custom', custom: { name: 'patch' } },
      },
      {
        tools: [{ type: 'custom', name: 'patch', format: { type: 'grammar', ...grammar } }],
        tool_choice: { type: 'custom', name: 'patch' },
      },
      [],
    ],
    [
      'allowed tools',
      {
        tools: [
          { type: 'custom', custom: { name: 'a' } },
          { type: 'custom', custom: { name: 'b', format: { type: 'text' } } },
        ],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'custom', custom: { name: 'b' } }] },
        },
      },
      { tools: [{ type: 'custom', name: 'b', format: { type: 'text' } }], tool_choice: 'required' },
      [],
    ],
    [
      'a tool of the API',
      { tools: [{ type: 'file_search', vector_store_ids: ['vs'] }] },
      { tools: [{ type: 'file_search', vector_store_ids: ['vs'] }] },
      [],
    ],
    ['web_search_options', { web_search_options: {} }, { tools: [{ type: 'web_search' }] }, []],
    [
      'web_search_options with a place',
      {
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
        },
      },
      {
        tools: [
          {
            type: 'web_search',
            search_context_size: 'low',
            user_location: { type: 'approximate', city: 'Oslo' },
          },
        ],
      },
      [],
    ],
  ])('has %s', (_, fields, expected, ignored) => {
    const rendered = render(readRequest({ ...fields }));

    expect(rendered.body).toEqual({ ...minimal, ...expected });
    expect(rendered.ignored).toEqual(ignored);
  });

  it.each<[string, object, string]>([
    ['stop sequences', { stop: 'END' }, 'stop'],
    ['choices', { n: 2 }, 'n'],
    ['biases', { logit_bias: { 50256: -100 } }, 'logit_bias'],
    ['audio', { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } }, 'audio'],
    ['older functions', { functions: [{ name: 'f' }] }, 'functions'],
    ['another option of a search', { web_search_options: { filters: {} } }, 'web_search_options.filters'],
    [
      'recordings',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] },
        ],
      },
      'messages[0].content[0]',
    ],
    ['an earlier response', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { conversation: { id: 'conv_1' } }, 'conversation'],
    ['items by their ids', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input'],
    [
      'the prompt of another response',
      { prompt_cache_options: { comparison_response_id: 'resp_1' } },
      'prompt_cache_options.comparison_response_id',
    ],
    ['a container', { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, 'tools'],
    ['work in the background', { Background: true }, 'Background'],
  ])('is refused with %s', (_, fields, param) => {
    expect(refusalOf(() => render(readRequest({ ...fields })))).toEqual({
      code: 'unsupported_parameter',
      param,
    });
  });

  it('has the conversation as items', () => {
    const { body, ignored } = render(
      readRequest({
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'low' } },
              {
                type: 'file',
                file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' },
              },
              { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' } },
            ],
          },
          {
            role: 'assistant',
            content: 'I look.',
            reasoning_content: 'It may rain',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":9007199254740993}' } },
              { id: 'b', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
            ],
          },
          { role: 'tool', tool_call_id: 'a', content: 'Rain' },
          {
            role: 'tool',
            tool_call_id: 'b',
            content: [
              { type: 'text', text: 'Done' },
              { type: 'text', text: '.' },
            ],
          },
          { role: 'user', content: '' },
        ],
      }),
    );

    expect(JSON.stringify(body.input)).toContain('"{\\"n\\":9007199254740993}"');
    expect(body).toMatchObject({
      instructions: 'Be brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'low' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' },
            { type: 'input_text', text: 'a.txt\nHi' },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'a', name: 'look' },
        { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '*** Begin' },
        { type: 'function_call_output', call_id: 'a', output: 'Rain' },
        {
          type: 'custom_tool_call_output',
          call_id: 'b',
          output: [
            { type: 'input_text', text: 'Done' },
            { type: 'input_text', text: '.' },
          ],
        },
      ],
    });
    expect(ignored).toEqual(['messages.reasoning_content']);
  });

  it.each<[string, boolean, object[], object]>([
    [
      'only instructions',
      true,
      [{ role: 'system', content: 'Hi' }],
      { input: [{ ...hello, role: 'developer' }] },
    ],
    [
      'only instructions, for another server',
      false,
      [{ role: 'system', content: 'Hi' }],
      { input: [{ ...hello, role: 'system' }] },
    ],
    ['an empty text', true, [{ role: 'user', content: '' }], { input: [{ ...hello, content: '' }] }],
  ])('has an input also for %s', (_, isOpenAi, messages, expected) => {
    expect(render(readRequest({ messages }), { isOpenAi }).body).toEqual({ ...minimal, ...expected });
  });

  it('that asks for JSON has the instructions in the input, which must mention it', () => {
    const messages = [
      { role: 'system', content: 'Hi' },
      { role: 'user', content: 'Hi' },
    ];
    expect(render(readRequest({ messages, response_format: { type: 'json_object' } })).body).toEqual({
      ...minimal,
      input: [{ ...hello, role: 'developer' }, hello],
      text: { format: { type: 'json_object' } },
    });
  });

  it('has the older name of the user for another server', () => {
    expect(render(readRequest({ user: 'ada' }), { isOpenAi: false, stream: true }).body).toEqual({
      ...minimal,
      user: 'ada',
      stream: true,
    });
  });
});

describe('A request of messages', () => {
  const thinking = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } };

  it('has the effort and a summary of its thinking', () => {
    expect(render(readMessages(thinking)).body).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
    });
  });

  it.each<[string, object, object | undefined]>([
    [
      'thinking that is not shown',
      { thinking: { type: 'adaptive', display: 'omitted' } },
      { effort: 'high' },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, { effort: 'none' }],
    ['nothing about thinking', {}, undefined],
  ])('has no summary for %s', (_, fields, reasoning) => {
    const { body, ignored } = render(readMessages({ ...fields }));

    expect(body.reasoning).toEqual(reasoning);
    expect(ignored).toEqual([]);
  });

  it.each<[OptionalField, object | undefined, string[], string[]]>([
    ['reasoning_summary', { effort: 'low' }, ['reasoning.encrypted_content'], ['thinking.display']],
    [
      'reasoning_effort',
      { summary: 'auto' },
      ['reasoning.encrypted_content'],
      ['output_config.effort', 'thinking'],
    ],
    ['reasoning', { effort: 'none' }, ['reasoning.encrypted_content'], ['output_config.effort', 'thinking']],
    ['encrypted_reasoning', { effort: 'low', summary: 'auto' }, [], []],
  ])('is without what the model has refused: %s', (field, reasoning, include, ignored) => {
    const rendered = render(readMessages(thinking), { refused: [field] });

    expect(rendered.body).toMatchObject({ reasoning, include });
    expect(rendered.ignored).toEqual(ignored);
  });

  it('never lets the provider keep the response', () => {
    const { body, ignored } = render(readMessages({ store: true }));

    expect([body.store, ignored]).toEqual([false, ['store']]);
  });

  it('is refused with stop sequences', () => {
    const refusal = refusalOf(() => render(readMessages({ stop_sequences: ['END'] })));

    expect(refusal).toEqual({ code: 'unsupported_parameter', param: 'stop_sequences' });
  });
});

describe('Reasoning of earlier messages', () => {
  const own = (data: object, kind: 'encrypted' | 'signature' = 'encrypted') => ({
    format: 'responses' as const,
    kind,
    data: JSON.stringify(data),
  });
  const encrypted = own({ id: 'rs_1', encrypted_content: 'gAAAAA' });
  const inputOf = (request: CompletionRequest, target?: Target) => render(request, target).body.input;

  it('goes back in front of what it preceded, for OpenAI without an id', () => {
    const turns = [
      user('Hi'),
      assistant(thought('Well', encrypted), reply('Yes'), thought('', encrypted), call('a')),
    ];
    const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes' }] };
    const item = { type: 'reasoning', encrypted_content: 'gAAAAA' };

    expect(inputOf(neutralRequest({ turns }))).toEqual([
      hello,
      { ...item, summary: [{ type: 'summary_text', text: 'Well' }] },
      text,
      { ...item, summary: [] },
      { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
    ]);
    expect(inputOf(neutralRequest({ turns }), { isOpenAi: false })).toMatchObject([
      hello,
      { ...item, id: 'rs_1' },
      text,
      { ...item, id: 'rs_1' },
      { call_id: 'a' },
    ]);
  });

  it('that a server shows as a whole goes back as its content', () => {
    const turns = [assistant(thought('Well', own({ id: 'rs_1' }, 'signature')), reply('Yes'))];
    expect(inputOf(neutralRequest({ turns }), { isOpenAi: false })).toMatchObject([
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Well' }] },
      { role: 'assistant' },
    ]);
  });

  it.each<[string, Parameters<typeof assistant>]>([
    ['of another format', [thought('Well', signature('abc', 'anthropic')), reply('Yes')]],
    ['of chat at the same provider', [thought('Well', signature('{}', 'openai')), reply('Yes')]],
    ['without data', [thought('Well'), reply('Yes')]],
    ['whose data was changed', [thought('Well', { ...encrypted, data: 'gAAA' }), reply('Yes')]],
    ['without what followed it', [reply('Yes'), thought('Well', encrypted)]],
  ])('is left out and reported if it is %s', (_, parts) => {
    const { body, ignored } = render(
      neutralRequest({ turns: [user('Hi'), assistant(...parts), user('Hi')] }),
    );

    expect(body.input).toMatchObject([hello, { role: 'assistant' }, hello]);
    expect(ignored).toEqual(['messages.reasoning_content']);
  });

  it('is not reported for a part that only carried the data of a text', () => {
    const { ignored } = render(neutralRequest({ turns: [assistant(reply('Yes'), thought(''), call('a'))] }));

    expect(ignored).toEqual([]);
  });

  it('leaves the phase on its text', () => {
    const turns = [
      assistant(reply('Yes', own({ phase: 'commentary' }, 'signature')), reply('No', signature('a'))),
    ];
    expect(inputOf(neutralRequest({ turns }))).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Yes' }],
        phase: 'commentary',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'No' }] },
    ]);
  });
});
