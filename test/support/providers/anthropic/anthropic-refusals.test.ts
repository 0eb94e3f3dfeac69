import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnthropicUpstream, startAnthropicUpstream } from './anthropic-protocol.ts';

let upstream: AnthropicUpstream;

beforeAll(async () => {
  upstream = await startAnthropicUpstream();
});

afterAll(async () => {
  await upstream.stop();
});

const user = (content: unknown = 'Hi') => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words });
const marked = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
const toolResult = { type: 'tool_result', tool_use_id: 'toolu_1', content: '4 °C' };
const tool = { name: 'weather', input_schema: { type: 'object' } };
const closed = { type: 'object', properties: {}, additionalProperties: false };
const format = (schema: object) => ({ output_config: { format: { type: 'json_schema', schema } } });
const thinking = { type: 'enabled', budget_tokens: 2000 };

/** The message of the refusal; `null` when the request is answered. */
async function refusalOf(difference: object): Promise<string | null> {
  const response = await fetch(`${upstream.baseUrl}/messages`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'claude-sonnet-4-6',
      max_tokens: 4000,
      messages: [user()],
      ...difference,
    }),
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  });
  const { error } = (await response.json()) as { error?: { type: string; message: string } };
  expect(response.status).toBe(error === undefined ? 200 : 400);
  if (error !== undefined) expect(error.type).toBe('invalid_request_error');
  return error?.message ?? null;
}

