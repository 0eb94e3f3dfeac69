import { describe, expect, it } from 'vitest';
import { askAnthropic } from '#test/support/providers/anthropic/anthropic-exchange.ts';

const mark = { type: 'ephemeral' };
const hour = { type: 'ephemeral', ttl: '1h' };
const png = 'data:image/png;base64,iVBORw0KGgo=';
const pdf = 'data:application/pdf;base64,JVBERi0xLjQK';

/** What Anthropic is sent for these messages. */
async function messagesFor(messages: object[]): Promise<unknown> {
  return (await askAnthropic({ messages })).body.messages;
}
const partsFor = async (...content: object[]) => {
  const [message] = (await messagesFor([{ role: 'user', content }])) as { content: unknown }[];
  return message?.content;
};
const toolCall = (id: string, text = '{}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: text },
});

describe('a request to Anthropic', () => {
  it('has the address, the version and the key, and of the caller only what is allowed', async () => {
    const { outgoing } = await askAnthropic(
      {},
      {
        callerHeaders: {
          authorization: 'Bearer pt_live_1',
          'anthropic-beta': 'context-1m-2025-08-07',
          'user-agent': 'test/1',
          'x-session-id': 's1',
        },
      },
    );

    expect(outgoing.url.href).toBe('https://api.anthropic.com/v1/messages');
    expect(outgoing.headers).toEqual({
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-1m-2025-08-07',
      'user-agent': 'test/1',
      'x-api-key': 'sk-1',
    });
  });

  it('says no more than it has to', async () => {
    const { outgoing, ignoredParameters } = await askAnthropic({});

    expect(outgoing.body).toBe(
      '{"model":"claude-haiku-4-5","max_tokens":64000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    );
    expect(ignoredParameters).toEqual([]);
  });

  it('has every parameter that Anthropic has a place for', async () => {
    const { body } = await askAnthropic({
      max_completion_tokens: 500,
      temperature: 0.5,
      top_k: 40,
      stop: ['END', '5'],
      user: 'user-1',
      stream: true,
    });

    expect(body).toEqual({
      model: 'claude-haiku-4-5',
      max_tokens: 500,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stop_sequences: ['END', '5'],
      temperature: 0.5,
      top_k: 40,
      metadata: { user_id: 'user-1' },
      stream: true,
    });
  });

  it('tells what it leaves out', async () => {
    const { ignoredParameters } = await askAnthropic({
      seed: 1,
      presence_penalty: 0.5,
      prompt_cache_key: 'key',
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: png, detail: 'low' } }] },
        { role: 'assistant', content: 'So?', images: [{ type: 'image_url', image_url: { url: png } }] },
        { role: 'user', content: 'Yes' },
      ],
    });

    expect(ignoredParameters).toEqual([
      ...['presence_penalty', 'prompt_cache_key', 'seed'],
      ...['image_url.detail', 'messages.images'],
    ]);
  });

  it.each([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ logit_bias: { 50256: -100 } }, 'logit_bias'],
    [{ web_search_options: { search_context_size: 'low' } }, 'web_search_options'],
  ])('is refused where something is lost: %j', async (difference, param) => {
    await expect(askAnthropic(difference)).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param,
    });
  });

  it("carries the caller's own words for Anthropic, which win", async () => {
    const { body } = await askAnthropic({
      model: 'claude-sonnet-4-6',
      reasoning_effort: 'low',
      user: 'user-1',
      thinking: { type: 'enabled', budget_tokens: 2000 },
      metadata: null,
      inference_geo: 'us',
      cache_control: mark,
      output_config: { effort: 'max' },
    });

    expect(body).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2000 },
      metadata: { user_id: 'user-1' },
      inference_geo: 'us',
      cache_control: mark,
      output_config: { effort: 'max' },
    });
  });

  it('asks for JSON by a schema, without what only describes it', async () => {
    const described = {
      ...{ $comment: 'c', deprecated: true, example: 'a', examples: ['a'], readOnly: true, writeOnly: false },
      type: 'string',
    };
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/list',
      type: 'object',
      properties: { examples: { type: 'array', items: described } },
      required: ['examples'],
      additionalProperties: false,
    };

    const { body } = await askAnthropic({
      model: 'claude-opus-5-5',
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'list', strict: true, schema } },
    });

    expect(body.output_config).toEqual({
      effort: 'high',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { examples: { type: 'array', items: { type: 'string' } } },
          required: ['examples'],
          additionalProperties: false,
        },
      },
    });
  });

  it.each([
    [{ type: 'object', additionalProperties: false }, 'Of the weather'],
    [{ type: 'object', additionalProperties: false, description: 'A city' }, 'A city'],
  ])('says what an answer in JSON is for, unless its schema does: %j', async (schema, description) => {
    const json_schema = { name: 'report', description: 'Of the weather', schema };
    const { body } = await askAnthropic({ response_format: { type: 'json_schema', json_schema } });

    expect(body.output_config.format.schema).toEqual({ ...schema, description });
  });

  it('asks for JSON without a schema in words', async () => {
    const { body } = await askAnthropic({
      response_format: { type: 'json_object' },
      messages: [
        { role: 'system', content: 'Reply in JSON.' },
        { role: 'user', content: 'Hi' },
      ],
    });

    expect(body.system).toEqual([
      { type: 'text', text: 'Reply in JSON.' },
      {
        type: 'text',
        text: 'Answer with one JSON object and nothing else: no words before or after it, and no code fence around it.',
      },
    ]);
    expect(body.output_config).toBeUndefined();
  });
});

