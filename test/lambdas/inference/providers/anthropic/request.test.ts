import { describe, expect, it } from 'vitest';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';

const mark = { type: 'ephemeral' };
const png = 'data:image/png;base64,iVBORw0KGgo=';

describe('a request to Anthropic', () => {
  it('has the address, the version and the key, and of the caller only what is allowed', async () => {
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

  it('says no more than it has to', async () => {
    const { outgoing, ignoredParameters } = await callAnthropic({});

    expect(outgoing.body).toBe(
      '{"model":"claude-haiku-4-5","max_tokens":64000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    );
    expect(ignoredParameters).toEqual([]);
  });

  it('has every parameter that Anthropic has a place for', async () => {
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

  it('tells what it leaves out', async () => {
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
  ])('is refused where something is lost: %j', async (difference, param) => {
    await expect(callAnthropic(difference)).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param,
    });
  });

  it("carries the caller's own words for Anthropic, which win", async () => {
    const { body } = await callAnthropic({
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
  ])('says what an answer in JSON is for, unless its schema does: %j', async (schema, description) => {
    const json_schema = { name: 'report', description: 'Of the weather', schema };
    const { body } = await callAnthropic({ response_format: { type: 'json_schema', json_schema } });

    expect(body.output_config.format.schema).toEqual({ ...schema, description });
  });

  it('asks for JSON without a schema in words', async () => {
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
