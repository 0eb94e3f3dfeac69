import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import {
  ignoredParameters,
  providerFields,
  unsupportedParameter,
  withProviderFields,
} from '#lambdas/inference/providers/translation/parameters.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

type OpenAiParameter = keyof OpenAI.ChatCompletionCreateParams | 'top_k';
type StructuralParameter = 'messages' | 'model' | 'stream' | 'stream_options';

interface Expectation {
  /** What becomes of it where a provider has no place for it. */
  loss: 'meaning' | 'hint';
  /** Values that ask for something. */
  asks: readonly unknown[];
  /** Values that ask for what happens anyway, beside null and none. */
  neutral?: readonly unknown[];
}

const meaning = (asks: readonly unknown[], neutral: readonly unknown[] = []): Expectation => ({
  loss: 'meaning',
  asks,
  neutral,
});
const hint = (asks: readonly unknown[], neutral: readonly unknown[] = []): Expectation => ({
  loss: 'hint',
  asks,
  neutral,
});

/** The compiler sees that none of OpenAI's is missing. */
const parameters: Record<Exclude<OpenAiParameter, StructuralParameter>, Expectation> = {
  audio: meaning([{ voice: 'alloy', format: 'wav' }]),
  frequency_penalty: hint([0.5, -2], [0]),
  function_call: meaning([{ name: 'f' }], ['none', 'auto']),
  functions: meaning([[{ name: 'f' }]], [[]]),
  logit_bias: meaning([{ 50256: -100 }], [{}]),
  logprobs: meaning([true], [false]),
  max_completion_tokens: meaning([1, 0]),
  max_tokens: meaning([1, 0]),
  metadata: hint([{ team: 'a' }], [{}]),
  modalities: meaning([['text', 'audio'], ['audio']], [['text'], []]),
  moderation: meaning([{ model: 'omni-moderation-latest' }]),
  n: meaning([2, 0, 1.5], [1]),
  parallel_tool_calls: meaning([false], [true]),
  prediction: hint([{ type: 'content', content: 'x' }]),
  presence_penalty: hint([1], [0]),
  prompt_cache_key: hint(['k']),
  prompt_cache_options: hint([{ mode: 'explicit' }], [{}]),
  prompt_cache_retention: hint(['24h']),
  reasoning_effort: hint(['none', 'low', 'medium', 'xhigh']),
  response_format: meaning(
    [{ type: 'json_object' }, { type: 'json_schema', json_schema: { name: 'x', schema: {} } }],
    [{ type: 'text' }],
  ),
  safety_identifier: hint(['u']),
  seed: hint([0, 7]),
  service_tier: hint(['flex', 'priority'], ['auto', 'default']),
  stop: meaning(['END', ['a', 'b']], [[]]),
  store: hint([true], [false]),
  temperature: hint([0, 0.7, 2], [1]),
  tool_choice: meaning(['none', 'required', { type: 'function', function: { name: 'f' } }], ['auto']),
  tools: meaning([[{ type: 'function', function: { name: 'f' } }]], [[]]),
  top_k: hint([1, 40]),
  top_logprobs: meaning([5], [0]),
  top_p: hint([0, 0.9], [1]),
  user: hint(['u']),
  verbosity: hint(['low', 'high'], ['medium']),
  web_search_options: meaning([{}, { search_context_size: 'low' }]),
};

const successors: Record<string, string> = { functions: ': use tools', function_call: ': use tool_choice' };

const names = Object.keys(parameters);
const every = (pick: (expectation: Expectation) => readonly unknown[] | undefined, loss?: string) =>
  Object.entries(parameters).flatMap(([name, expectation]) =>
    loss === undefined || expectation.loss === loss
      ? (pick(expectation) ?? []).map((value): [string, unknown] => [name, value])
      : [],
  );

function ignored(body: JsonObject, ...supported: string[]) {
  return ignoredParameters(body, { provider: 'anthropic', supported: new Set(supported) });
}

function errorOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError)
      return { code: error.code, param: error.param, message: error.message };
    throw error;
  }
  return null;
}

const asks = (expectation: Expectation) => expectation.asks;

