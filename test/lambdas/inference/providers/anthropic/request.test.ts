import { describe, expect, it } from 'vitest';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';

const ephemeral = { type: 'ephemeral' };
const png = 'data:image/png;base64,iVBORw0KGgo=';

describe('Requests to Anthropic', () => {
  it('sends the API version, the key and only allow-listed caller headers to the messages endpoint', async () => {
    const { outgoing } = await callAnthropic(
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

  it('sends no default parameters', async () => {
    const { outgoing, ignoredParameters } = await callAnthropic({});

    expect(outgoing.body).toBe(
      '{"model":"claude-haiku-4-5","max_tokens":64000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    );
    expect(ignoredParameters).toEqual([]);
  });

  it('translates every supported parameter', async () => {
    const { body } = await callAnthropic({
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

  it('reports ignored parameters', async () => {
    const { ignoredParameters } = await callAnthropic({
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
  ])('rejects unsupported parameters: %j', async (fields, param) => {
    await expect(callAnthropic(fields)).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param,
    });
  });

  it('merges Anthropic fields into the translated request and prefers them', async () => {
    const { body } = await callAnthropic({
      model: 'claude-sonnet-4-6',
      reasoning_effort: 'low',
      user: 'user-1',
      thinking: { type: 'enabled', budget_tokens: 2000 },
      metadata: null,
      inference_geo: 'us',
      cache_control: ephemeral,
      output_config: { effort: 'max' },
    });

    expect(body).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2000 },
      metadata: { user_id: 'user-1' },
      inference_geo: 'us',
      cache_control: ephemeral,
      output_config: { effort: 'max' },
    });
  });

  it('states the output limit that it sends: that of the caller, or else of the model', async () => {
    const limitOf = async (fields: Record<string, unknown>) => (await callAnthropic(fields)).outputLimit;
    const ofOne = (maxOutputTokens: number | null) => ({ maxOutputTokens, completions: 1 });

    expect(await limitOf({ max_completion_tokens: 500, max_tokens: 900 })).toEqual(ofOne(500));
    expect(await limitOf({ model: 'claude-opus-5-5' })).toEqual(ofOne(128_000));
    expect(await limitOf({ model: 'claude-haiku-4-5', reasoning_effort: 'high' })).toEqual(ofOne(64_000));
    expect(await limitOf({ max_tokens: null, thinking: { type: 'disabled' } })).toEqual(ofOne(64_000));
    expect(await limitOf({ max_tokens: 0.5 })).toEqual(ofOne(null));
  });

  it('sends the response schema without unsupported annotations', async () => {
    const described = {
      $comment: 'c',
      deprecated: true,
      example: 'a',
      examples: ['a'],
      readOnly: true,
      writeOnly: false,
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

    const { body } = await callAnthropic({
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
  ])(
    'adds the description of the response format to a schema without one: %j',
    async (schema, description) => {
      const json_schema = { name: 'report', description: 'Of the weather', schema };
      const { body } = await callAnthropic({ response_format: { type: 'json_schema', json_schema } });

      expect(body.output_config.format.schema).toEqual({ ...schema, description });
    },
  );

  it('sends json_object as a system instruction', async () => {
    const { body } = await callAnthropic({
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
