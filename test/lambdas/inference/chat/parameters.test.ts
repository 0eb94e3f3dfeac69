import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { chatSettings, ignoredMessageFields, providerFields } from '#lambdas/inference/chat/parameters.ts';
import { ignoredSettings } from '#lambdas/inference/providers/translation/parameters.ts';
import { GatewayError, unsupportedParameterError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

type OpenAiParameter = keyof OpenAI.ChatCompletionCreateParams | 'top_k';
type StructuralParameter = 'messages' | 'model' | 'stream' | 'stream_options';

interface Expectation {
  /** Handling when the provider does not support the parameter: `required` is an error, `hint` is ignored. */
  kind: 'required' | 'hint';
  values: readonly unknown[];
  /** Besides null and undefined. */
  defaults?: readonly unknown[];
}

const required = (values: readonly unknown[], defaults: readonly unknown[] = []): Expectation => ({
  kind: 'required',
  values,
  defaults,
});
const hint = (values: readonly unknown[], defaults: readonly unknown[] = []): Expectation => ({
  kind: 'hint',
  values,
  defaults,
});

/** The type makes the list complete: a new parameter of the `openai` package fails to compile. */
const parameters: Record<Exclude<OpenAiParameter, StructuralParameter>, Expectation> = {
  audio: required([{ voice: 'alloy', format: 'wav' }]),
  frequency_penalty: hint([0.5, -2], [0]),
  function_call: required([{ name: 'f' }], ['none', 'auto']),
  functions: required([[{ name: 'f' }]], [[]]),
  logit_bias: required([{ 50256: -100 }], [{}]),
  logprobs: required([true], [false]),
  max_completion_tokens: required([1, 0]),
  max_tokens: required([1, 0]),
  metadata: hint([{ team: 'a' }], [{}]),
  modalities: required([['text', 'audio'], ['audio']], [['text'], []]),
  moderation: required([{ model: 'omni-moderation-latest' }]),
  n: required([2, 0, 1.5], [1]),
  parallel_tool_calls: required([false], [true]),
  prediction: hint([{ type: 'content', content: 'x' }]),
  presence_penalty: hint([1], [0]),
  prompt_cache_key: hint(['k']),
  prompt_cache_options: hint([{ mode: 'explicit' }], [{}]),
  prompt_cache_retention: hint(['24h']),
  reasoning_effort: hint(['none', 'low', 'medium', 'xhigh']),
  response_format: required(
    [{ type: 'json_object' }, { type: 'json_schema', json_schema: { name: 'x', schema: {} } }],
    [{ type: 'text' }],
  ),
  safety_identifier: hint(['u']),
  seed: hint([0, 7]),
  service_tier: hint(['flex', 'priority'], ['auto', 'default']),
  stop: required(['END', ['a', 'b']], [[]]),
  store: hint([true], [false]),
  temperature: hint([0, 0.7, 2], [1]),
  tool_choice: required(['none', 'required', { type: 'function', function: { name: 'f' } }], ['auto']),
  tools: required([[{ type: 'function', function: { name: 'f' } }]], [[]]),
  top_k: hint([1, 40]),
  top_logprobs: required([5], [0]),
  top_p: hint([0, 0.9], [1]),
  user: hint(['u']),
  verbosity: hint(['low', 'high'], ['medium']),
  web_search_options: required([{}, { search_context_size: 'low' }]),
};

const successors: Record<string, string> = { functions: ': use tools', function_call: ': use tool_choice' };

const names = Object.keys(parameters);
const buildCases = (pick: (expectation: Expectation) => readonly unknown[] | undefined, kind?: string) =>
  Object.entries(parameters).flatMap(([name, expectation]) =>
    kind === undefined || expectation.kind === kind
      ? (pick(expectation) ?? []).map((value): [string, unknown] => [name, value])
      : [],
  );

function ignored(body: JsonObject, ...supported: string[]) {
  const isSupported = ({ name }: { name: string }) => supported.includes(name);
  const settings = ignoredSettings(chatSettings(body), { provider: 'anthropic', isSupported });
  return [...settings, ...ignoredMessageFields(body)];
}

function thrownError(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError)
      return { code: error.code, param: error.param, message: error.message };
    throw error;
  }
  return null;
}