describe('a parameter that a provider has no place for', () => {
  it.each(every(({ neutral }) => neutral))('is silent when %s is %j', (name, value) => {
    expect(ignored({ [name]: value })).toEqual([]);
  });

  it.each(names)('is silent when %s is null or not there', (name) => {
    expect([ignored({ [name]: null }), ignored({ [name]: undefined })]).toEqual([[], []]);
  });

  it.each(every(asks, 'hint'))('is told when %s is %j', (name, value) => {
    expect(ignored({ model: 'm', messages: [], [name]: value })).toEqual([name]);
  });

  it.each(every(asks, 'meaning'))('is an error when %s is %j', (name, value) => {
    expect(errorOf(() => ignored({ temperature: 0, [name]: value }))).toEqual({
      code: 'unsupported_parameter',
      param: name,
      message: `${name} is not supported by the provider anthropic${successors[name] ?? ''}`,
    });
  });

  it.each(every(asks))('is nothing of the kind when %s is taken, and is %j', (name, value) => {
    expect(ignored({ [name]: value }, name)).toEqual([]);
  });

  it('is told once with all the others', () => {
    const body = { user: 'u', seed: 1, temperature: 0, top_p: 0.5, stop: ['x'] };
    expect(ignored(body, 'stop', 'top_p')).toEqual(['seed', 'temperature', 'user']);
  });

  it('is none of these: what every provider takes, and what is the provider’s own', () => {
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

  it('is an error with its own words', () => {
    const error = unsupportedParameter('n', 'One answer only');
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

describe('a field of messages that no native protocol has', () => {
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
  ])('is told of once: %j', (messages, expected) => {
    expect(ignored({ messages, seed: 1 })).toEqual(['seed', ...expected]);
  });
});

describe("the provider's own fields", () => {
  it('are all that are none of OpenAI’s, as they are', () => {
    const openAi = Object.fromEntries(
      [...names, 'messages', 'model', 'stream', 'stream_options'].map((name) => [name, 1]),
    );
    const own = { thinking: { type: 'enabled' }, mcp_servers: null, toString: 1, top_a: 0.1 };
    expect(providerFields({ ...openAi, ...own })).toEqual(own);
  });

  it('do no harm with keys that JavaScript has a meaning for', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}';
    expect(JSON.stringify(providerFields(JSON.parse(text)))).toBe(text);
    expect('polluted' in {}).toBe(false);
  });
});

describe("the caller's own fields for the provider", () => {
  it('stand beside what was written, after it', () => {
    const joined = withProviderFields({ model: 'm', max_tokens: 5 }, { mcp_servers: [] });
    expect(JSON.stringify(joined)).toBe('{"model":"m","max_tokens":5,"mcp_servers":[]}');
  });

  it('are joined with objects at any depth, and replace single values and lists', () => {
    const written = { thinking: { type: 'enabled', budget: { tokens: 1 } }, stop: ['a', 'b'], top_k: 1 };
    const fields = { thinking: { budget: { tokens: 2, kind: 'x' } }, stop: ['c'], top_k: { of: 2 } };
    expect(withProviderFields(written, fields)).toEqual({
      thinking: { type: 'enabled', budget: { tokens: 2, kind: 'x' } },
      stop: ['c'],
      top_k: { of: 2 },
    });
  });

  it.each([null, false, 0, '', []])('can take an object away with %j', (value) => {
    expect(withProviderFields({ thinking: { type: 'enabled' } }, { thinking: value })).toEqual({
      thinking: value,
    });
  });

  it('leave both sides as they were', () => {
    const written = { a: { b: 1 } };
    const fields = { a: { c: 2 } };
    withProviderFields(written, fields);
    expect([written, fields]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  it('keep the digits of their numbers', () => {
    const written = parseExactJsonObject('{"a":{"b":1.0},"c":1.0}') ?? {};
    const fields = parseExactJsonObject('{"a":{"d":2.0},"c":3.0}') ?? {};
    expect(JSON.stringify(withProviderFields(written, fields))).toBe('{"a":{"b":1.0,"d":2.0},"c":3.0}');
    expect(JSON.stringify(withProviderFields({ c: {} }, fields))).toBe('{"c":3.0,"a":{"d":2.0}}');
  });

  it('do no harm with keys that JavaScript has a meaning for', () => {
    const text =
      '{"a":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const joined = withProviderFields({ a: { b: 1 } }, JSON.parse(text));
    expect(JSON.stringify(joined)).toBe(text.replace('{"__proto__"', '{"b":1,"__proto__"'));
    expect('polluted' in {}).toBe(false);
    expect('polluted' in joined).toBe(false);
  });
});
