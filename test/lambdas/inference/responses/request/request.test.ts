import { describe, expect, it } from 'vitest';
import { responsesNames } from '#lambdas/inference/responses/request/names.ts';
import { readResponses, refusalOf } from '#test/support/responses/read.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false };
const format = { type: 'json_schema', name: 'out', schema };

describe('The parameters of a Responses request', () => {
  it('are read', () => {
    expect(
      readResponses({
        max_output_tokens: 1024,
        temperature: 0.5,
        top_p: 0.9,
        frequency_penalty: 0.1,
        presence_penalty: -0.2,
        reasoning: { effort: 'xhigh', summary: 'detailed' },
        safety_identifier: 'ada',
        user: 'eve',
        parallel_tool_calls: false,
        tools: [{ type: 'function', name: 'look' }],
      }),
    ).toMatchObject({
      maxTokens: 1024,
      temperature: 0.5,
      topP: 0.9,
      frequencyPenalty: 0.1,
      presencePenalty: -0.2,
      reasoningEffort: 'xhigh',
      reasoningSummary: 'detailed',
      user: { id: 'ada', param: 'safety_identifier' },
      parallelToolCalls: false,
    });
  });

  it('can all be missing or null', () => {
    const none = {
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
      omissions: [],
      names: responsesNames,
      providerFields: {},
    };
    expect(readResponses('{"model":"p/m"}')).toEqual({ ...none, settings: [] });
    const names = [
      'input',
      'instructions',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'text',
      'reasoning',
    ];
    const numbers = ['max_output_tokens', 'temperature', 'top_p', 'frequency_penalty', 'presence_penalty'];
    const nulls = [...names, ...numbers, 'user', 'safety_identifier', 'previous_response_id', 'conversation'];
    const { settings, ...request } = readResponses(Object.fromEntries(nulls.map((name) => [name, null])));
    expect(request).toEqual(none);
    expect(settings.map(({ isDefault }) => isDefault)).not.toContain(false);
  });

  it('have the older name of the summary and of the end user', () => {
    expect(readResponses({ reasoning: { generate_summary: 'concise' }, user: 'eve' })).toMatchObject({
      reasoningSummary: 'concise',
      user: { id: 'eve', param: 'user' },
    });
  });

  it.each([
    [{ instructions: 5 }, 'instructions'],
    [{ max_output_tokens: '16' }, 'max_output_tokens'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: true }, 'top_p'],
    [{ frequency_penalty: 'x' }, 'frequency_penalty'],
    [{ presence_penalty: [] }, 'presence_penalty'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    [{ reasoning: 'high' }, 'reasoning'],
    [{ reasoning: { effort: 'extreme' } }, 'reasoning.effort'],
    [{ reasoning: { summary: 'long' } }, 'reasoning.summary'],
    [{ reasoning: { generate_summary: 'long' } }, 'reasoning.generate_summary'],
    [{ safety_identifier: 5 }, 'safety_identifier'],
    [{ user: 5 }, 'user'],
    [{ text: 'json' }, 'text'],
    [{ text: { format: 'json' } }, 'text.format'],
    [{ text: { format: {} } }, 'text.format.type'],
    [{ text: { format: { type: 'json_schema', schema } } }, 'text.format.name'],
    [{ text: { format: { type: 'json_schema', name: 'out' } } }, 'text.format.schema'],
    [{ text: { format: { ...format, strict: 'yes' } } }, 'text.format.strict'],
    [{ text: { format: { ...format, description: 5 } } }, 'text.format.description'],
  ])('are refused as %j', (fields, param) => {
    expect(refusalOf(fields)).toMatchObject({ code: 'invalid_request_error', param });
  });
});

describe('The format of the text', () => {
  it.each([
    [undefined, { type: 'text' }],
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json_object' }, { type: 'json_object' }],
    [format, { ...format, description: null, strict: null }],
    [
      { ...format, description: 'Out', strict: true },
      { ...format, description: 'Out', strict: true },
    ],
  ])('%j is %j', (given, responseFormat) => {
    expect(readResponses({ text: { format: given } }).responseFormat).toEqual(responseFormat);
  });

  it('keeps the digits of its numbers', () => {
    const digits = '{"enum":[9007199254740993,1.0]}';
    const { responseFormat } = readResponses(
      `{"model":"p/m","text":{"format":{"type":"json_schema","name":"out","schema":${digits}}}}`,
    );
    expect(JSON.stringify(responseFormat.type === 'json_schema' ? responseFormat.schema : null)).toBe(digits);
  });
});

describe('Other fields', () => {
  it('are passed to the provider, with the digits of their numbers', () => {
    const { providerFields, settings } = readResponses(
      '{"model":"p/m","input":"Hi","stream":true,"background":false,"stream_options":{},"own":{"id":9007199254740993},"seed":1.0}',
    );
    expect(JSON.stringify(providerFields)).toBe('{"own":{"id":9007199254740993},"seed":1.0}');
    expect(settings).toEqual([]);
  });

  it('of settings, items and tools are reported as left out', () => {
    expect(
      readResponses({
        text: { format: { type: 'text' }, verbosity: 'low', tone: 'kind' },
        reasoning: { effort: 'low', summary: 'auto', context: 'all_turns' },
        input: [{ role: 'assistant', content: 'Hi', phase: 'commentary' }],
        tools: [
          { type: 'function', name: 'look', defer_loading: true },
          { type: 'custom', name: 'patch', allowed_callers: [] },
          { type: 'web_search', user_location: {} },
        ],
      }).omissions,
    ).toEqual([
      'text.tone',
      'reasoning.context',
      'input.phase',
      'tools.defer_loading',
      'tools.allowed_callers',
    ]);
  });

  it.each(['message', 'output'])('report a breakpoint of the cache in the content of a %s', (kind) => {
    const content = [{ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }];
    const item =
      kind === 'message'
        ? { role: 'user', content }
        : { type: 'function_call_output', call_id: 'a', output: content };
    expect(readResponses({ input: [item] }).omissions).toEqual(['prompt_cache_breakpoint']);
  });

  it('report no phase that is null', () => {
    expect(readResponses({ input: [{ role: 'assistant', content: 'Hi', phase: null }] }).omissions).toEqual(
      [],
    );
  });
});