const values = (expectation: Expectation) => expectation.values;

describe('ignoredParameters', () => {
  it.each(buildCases(({ defaults }) => defaults))('does not report %s with its default %j', (name, value) => {
    expect(ignored({ [name]: value })).toEqual([]);
  });

  it.each(names)('does not report %s when it is null or undefined', (name) => {
    expect([ignored({ [name]: null }), ignored({ [name]: undefined })]).toEqual([[], []]);
  });

  it.each(buildCases(values, 'hint'))('reports unsupported %s: %j', (name, value) => {
    expect(ignored({ model: 'm', messages: [], [name]: value })).toEqual([name]);
  });

  it.each(buildCases(values, 'required'))('throws unsupported_parameter for %s: %j', (name, value) => {
    expect(thrownError(() => ignored({ temperature: 0, [name]: value }))).toEqual({
      code: 'unsupported_parameter',
      param: name,
      message: `${name} is not supported by the provider anthropic${successors[name] ?? ''}`,
    });
  });

  it.each(buildCases(values))('does not report supported %s: %j', (name, value) => {
    expect(ignored({ [name]: value }, name)).toEqual([]);
  });

  it('reports all ignored parameters, sorted by name', () => {
    const body = { user: 'u', seed: 1, temperature: 0, top_p: 0.5, stop: ['x'] };
    expect(ignored(body, 'stop', 'top_p')).toEqual(['seed', 'temperature', 'user']);
  });

  it('does not report structural and provider-specific fields', () => {
    const body = {
      messages: [{}],
      model: 'm',
      stream: true,
      stream_options: { x: 1 },
      thinking: {},
      toString: 1,
    };
    expect(ignored(body)).toEqual([]);
  });
});

describe('unsupportedParameter', () => {
  it('returns a 400 with the given message', () => {
    const error = unsupportedParameterError('n', 'One answer only');
    expect([error.status, error.toBody().error]).toEqual([
      400,
      {
        message: 'One answer only',
        type: 'invalid_request_error',
        param: 'n',
        code: 'unsupported_parameter',
      },
    ]);
  });
});

describe('ignoredParameters of messages', () => {
  const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };

  it.each([
    [
      [
        { role: 'user', name: 'Ada', content: 'Hi' },
        { role: 'system', name: 'x', content: '' },
      ],
      ['messages.name'],
    ],
    [[{ role: 'tool', name: 'look', tool_call_id: 'c', content: '' }], []],
    [
      [
        { role: 'user', name: '', content: 'Hi' },
        { role: 'user', name: null, content: 'Hi' },
      ],
      [],
    ],
    [
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', ...breakpoint },
            { type: 'text', text: 'b', ...breakpoint },
          ],
        },
      ],
      ['prompt_cache_breakpoint'],
    ],
    [[{ role: 'user', content: [{ type: 'text', text: 'a', prompt_cache_breakpoint: null }] }], []],
    [[null, 'Hi', { content: [null, 'x'] }], []],
    ['Hi', []],
  ])('reports name and prompt_cache_breakpoint once: %j', (messages, expected) => {
    expect(ignored({ messages, seed: 1 })).toEqual(['seed', ...expected]);
  });
});

describe('providerFields', () => {
  it('returns all fields that OpenAI does not define, unchanged', () => {
    const openAi = Object.fromEntries(
      [...names, 'messages', 'model', 'stream', 'stream_options'].map((name) => [name, 1]),
    );
    const providerSpecific = { thinking: { type: 'enabled' }, mcp_servers: null, toString: 1, top_a: 0.1 };
    expect(providerFields({ ...openAi, ...providerSpecific })).toEqual(providerSpecific);
  });

  it('copies __proto__ and constructor as ordinary fields', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}';
    expect(JSON.stringify(providerFields(JSON.parse(text)))).toBe(text);
    expect('polluted' in {}).toBe(false);
  });
});
