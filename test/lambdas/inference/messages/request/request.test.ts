import { describe, expect, it } from 'vitest';
import { messagesNames } from '#lambdas/inference/messages/request/names.ts';
import { readMessages, refusalOf } from '#test/support/messages/read.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false };
const settingsOf = (fields: Record<string, unknown>) =>
  readMessages({ max_tokens: undefined, ...fields }).settings.map(({ name, key, value, isDefault, loss }) => [
    name,
    key,
    value,
    isDefault,
    loss,
  ]);

describe('The parameters of a Messages request', () => {
  it('are read', () => {
    expect(
      readMessages({
        max_tokens: 1024,
        stop_sequences: ['END', 'STOP'],
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        metadata: { user_id: 'ada' },
      }),
    ).toMatchObject({
      maxTokens: 1024,
      stop: ['END', 'STOP'],
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      user: { id: 'ada', param: 'metadata.user_id' },
    });
  });

  it('can all be missing, as in a request to count tokens', () => {
    const { names, ...request } = readMessages('{"model":"m","messages":[]}');
    expect(request).toEqual({
      system: [],
      turns: [],
      tools: [],
      choice: null,
      toolNames: [],
      parallelToolCalls: null,
      responseFormat: { type: 'text' },
      stop: [],
      maxTokens: null,
      temperature: null,
      topP: null,
      topK: null,
      frequencyPenalty: null,
      presencePenalty: null,
      seed: null,
      n: null,
      reasoningEffort: null,
      reasoningBudget: null,
      reasoningSummary: null,
      user: null,
      settings: [],
      omissions: [],
      providerFields: {},
    });
    expect(names).toEqual({ ...messagesNames, reasoningEffort: 'output_config.effort' });
  });

  it.each([
    [{ max_tokens: '16' }, 'max_tokens'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: true }, 'top_p'],
    [{ top_k: {} }, 'top_k'],
    [{ stop_sequences: 'END' }, 'stop_sequences'],
    [{ stop_sequences: ['END', 5] }, 'stop_sequences.1'],
    [{ metadata: 'ada' }, 'metadata'],
    [{ metadata: { user_id: 5 } }, 'metadata.user_id'],
    [{ output_config: [] }, 'output_config'],
    [{ output_config: { effort: 'minimal' } }, 'output_config.effort'],
    [{ output_config: { format: 'json' } }, 'output_config.format'],
    [{ output_config: { format: { type: 'json_object' } } }, 'output_config.format.type'],
    [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema'],
    [{ thinking: 'on' }, 'thinking'],
    [{ thinking: {} }, 'thinking.type'],
    [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
  ])('are refused as %j', (fields, param) => {
    expect(refusalOf(fields)).toMatchObject({ code: 'invalid_request_error', param });
  });
});

describe('The format of the output', () => {
  it('is a schema that the output follows, with the digits of its numbers', () => {
    expect(
      readMessages({ output_config: { format: { type: 'json_schema', schema } } }).responseFormat,
    ).toEqual({
      type: 'json_schema',
      name: 'output',
      description: null,
      schema,
      strict: true,
    });
    const digits = '{"enum":[9007199254740993,1.0]}';
    const format = `{"type":"json_schema","schema":${digits}}`;
    const { responseFormat } = readMessages(
      `{"model":"m","messages":[],"output_config":{"format":${format}}}`,
    );
    expect(JSON.stringify(responseFormat.type === 'json_schema' ? responseFormat.schema : null)).toBe(digits);
  });
});

describe('The settings', () => {
  it('are all parameters that the caller gives, with the effect of leaving them out', () => {
    const thinking = { type: 'adaptive' };
    const format = { type: 'json_schema', schema };
    expect(
      settingsOf({
        max_tokens: 16,
        stop_sequences: ['END'],
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        metadata: { user_id: 'ada' },
        service_tier: 'auto',
        thinking,
        output_config: { effort: 'low', format },
        tools: [{ name: 'look', input_schema: schema }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      }),
    ).toEqual([
      ['max_tokens', 'maxTokens', 16, false, 'meaning'],
      ['metadata.user_id', 'user', 'ada', false, 'hint'],
      ['output_config.effort', 'reasoningEffort', 'low', false, 'hint'],
      ['output_config.format', 'responseFormat', format, false, 'meaning'],
      ['service_tier', 'serviceTier', 'auto', true, 'hint'],
      ['stop_sequences', 'stop', ['END'], false, 'meaning'],
      ['temperature', 'temperature', 0.5, false, 'hint'],
      ['thinking', 'reasoningEffort', thinking, false, 'hint'],
      ['tool_choice', 'toolChoice', { type: 'auto', disable_parallel_tool_use: true }, true, 'meaning'],
      ['tool_choice.disable_parallel_tool_use', 'parallelToolCalls', true, false, 'meaning'],
      ['tools', 'tools', [{ name: 'look', input_schema: schema }], false, 'meaning'],
      ['top_k', 'topK', 40, false, 'hint'],
      ['top_p', 'topP', 0.9, false, 'hint'],
    ]);
  });

  it.each([
    [{ temperature: 1 }, 'temperature'],
    [{ top_p: 1 }, 'top_p'],
    [{ stop_sequences: [] }, 'stop_sequences'],
    [{ tools: [] }, 'tools'],
    [{ top_k: null }, 'top_k'],
    [{ service_tier: 'standard_only' }, 'service_tier'],
    [{ container: null }, 'container'],
    [{ mcp_servers: [] }, 'mcp_servers'],
    [{ context_management: {} }, 'context_management'],
  ])('make no difference as %j', (fields, name) => {
    expect(readMessages({ max_tokens: undefined, ...fields }).settings).toMatchObject([
      { name, isDefault: true },
    ]);
  });

  it.each([
    ['auto', 1, false, true],
    ['auto', 1, true, false],
    ['any', 2, true, false],
    // The choice of one tool allows a single call anyway.
    ['any', 1, true, true],
    ['tool', 2, true, true],
    ['none', 2, true, true],
  ])(
    'have one call at a time with the choice %s of %i, as %s: no difference %s',
    (type, count, disabled, isDefault) => {
      const { settings } = readMessages({
        tools: ['look', 'find'].slice(0, count).map((name) => ({ name, input_schema: schema })),
        tool_choice: { type, name: 'look', disable_parallel_tool_use: disabled },
      });
      expect(settings.find(({ key }) => key === 'parallelToolCalls')).toMatchObject({ isDefault });
    },
  );

  it.each([
    ['omitted', false],
    ['summarized', true],
  ])('have the display of thinking, whose default makes no difference: %s', (display, isDefault) => {
    expect(settingsOf({ thinking: { type: 'adaptive', display } })).toContainEqual([
      'thinking.display',
      null,
      display,
      isDefault,
      'hint',
    ]);
  });

  it('have the tier under the name that the formats of OpenAI share', () => {
    expect(settingsOf({ service_tier: 'standard_only' })).toEqual([
      ['service_tier', 'serviceTier', 'default', true, 'hint'],
    ]);
  });

  it.each([
    ['container', 'meaning'],
    ['context_management', 'hint'],
    ['diagnostics', 'hint'],
    ['fallback_credit_token', 'hint'],
    ['fallbacks', 'hint'],
    ['inference_geo', 'meaning'],
    ['mcp_servers', 'meaning'],
    ['speed', 'hint'],
    ['thread', 'meaning'],
  ])('include %s, which no other format has', (name, loss) => {
    expect(settingsOf({ [name]: 'x' })).toEqual([[name, null, 'x', false, loss]]);
  });
});

describe('Other fields', () => {
  it('are passed to the provider, with the digits of their numbers', () => {
    const { providerFields, settings } = readMessages(
      '{"model":"m","messages":[],"stream":true,"system":"x","cache_control":null,"own":{"id":9007199254740993},"seed":1.0}',
    );
    expect(JSON.stringify(providerFields)).toBe('{"own":{"id":9007199254740993},"seed":1.0}');
    expect(settings).toEqual([]);
  });

  it('of messages, documents and tools are reported as left out', () => {
    const document = { type: 'document', source: { type: 'url', url: 'https://x.example' } };
    expect(
      readMessages({
        messages: [{ role: 'user', content: [{ ...document, citations: { enabled: true } }], clear_at: 1 }],
        tools: [
          { name: 'look', input_schema: schema, defer_loading: true, eager_input_streaming: true },
          { name: 'go', input_schema: schema, defer_loading: true, type: 'custom', strict: true },
          { type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
        ],
      }).omissions,
    ).toEqual([
      'messages.clear_at',
      'messages.content.citations',
      'tools.defer_loading',
      'tools.eager_input_streaming',
    ]);
  });

  it.each([
    [{ enabled: false }, []],
    [[], []],
    [null, []],
    [[{ type: 'char_location' }], ['messages.content.citations']],
  ])('report citations %j as %j', (citations, omissions) => {
    const content = [{ type: 'text', text: 'Hi', citations }];
    expect(readMessages({ messages: [{ role: 'assistant', content }] }).omissions).toEqual(omissions);
  });
});
