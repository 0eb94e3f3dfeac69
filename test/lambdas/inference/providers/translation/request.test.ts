import { describe, expect, it } from 'vitest';
import {
  findOptionalFeatures,
  readCompletionRequest,
} from '#lambdas/inference/providers/translation/request.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const read = (fields: JsonObject) => readCompletionRequest({ model: 'm', messages, ...fields });

function errorFor(fields: JsonObject) {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, status: error.status, param: error.param };
    throw error;
  }
  return null;
}

const minimalRequest = {
  system: [],
  turns: [
    {
      role: 'user',
      toolResults: [],
      parts: [{ type: 'text', text: 'Hi', cacheControl: null, param: 'messages[0].content' }],
    },
  ],
  tools: [],
  choice: null,
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
  user: null,
  providerFields: {},
};

describe('readCompletionRequest', () => {
  it('reads a request with messages only', () => {
    expect(read({})).toEqual(minimalRequest);
  });

  it('reads null parameters as absent', () => {
    const names = [
      ...['tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'stop', 'max_completion_tokens'],
      ...[
        'max_tokens',
        'temperature',
        'top_p',
        'top_k',
        'frequency_penalty',
        'presence_penalty',
        'seed',
        'n',
      ],
      ...['reasoning_effort', 'user'],
    ];
    expect(read(Object.fromEntries(names.map((name) => [name, null])))).toEqual(minimalRequest);
  });

  it('reads every parameter', () => {
    const fields = {
      parallel_tool_calls: false,
      response_format: { type: 'json_object' },
      stop: 'END',
      max_tokens: 10,
      temperature: 0,
      top_p: 0.25,
      top_k: 5,
      frequency_penalty: -1,
      presence_penalty: 1.5,
      seed: 7,
      n: 2,
      reasoning_effort: 'low',
      user: 'u',
      thinking: { type: 'adaptive' },
    };
    expect(read(fields)).toEqual({
      ...minimalRequest,
      parallelToolCalls: false,
      responseFormat: { type: 'json_object' },
      stop: ['END'],
      maxTokens: 10,
      temperature: 0,
      topP: 0.25,
      topK: 5,
      frequencyPenalty: -1,
      presencePenalty: 1.5,
      seed: 7,
      n: 2,
      reasoningEffort: 'low',
      user: { id: 'u', param: 'user' },
      providerFields: { thinking: { type: 'adaptive' } },
    });
  });

  it.each([
    [{ max_tokens: 1 }, 1],
    [{ max_completion_tokens: 2 }, 2],
    [{ max_tokens: 1, max_completion_tokens: 2 }, 2],
    [{ max_tokens: 1, max_completion_tokens: null }, 1],
    [{ max_tokens: 1, max_completion_tokens: 0 }, 0],
  ])('reads %j as a maximum of %i tokens', (fields, maxTokens) => {
    expect(read(fields).maxTokens).toBe(maxTokens);
  });

  it.each([
    ['END', ['END']],
    [
      ['a', 'b', ''],
      ['a', 'b', ''],
    ],
    [[], []],
  ])('reads stop %j as %j', (stop, expected) => {
    expect(read({ stop }).stop).toEqual(expected);
  });

  it.each([1e308, -0.5, 2 ** 53])('does not clamp numbers: %d', (temperature) => {
    expect(read({ temperature, seed: temperature })).toMatchObject({ temperature, seed: temperature });
  });

  const schema = { type: 'object', properties: { constructor: { type: 'string' } } };
  it.each([
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json_object' }, { type: 'json_object' }],
    [
      { type: 'json_schema', json_schema: { name: 'weather', schema } },
      { type: 'json_schema', name: 'weather', description: null, schema, strict: null },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'w', description: 'd', schema: {}, strict: true } },
      { type: 'json_schema', name: 'w', description: 'd', schema: {}, strict: true },
    ],
  ])('reads the response format %j', (response_format, expected) => {
    expect(read({ response_format }).responseFormat).toEqual(expected);
  });

  const inSchema = (json_schema: unknown) => ({ response_format: { type: 'json_schema', json_schema } });
  it.each<[JsonObject, string]>([
    [{ messages: 'Hi' }, 'messages'],
    [{ messages: [{ role: 'robot' }] }, 'messages[0].role'],
    [{ tools: 'look' }, 'tools'],
    [{ tool_choice: 'any' }, 'tool_choice'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    [{ stop: 5 }, 'stop'],
    [{ stop: ['a', null] }, 'stop[1]'],
    [{ max_tokens: '5' }, 'max_tokens'],
    [{ max_completion_tokens: true }, 'max_completion_tokens'],
    [{ temperature: '0.5' }, 'temperature'],
    [{ top_p: [] }, 'top_p'],
    [{ top_k: {} }, 'top_k'],
    [{ frequency_penalty: '' }, 'frequency_penalty'],
    [{ presence_penalty: '1' }, 'presence_penalty'],
    [{ seed: 'x' }, 'seed'],
    [{ n: '2' }, 'n'],
    [{ reasoning_effort: 5 }, 'reasoning_effort'],
    [{ reasoning_effort: 'some' }, 'reasoning_effort'],
    [{ user: 5 }, 'user'],
    [{ safety_identifier: 5 }, 'safety_identifier'],
    [{ response_format: 'json' }, 'response_format'],
    [{ response_format: [] }, 'response_format'],
    [{ response_format: {} }, 'response_format.type'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
    [inSchema(undefined), 'response_format.json_schema'],
    [inSchema({ schema }), 'response_format.json_schema.name'],
    [inSchema({ name: 'w' }), 'response_format.json_schema.schema'],
    [inSchema({ name: 'w', schema: true }), 'response_format.json_schema.schema'],
    [inSchema({ name: 'w', schema, description: 5 }), 'response_format.json_schema.description'],
    [inSchema({ name: 'w', schema, strict: 'yes' }), 'response_format.json_schema.strict'],
  ])('rejects %j with param %s', (fields, param) => {
    expect(errorFor(fields)).toEqual({ code: 'invalid_request_error', status: 400, param });
  });
});

const cacheControl = { cache_control: { type: 'ephemeral' } };
const tool = { type: 'function', function: { name: 'look' } };
const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
const png = 'data:image/png;base64,iVBORw0KGgo=';
const image = (detail?: string) => ({ type: 'image_url', image_url: { url: png, detail } });
const file = (filename?: string) => ({ type: 'file', file: { filename, file_data: png } });
const user = (...content: object[]) => ({ role: 'user', content });
const result = (...content: object[]) => ({ role: 'tool', tool_call_id: 'a', content });
const noFeatures = {
  ignored: [],
  filenames: false,
  cacheBreakpoints: { inMessages: false, inTools: false },
};
const inMessages = { cacheBreakpoints: { inMessages: true, inTools: false } };

describe('findOptionalFeatures', () => {
  it.each<[string, object[], object]>([
    [
      'no optional feature',
      [user(image('auto'), image(), file()), { role: 'assistant', tool_calls: [call] }],
      {},
    ],
    ['an image with a detail', [user(image('low'))], { ignored: ['image_url.detail'] }],
    ['an image with a detail in a tool result', [result(image('high'))], { ignored: ['image_url.detail'] }],
    ['a filename', [user(file('a.png'))], { filenames: true }],
    [
      'an image generated by a model',
      [{ role: 'assistant', content: 'Here', images: [image()] }],
      { ignored: ['messages.images'] },
    ],
    ...['{"a":', 'null', '[1]'].map((text): [string, object[], object] => [
      `the arguments ${text}`,
      [{ role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: text } }] }],
      { ignored: ['messages.tool_calls.function.arguments'] },
    ]),
    ['cache_control in the system prompt', [{ role: 'system', content: 'Hi', ...cacheControl }], inMessages],
    ['cache_control on a content part', [user({ type: 'text', text: 'Hi', ...cacheControl })], inMessages],
    [
      'cache_control on an assistant message',
      [{ role: 'assistant', content: 'Hi', ...cacheControl }],
      inMessages,
    ],
    [
      'cache_control on a tool call',
      [{ role: 'assistant', tool_calls: [{ ...call, ...cacheControl }] }],
      inMessages,
    ],
    ['cache_control on a tool result', [{ ...result(), ...cacheControl }], inMessages],
  ])('detects %s', (_, messages, features) => {
    expect(findOptionalFeatures(readCompletionRequest({ messages }))).toEqual({ ...noFeatures, ...features });
  });

  it('detects cache_control on a tool separately', () => {
    const request = readCompletionRequest({ messages: [], tools: [{ ...tool, ...cacheControl }] });

    expect(findOptionalFeatures(request)).toEqual({
      ...noFeatures,
      cacheBreakpoints: { inMessages: false, inTools: true },
    });
  });
});