describe('messages', () => {
  it('have the words of system and developer apart, with their marks for the cache', async () => {
    const { body } = await askAnthropic({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: hour }] },
        { role: 'user', content: 'Hi' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'system', content: '' },
      ],
    });

    expect(body.system).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: hour },
      { type: 'text', text: 'Be kind.' },
    ]);
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
  });

  it('become turns, in which results come first and in one', async () => {
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
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A' }], cache_control: mark },
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
            cache_control: mark,
          },
          { type: 'text', text: 'Well?' },
        ],
      },
    ]);
  });

  it('are marked for the cache at their end', async () => {
    expect(
      await messagesFor([
        { role: 'user', content: 'Hi', cache_control: hour },
        { role: 'assistant', content: 'Hm', tool_calls: [toolCall('a'), toolCall('b')], cache_control: mark },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A', cache_control: mark }] },
      ]),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: hour }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hm' },
          { type: 'tool_use', id: 'a', name: 'weather', input: {} },
          { type: 'tool_use', id: 'b', name: 'weather', input: {}, cache_control: mark },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'text', text: 'A' }],
            cache_control: mark,
          },
        ],
      },
    ]);
  });

  it('keep the digits of the arguments of a call', async () => {
    const { outgoing } = await askAnthropic({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [toolCall('a', '{"big":9007199254740993,"one":1.0}')] },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ],
    });

    expect(outgoing.body).toContain('"input":{"big":9007199254740993,"one":1.0}');
    expect(outgoing.body).toContain('{"type":"tool_result","tool_use_id":"a"}');
  });

  it('give ids of other providers a form that is taken, the same for a call and its result', async () => {
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
    ['empty', {}],
    ['nothing but thoughts', { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }] }],
  ])('leave out an answer that was %s', async (_, thoughts) => {
    expect(
      await messagesFor([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: '', ...thoughts },
        { role: 'user', content: 'Hello?' },
      ]),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hello?' }] },
    ]);
  });

  it('have no texts of blanks, whose marks go to what stands before', async () => {
    const blank = { type: 'text', text: ' \n' };
    const { body } = await askAnthropic({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }, blank] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { ...blank, cache_control: mark },
          ],
        },
        { role: 'assistant', tool_calls: [toolCall('a')] },
        { role: 'tool', tool_call_id: 'a', content: '\n' },
      ],
    });

    expect(body.system).toEqual([{ type: 'text', text: 'Be brief.' }]);
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: mark }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ]);
  });

  it('give thoughts back as they were, before what was said', async () => {
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

describe('content', () => {
  it('has images by address and by data', async () => {
    expect(
      await partsFor(
        { type: 'text', text: '' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' }, cache_control: mark },
        { type: 'image_url', image_url: { url: png } },
        { type: 'image_url', image_url: { url: 'data:image/jpg;base64,/9j/' } },
      ),
    ).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' }, cache_control: mark },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/' } },
    ]);
  });

  it('has documents, those of text as text', async () => {
    const text = `data:text/csv;base64,${Buffer.from('å,1').toString('base64')}`;

    expect(
      await partsFor(
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
  ])('that Claude does not take is an error that names it: %j', async (part, param) => {
    await expect(partsFor(part)).rejects.toMatchObject({ status: 400, param });
  });
});