describe('a parameter is refused', () => {
  it.each([
    [{ max_tokens: undefined }, 'max_tokens: Field required'],
    [{ max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    [{ top_q: 1 }, 'top_q: Extra inputs are not permitted'],
    [{ speed: 'fast' }, 'speed: Extra inputs are not permitted'],
    [{ temperature: 1.5 }, 'temperature: range: 0..1'],
    [{ stop_sequences: ['\n'] }, 'stop_sequences: each stop sequence must contain non-whitespace'],
    [{ metadata: { user: 'u' } }, 'metadata.user: Extra inputs are not permitted'],
    [{ system: [text('')] }, 'system: text content blocks must be non-empty'],
    [{ service_tier: 'flex' }, "service_tier: Input should be 'auto' or 'standard_only'"],
  ])('%j', async (difference, message) => {
    expect(await refusalOf(difference)).toBe(message);
  });
});

describe('a model refuses', () => {
  const sonnet45 = 'claude-sonnet-4-5';
  const opus55 = 'claude-opus-5-5';
  it.each([
    [
      { model: sonnet45, max_tokens: 64_001 },
      'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
    ],
    [{ model: opus55, temperature: 0.5 }, '`temperature` is deprecated for this model.'],
    [{ model: 'claude-opus-4-7', top_p: 0.9 }, '`top_p` is deprecated for this model.'],
    [
      { model: sonnet45, temperature: 0.5, top_p: 0.9 },
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    ],
    [
      { model: 'claude-sonnet-5', thinking },
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ],
    [
      { model: opus55, thinking: { type: 'disabled' } },
      '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ],
    [{ model: sonnet45, thinking: { type: 'adaptive' } }, 'adaptive thinking is not supported on this model'],
    [
      { model: opus55, thinking: { type: 'between_tools' } },
      '"thinking.type.between_tools" is not supported for this model.',
    ],
    [
      { model: sonnet45, output_config: { effort: 'low' } },
      'This model does not support the effort parameter.',
    ],
    [
      { model: 'claude-opus-4-5', output_config: { effort: 'max' } },
      "output_config.effort: Input should be 'low', 'medium' or 'high'",
    ],
    [
      { model: 'claude-opus-5', thinking: { type: 'disabled' }, output_config: { effort: 'xhigh' } },
      "output_config.effort 'xhigh' is not supported when thinking is disabled on this model. Use effort 'high' or below, or enable thinking.",
    ],
    [
      { model: opus55, tools: [tool], tool_choice: { type: 'any' } },
      'tool_choice: type "tool" and "any" are not supported for this model.',
    ],
    [
      { model: opus55, messages: [user(), assistant(text('I'))] },
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    ],
  ])('%j', async (difference, message) => {
    expect(await refusalOf(difference)).toBe(message);
  });

  it('no effort and no adaptive thinking where it has them', async () => {
    const asked = {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    };

    expect(await refusalOf({ model: opus55, ...asked })).toBeNull();
    expect(await refusalOf({ model: 'claude-of-the-future', ...asked })).toBeNull();
  });
});

describe('thinking with a budget is refused', () => {
  it.each([
    [
      { thinking: { type: 'enabled', budget_tokens: 1000 } },
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [{ thinking, max_tokens: 2000 }, '`max_tokens` must be greater than `thinking.budget_tokens`.'],
    [
      { thinking, temperature: 0 },
      '`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.',
    ],
    [{ thinking, top_k: 5 }, '`top_k` must be unset when thinking is enabled.'],
    [
      { thinking, tools: [tool], tool_choice: { type: 'tool', name: 'weather' } },
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
    [
      { thinking, tools: [tool], messages: [user(), assistant(toolUse), user([toolResult])] },
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.',
    ],
  ])('%j', async (difference, message) => {
    expect(await refusalOf(difference)).toBe(message);
  });
});

describe('a conversation is refused', () => {
  const unanswered =
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
  it.each([
    [[], 'messages: at least one message is required'],
    [
      [{ role: 'system', content: 'Be brief.' }, user()],
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ],
    [[assistant(text('Hi'))], 'messages: first message must use the "user" role'],
    [[{ ...user(), name: 'Ann' }], 'messages.0.name: Extra inputs are not permitted'],
    [[user([text('')])], 'messages: text content blocks must be non-empty'],
    [[user([text(' \n')])], 'messages: text content blocks must contain non-whitespace text'],
    [
      [user(''), assistant(text('Hi')), user()],
      'messages.0: all messages must have non-empty content except for the optional final assistant message',
    ],
    [
      [user(), assistant({ type: 'thinking', thinking: 'Hm.', signature: 'sig' }), user()],
      'messages.1: The final block in an assistant message cannot be `thinking`.',
    ],
    [
      [user(), assistant(text('I am '))],
      'messages: final assistant content cannot end with trailing whitespace',
    ],
    [[user(), assistant(toolUse), user('Well?')], unanswered],
    [[user(), assistant(toolUse), user([text('Well?'), toolResult])], unanswered],
    [[user(), assistant(toolUse), user(), user([toolResult])], unanswered],
    [
      [user([toolResult])],
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    ],
    [
      [user(), assistant(toolUse), user([toolResult])],
      'Requests which include `tool_use` or `tool_result` blocks must define tools.',
    ],
    [
      [user(), assistant({ ...toolUse, id: 'call 1' }), user([toolResult])],
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      [user(), assistant({ ...toolUse, input: '{}' }), user([toolResult])],
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    ],
    [[user(Array(5).fill(marked))], 'A maximum of 4 blocks with cache_control may be provided. Found 5.'],
  ])('%j', async (messages, message) => {
    expect(await refusalOf({ messages })).toBe(message);
  });
});

describe('a source is refused', () => {
  const image = (source: object) => [user([{ type: 'image', source }])];
  it.each([
    [
      image({ type: 'base64', media_type: 'image/tiff', data: 'AAAA' }),
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ],
    [
      image({ type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,AAAA' }),
      'messages.0.content.0.image.source.base64: invalid base64 data',
    ],
    [
      image({ type: 'base64', media_type: 'image/png', data: '' }),
      'messages.0.content.0.image.source.base64: image cannot be empty',
    ],
    [
      image({ type: 'file', file_id: 'file_1' }),
      "messages.0.content.0.image.source: Input tag 'file' found using 'type' does not match any of the expected tags: 'base64', 'url'",
    ],
    [
      [user([{ type: 'document', source: { type: 'base64', media_type: 'text/plain', data: 'AAAA' } }])],
      "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
    ],
  ])('%j', async (messages, message) => {
    expect(await refusalOf({ messages })).toBe(message);
  });
});

describe('tools and schemas are refused', () => {
  it.each([
    [
      { tools: [{ ...tool, name: 'the weather' }] },
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [{ tools: [tool, tool] }, 'tools: Tool names must be unique.'],
    [{ tools: [{ name: 'weather' }] }, 'tools.0.custom.input_schema: Field required'],
    [{ tools: [{ ...tool, input_schema: {} }] }, 'tools.0.custom.input_schema.type: Field required'],
    [{ tools: [{ ...tool, parameters: {} }] }, 'tools.0.custom.parameters: Extra inputs are not permitted'],
    [{ tool_choice: { type: 'auto' } }, 'tool_choice.auto may only be specified while providing tools'],
    [
      { tools: [tool], tool_choice: { type: 'tool', name: 'clock' } },
      "Tool 'clock' not found in provided tools",
    ],
    [
      { tools: [{ ...tool, strict: true }] },
      "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      format({ type: 'object', properties: {} }),
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      format({ ...closed, properties: { age: { type: 'integer', minimum: 0 } } }),
      "output_config.format.schema: For 'integer' type, property 'minimum' is not supported",
    ],
    [
      format({ ...closed, properties: { any: {} } }),
      'output_config.format.schema: Empty schema ({}) that accepts any JSON value is not supported',
    ],
    [
      format({ ...closed, properties: { one: { oneOf: [{ type: 'string' }] } } }),
      "output_config.format.schema: Schema type 'oneOf' is not supported",
    ],
    [
      format({ ...closed, properties: { one: { type: 'string', anyOf: [{ type: 'string' }] } } }),
      "output_config.format.schema: For 'anyOf', 'type' is not supported",
    ],
  ])('%j', async (difference, message) => {
    expect(await refusalOf(difference)).toBe(message);
  });
});
